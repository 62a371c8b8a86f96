"""The StateBase guide on checkpoints and rollbacks, snippet by snippet, in its order.

Both clients of the SDK go through it against a real server. What the SDK cannot say
(`state_after`) or does not show (old versions) goes over REST with the same key.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import httpx
import pytest

GOOD = {"user_request": "book flight", "destination": "NYC", "dates": "2024-03-15"}
BAD = {"user_request": "cancel everything", "destination": None, "dates": None}


@pytest.fixture
def begin(sdk: Any, agent_id: str) -> Callable[..., str]:
    """`begin(v0, v1, ...)` is the id of a session whose versions were these states."""

    def start(first: dict[str, Any] | None = None, *then: dict[str, Any]) -> str:
        session = sdk.sessions.create(agent_id=agent_id, initial_state=first or {})
        for state in then:
            sdk.sessions.update_state(session_id=session.id, state=state)
        return str(session.id)

    return start


@pytest.fixture
def history(rest: httpx.Client) -> Callable[[str], list[dict[str, Any]]]:
    """`history(session_id)` is every version with its state, oldest first."""

    def read(session_id: str) -> list[dict[str, Any]]:
        answer = rest.get(f"/v1/sessions/{session_id}/state/history")
        assert not answer.json()["has_more"]
        return list(answer.json()["data"])

    return read


def states(versions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [version["state"] for version in versions]


def counting(to: int) -> list[dict[str, Any]]:
    """Return the states of an agent that counts its steps."""
    return [{"n": number} for number in range(to + 1)]


def test_a_hallucination_is_undone_by_stepping_back_a_turn(
    sdk: Any, begin: Any
) -> None:
    session_id = begin(GOOD)
    corrupted = sdk.sessions.update_state(session_id, BAD)
    assert corrupted.state == BAD

    restored = sdk.sessions.rollback(session_id, -1)

    assert restored.state == GOOD


def test_every_update_is_a_numbered_version_with_its_story(
    sdk: Any, agent_id: str, history: Any
) -> None:
    session = sdk.sessions.create(
        agent_id=agent_id, initial_state={"step": "gathering_info"}
    )
    sdk.sessions.update_state(
        session_id=session.id,
        state={"step": "searching_flights", "destination": "NYC"},
        reasoning="User provided destination",
    )
    sdk.sessions.update_state(
        session_id=session.id,
        state={"step": "confirming_booking", "flight_id": "UA123"},
        reasoning="User selected flight",
    )

    versions = history(session.id)

    assert [version["version"] for version in versions] == [0, 1, 2]
    assert states(versions) == [
        {"step": "gathering_info"},
        {"step": "searching_flights", "destination": "NYC"},
        {"step": "confirming_booking", "destination": "NYC", "flight_id": "UA123"},
    ]
    assert [version["reasoning"] for version in versions] == [
        None,
        "User provided destination",
        "User selected flight",
    ]
    assert len({version["trace_id"] for version in versions}) == 3
    times = [datetime.fromisoformat(version["created_at"]) for version in versions]
    assert times == sorted(times)


def test_a_trace_id_leads_to_the_operation_behind_a_version(
    begin: Any, history: Any, rest: httpx.Client
) -> None:
    session_id = begin({"n": 0}, {"n": 1})

    traces = rest.get(f"/v1/traces/sessions/{session_id}/traces").json()["data"]

    assert [(trace["action"], trace["version"]) for trace in traces] == [
        ("state.updated", 1),
        ("session.created", 0),
    ]


def test_a_rollback_is_a_new_version_and_forgets_nothing(
    sdk: Any, begin: Any, history: Any
) -> None:
    session_id = begin(*counting(3), {"n": "corrupt"}, {"n": "worse"})
    before = history(session_id)

    restored_state = sdk.sessions.rollback(session_id=session_id, version=3)

    after = history(session_id)
    assert (restored_state.version, restored_state.state) == (6, {"n": 3})
    assert after[:6] == before
    assert states(after)[4:] == [{"n": "corrupt"}, {"n": "worse"}, {"n": 3}]
    assert (after[6]["op"], after[6]["restored_version"]) == ("rollback", 3)
    going_on = sdk.sessions.update_state(session_id, {"next": True})
    assert (going_on.version, going_on.state) == (7, {"n": 3, "next": True})


def test_corrupted_versions_can_be_inspected_after_the_rollback(
    sdk: Any, begin: Any, rest: httpx.Client
) -> None:
    session_id = begin(GOOD, BAD)
    sdk.sessions.rollback(session_id, 0)

    changes = rest.get(f"/v1/sessions/{session_id}/changes?from=0&to=1").json()

    assert {change["pointer"]: change["after"] for change in changes["changes"]} == {
        "/user_request": "cancel everything",
        "/destination": None,
        "/dates": None,
    }


def test_a_checkpoint_after_a_tool_call_saves_calling_it_again(
    sdk: Any, begin: Any
) -> None:
    session_id = begin({"city": "San Francisco"})
    result = {"temperature": 14.5, "sky": "fog"}

    sdk.sessions.update_state(
        session_id=session_id,
        state={"weather_data": result, "last_tool": "weather_api"},
        reasoning="Cached weather API result",
    )
    sdk.sessions.update_state(session_id, {"answer": "It is snowing"})
    retried = sdk.sessions.rollback(session_id, 1)

    assert retried.state == {
        "city": "San Francisco",
        "weather_data": result,
        "last_tool": "weather_api",
    }


def test_a_checkpoint_after_a_confirmation_has_a_moment_just_before_it(
    sdk: Any, begin: Any
) -> None:
    session_id = begin({"flight": "UA123"})
    confirmed = sdk.sessions.update_state(
        session_id=session_id,
        state={"booking_confirmed": True, "confirmation_id": "ABC123"},
        reasoning="User confirmed booking",
    )

    just_before = sdk.sessions.rollback(session_id, confirmed.version - 1)

    assert just_before.state == {"flight": "UA123"}


def test_a_checkpoint_before_a_deletion_outlives_its_failure(
    sdk: Any, begin: Any
) -> None:
    current_data = {"name": "Ada", "bookings": [{"id": "B1"}, {"id": "B2"}]}
    session_id = begin({"user": current_data})
    snapshot = sdk.sessions.update_state(
        session_id=session_id,
        state={"pre_delete_snapshot": current_data},
        reasoning="Checkpoint before deletion",
    )
    sdk.sessions.update_state(session_id, {"user": None, "error": "half deleted"})

    restored = sdk.sessions.rollback(session_id, snapshot.version)

    assert restored.state == {"user": current_data, "pre_delete_snapshot": current_data}


def test_which_events_make_a_checkpoint(
    sdk: Any, begin: Any, rest: httpx.Client
) -> None:
    """The guide's table; `memory.add`, not yet served, makes none either."""

    def head() -> int:
        return int(sdk.sessions.get_state(session_id).version)

    session_id = begin({"n": 0})
    assert head() == 0
    sdk.sessions.update_state(session_id, {"n": 1})
    assert head() == 1
    sdk.sessions.add_turn(session_id, "Hello", "Hi there!")
    sdk.sessions.add_tool_call(session_id, "look", {"at": "sky"}, {"sky": "fog"})
    assert head() == 1
    with pytest.raises(httpx.HTTPStatusError):
        sdk.memory.add("prefers aisle seats", session_id=session_id)
    assert head() == 1


def test_small_talk_makes_no_version(sdk: Any, begin: Any, history: Any) -> None:
    session_id = begin({"step": "greeting"})

    turn = sdk.sessions.add_turn(
        session_id=session_id, input="Hello", output="Hi there!"
    )

    assert turn.turn_number == 1
    assert len(history(session_id)) == 1


@pytest.mark.parametrize("named", [{}, {"state_before": {}}])
def test_a_turn_that_leaves_another_state_makes_a_version(
    named: dict[str, Any], sdk: Any, begin: Any, rest: httpx.Client, history: Any
) -> None:
    session_id = begin()
    said = {"input": "Book a flight to NYC", "output": "Sure, searching flights..."}
    left = {"destination": "NYC", "searching": True}
    url = f"/v1/sessions/{session_id}/turns"

    first = rest.post(url, json=said | named | {"state_after": left})
    again = rest.post(url, json=said | {"state_after": left})

    assert (first.status_code, again.status_code) == (201, 201)
    assert (first.json()["made_version"], again.json()["made_version"]) == (True, False)
    assert states(history(session_id)) == [{}, left]
    assert [turn.state_after for turn in sdk.sessions.list_turns(session_id)] == [
        left,
        left,
    ]


def test_recovery_by_another_prompt_starts_from_the_context_before(
    sdk: Any, begin: Any, rest: httpx.Client
) -> None:
    session_id = begin(*counting(3))
    url = f"/v1/sessions/{session_id}/turns"
    kept = {"input": "Find my booking", "output": "Found B1", "state_after": {"n": 4}}
    failed = {"input": "Thanks", "output": "Deleted B1", "state_after": {"n": "gone"}}
    for said in (kept, failed):
        rest.post(url, json=said).raise_for_status()

    sdk.sessions.rollback(session_id=session_id, version=4)
    context = sdk.sessions.get_context(session_id=session_id)

    assert context["state"] == {"n": 4}
    assert [turn["output"]["content"] for turn in context["recent_turns"]] == [
        "Found B1"
    ]
    every_turn = sdk.sessions.list_turns(session_id)
    assert [turn.output.content for turn in every_turn] == ["Deleted B1", "Found B1"]


def test_recovery_by_a_human_starts_where_the_loop_began(
    sdk: Any, begin: Any, history: Any
) -> None:
    stuck = [{"attempt": number} for number in (1, 2, 3)]
    session_id = begin(*counting(5), *stuck)
    escalation = {"escalated_to_human": True, "reason": "Agent stuck in loop"}

    sdk.sessions.rollback(session_id=session_id, version=5)
    escalated = sdk.sessions.update_state(
        session_id=session_id,
        state=escalation,
        reasoning="Automatic escalation after 3 failed attempts",
    )

    assert (escalated.version, escalated.state) == (10, {"n": 5} | escalation)
    assert [state.get("attempt") for state in states(history(session_id))[6:9]] == [
        1,
        2,
        3,
    ]


def test_recovery_by_another_model_says_which_one_succeeded(
    sdk: Any, begin: Any, history: Any
) -> None:
    session_id = begin(*counting(2), {"n": "failed with one model"})

    sdk.sessions.rollback(session_id=session_id, version=2)
    sdk.sessions.update_state(
        session_id=session_id,
        state={"successful_model": "another"},
        reasoning="One model failed, another succeeded",
    )

    assert states(history(session_id))[3:] == [
        {"n": "failed with one model"},
        {"n": 2},
        {"n": 2, "successful_model": "another"},
    ]


def test_a_fork_is_a_session_of_its_own_that_knows_its_origin(
    sdk: Any, begin: Any
) -> None:
    original = begin(*counting(5))

    forked_session = sdk.sessions.fork(session_id=original, version=3)

    assert forked_session.id != original
    assert forked_session.state == {"n": 3}
    assert forked_session.metadata == {"forked_from": original, "forked_version": 3}
    assert sdk.sessions.get(forked_session.id).metadata == forked_session.metadata


def test_a_rollback_moves_the_conversation_and_a_fork_leaves_it(
    sdk: Any, begin: Any
) -> None:
    moved, kept = begin(*counting(2)), begin(*counting(2))

    sdk.sessions.rollback(moved, 1)
    fork = sdk.sessions.fork(kept, 1)

    assert sdk.sessions.get_state(moved).state == {"n": 1}
    assert sdk.sessions.get_state(kept).state == {"n": 2}
    assert sdk.sessions.get_state(kept).version == 2
    assert fork.state == {"n": 1}


def test_debugging_in_a_fork_leaves_production_untouched(
    sdk: Any, begin: Any, history: Any
) -> None:
    production = begin(*counting(9), {"n": "failure"})
    before = (sdk.sessions.get(production), history(production))

    debug_session = sdk.sessions.fork(session_id=production, version=9)
    sdk.sessions.update_state(debug_session.id, {"n": "another way"})
    sdk.sessions.add_turn(debug_session.id, "try again", "done")
    sdk.sessions.rollback(debug_session.id, 0)

    assert states(history(debug_session.id)) == [
        {"n": 9},
        {"n": "another way"},
        {"n": 9},
    ]
    assert (sdk.sessions.get(production), history(production)) == before


def test_every_change_or_only_critical_ones_may_be_kept(
    sdk: Any, begin: Any, history: Any
) -> None:
    """The guide's three frequencies: arguments by position, any number of versions."""
    session_id = begin({"step": "start"})
    for number in range(12):
        sdk.sessions.update_state(session_id, {"step": number}, reasoning="...")
    is_critical_operation, user_requested_save = False, True
    if is_critical_operation:
        sdk.sessions.update_state(session_id, {"step": "critical"}, reasoning="...")
    if user_requested_save:
        sdk.sessions.update_state(
            session_id, {"step": "saved"}, reasoning="User checkpoint"
        )

    versions = history(session_id)

    assert len(versions) == 14
    assert versions[-1]["reasoning"] == "User checkpoint"


def test_the_rollback_rate_can_be_counted(
    sdk: Any, begin: Any, agent_id: str, rest: httpx.Client
) -> None:
    sessions = [begin(*counting(2)) for _ in range(4)]
    sdk.sessions.rollback(sessions[0], 0)
    since = sdk.sessions.get(sessions[0]).created_at

    listed = sdk.sessions.list(agent_id=agent_id)["data"]
    traced = rest.get(
        "/v1/traces",
        params={
            "action": "state.rolled_back",
            "resource_id": sessions[0],
            "created_after": since,
        },
    ).json()["data"]

    rate = sum(session["rollback_count"] for session in listed) / len(listed)
    assert rate == 0.25
    assert [trace["session_id"] for trace in traced] == [sessions[0]]
    assert traced[0]["details"]["to_version"] == 0


def test_checkpoint_history_cannot_be_deleted(begin: Any, rest: httpx.Client) -> None:
    session_id = begin(*counting(2))

    for path in ("versions/1", "versions", "state/history", "history"):
        assert rest.delete(f"/v1/sessions/{session_id}/{path}").status_code == 405

    assert rest.get(f"/v1/sessions/{session_id}/versions/1").status_code == 200
