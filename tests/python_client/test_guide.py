"""The snippets of StateBase's guide on checkpoints and rollbacks, as they are written.

Only `sb` is ours, and what a snippet leaves open is filled in: an API that it calls, a
session that it speaks of. Both clients run them against a real server.
"""

from __future__ import annotations

from typing import Any


def test_how_it_works(sb: Any) -> None:
    session = sb.sessions.create(
        agent_id="travel-agent", initial_state={"step": "gathering_info"}
    )
    sb.sessions.update_state(
        session_id=session.id,
        state={"step": "searching_flights", "destination": "NYC"},
        reasoning="User provided destination",
    )
    sb.sessions.update_state(
        session_id=session.id,
        state={"step": "confirming_booking", "flight_id": "UA123"},
        reasoning="User selected flight",
    )

    versions = sb.sessions.list_versions(session.id, order="asc", include_state=True)
    assert [one.state["step"] for one in versions.data] == [
        "gathering_info",
        "searching_flights",
        "confirming_booking",
    ]
    assert versions.data[2].reasoning == "User selected flight"


def test_rollback(sb: Any, session: Any) -> None:
    restored_state = sb.sessions.rollback(session_id=session.id, version=3)

    assert (restored_state.version, restored_state.state) == (6, {"n": 3})
    assert sb.sessions.get_version(session.id, 4).state == {"n": 4}


def test_checkpoint_strategies(sb: Any, session: Any) -> None:
    user_confirmed, current_data, deleted = True, {"name": "Ada"}, []

    def call_weather_api(city: str) -> dict[str, Any]:
        return {"city": city, "sky": "fog"}

    result = call_weather_api(city="San Francisco")
    sb.sessions.update_state(
        session_id=session.id,
        state={"weather_data": result, "last_tool": "weather_api"},
        reasoning="Cached weather API result",
    )
    if user_confirmed:
        sb.sessions.update_state(
            session_id=session.id,
            state={"booking_confirmed": True, "confirmation_id": "ABC123"},
            reasoning="User confirmed booking",
        )
    sb.sessions.update_state(
        session_id=session.id,
        state={"pre_delete_snapshot": current_data},
        reasoning="Checkpoint before deletion",
    )
    deleted.append(7)

    assert sb.sessions.get_state(session.id).state == {
        "n": 5,
        "weather_data": result,
        "last_tool": "weather_api",
        "booking_confirmed": True,
        "confirmation_id": "ABC123",
        "pre_delete_snapshot": current_data,
    }


def test_turn_based_checkpointing(sb: Any, session: Any) -> None:
    sb.sessions.add_turn(session_id=session.id, input="Hello", output="Hi there!")
    assert sb.sessions.get_state(session.id).version == 5

    sb.sessions.add_turn(
        session_id=session.id,
        input="Book a flight to NYC",
        output="Sure, searching flights...",
        state_after={"destination": "NYC", "searching": True},
    )
    assert sb.sessions.get_state(session.id).version == 6


def test_retry_with_another_prompt(sb: Any, session: Any) -> None:
    asked = []

    class llm:
        @staticmethod
        def generate(prompt: str, context: Any) -> str:
            asked.append(context.state)
            return "done"

    sb.sessions.rollback(session_id=session.id, version=4)
    llm.generate(
        prompt="You are a travel agent. Be VERY careful not to delete user data.",
        context=sb.sessions.get_context(session_id=session.id),
    )

    assert asked == [{"n": 4}]


def test_fallback_to_human(sb: Any, session: Any) -> None:
    notified = []

    sb.sessions.rollback(session_id=session.id, version=4)
    sb.sessions.update_state(
        session_id=session.id,
        state={"escalated_to_human": True, "reason": "Agent stuck in loop"},
        reasoning="Automatic escalation after 3 failed attempts",
    )
    notified.append(session.id)

    found = sb.sessions.get(session.id)
    assert (found.version, found.state["escalated_to_human"]) == (7, True)


def test_comparing_models(sb: Any, session: Any) -> None:
    sb.sessions.rollback(session_id=session.id, version=2)
    sb.sessions.update_state(
        session_id=session.id,
        state={"successful_model": "claude-3.5-sonnet"},
        reasoning="GPT-4 failed, Claude succeeded",
    )

    assert sb.sessions.get_state(session.id).state == {
        "n": 2,
        "successful_model": "claude-3.5-sonnet",
    }


def test_forking(sb: Any, session: Any) -> None:
    original_session = production_session = session

    forked_session = sb.sessions.fork(session_id=original_session.id, version=3)
    debug_session = sb.sessions.fork(session_id=production_session.id, version=5)

    assert forked_session.id != original_session.id
    assert forked_session.state == {"n": 3}
    assert forked_session.metadata == {
        "forked_from": original_session.id,
        "forked_version": 3,
    }
    assert debug_session.state == {"n": 5}
    assert sb.sessions.get_state(production_session.id).version == 5


def test_frequencies(sb: Any, session: Any) -> None:
    session_id, state = session.id, {"n": 6}
    is_critical_operation, user_requested_save = True, True

    sb.sessions.update_state(session_id, state, reasoning="...")
    if is_critical_operation:
        sb.sessions.update_state(session_id, state, reasoning="...")
    if user_requested_save:
        sb.sessions.update_state(session_id, state, reasoning="User checkpoint")

    assert sb.sessions.get_version(session_id, 8).reasoning == "User checkpoint"


def test_rollback_frequency(sb: Any, agent_id: str, session: Any) -> None:
    sb.sessions.rollback(session.id, -1)

    sessions = sb.sessions.list(agent_id=agent_id).data

    rate = sum(one.rollback_count for one in sessions) / len(sessions)
    assert rate == 1.0
