"""The StateBase guide on checkpoints and rollbacks, snippet by snippet, in its order.

The second half: recovering, forking, how often, how many.
Both clients of the SDK go through it against a real server. What the SDK cannot say
(`state_after`) or does not show (old versions) goes over REST with the same key.
"""

from __future__ import annotations

from typing import Any

import httpx

from tests.clients.stories import counting, states


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
