"""The StateBase guide on checkpoints and rollbacks, snippet by snippet, in its order.

The first half: versions, rollback, when a checkpoint is made.
Both clients of the SDK go through it against a real server. What the SDK cannot say
(`state_after`) or does not show (old versions) goes over REST with the same key.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import httpx
import pytest

from tests.clients.stories import counting, states

GOOD = {"user_request": "book flight", "destination": "NYC", "dates": "2024-03-15"}
BAD = {"user_request": "cancel everything", "destination": None, "dates": None}


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
    """The guide's table; `memory.add` makes none either."""

    def head() -> int:
        return int(sdk.sessions.get_state(session_id).version)

    session_id = begin({"n": 0})
    assert head() == 0
    sdk.sessions.update_state(session_id, {"n": 1})
    assert head() == 1
    sdk.sessions.add_turn(session_id, "Hello", "Hi there!")
    sdk.sessions.add_tool_call(session_id, "look", {"at": "sky"}, {"sky": "fog"})
    assert head() == 1
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
