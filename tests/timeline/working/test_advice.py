"""Advice on how an agent makes its versions: counts of a sample that it names."""

from __future__ import annotations

from typing import Any

import pytest

from apps.timeline.queries.advising import advice
from tests.timeline.runs import Begin, Clients, Keys, Run, assert_refused, succeeded

pytestmark = pytest.mark.django_db
PATH = "/v1/agents/travel/advice"


def told(client: Any) -> Any:
    return succeeded(client.get(PATH)).body


def effect(run: Run, key: str, **fields: Any) -> None:
    run.post("effects", {"key": key, "tool": "pay", "arguments": {}, **fields})


@pytest.fixture
def trip(begin: Begin) -> Run:
    """Two effects on one version, one on the next; a reason, none, and no change."""
    run = begin({"n": 0})
    effect(run, "a")
    effect(run, "b")
    effect(run, "look", **{"class": "read"})
    run.patch({"n": 1}, reasoning="He asked for it")
    effect(run, "c")
    run.patch({"n": 2})
    run.patch({"n": 2}, reasoning="Again")
    call = {"type": "tool_call", "content": "", "tool_metadata": {"name": "pay"}}
    run.turn(call, "done")
    return run


def test_it_counts_what_the_sessions_have(trip: Run, begin: Begin) -> None:
    begin({"n": 0})
    begin({"n": 0}, agent_id="another")

    found = told(trip.client)

    looked = found["looked_at"]
    assert found["agent_id"] == "travel"
    assert (looked["sessions"], looked["is_all"]) == (2, True)
    assert (looked["versions"], looked["turns"], looked["tool_calls"]) == (5, 1, 1)
    assert (looked["effects"], looked["effects_without_version"]) == (3, 1)
    assert looked["versions_without_reasoning"] == 1
    assert looked["versions_without_change"] == 1
    assert looked["rolled_back"] == 0
    assert looked["bytes"] > 0
    assert found["advice"] == [
        "effects_without_version",
        "versions_without_reasoning",
        "versions_without_change",
    ]


def test_other_policies_cost_more_versions_or_fewer(trip: Run) -> None:
    costs = {one["policy"]: one for one in told(trip.client)["policies"]}

    assert {name: one["versions_per_session"] for name, one in costs.items()} == {
        "now": 4,
        "heartbeat": 4,  # it went on for less than a minute
        "per_tool": 5,
        "ends": 2,
    }
    each = costs["now"]["bytes_per_session"] / 4
    assert costs["per_tool"]["bytes_per_session"] == pytest.approx(5 * each, abs=1)
    assert costs["ends"]["bytes_per_session"] == pytest.approx(2 * each, abs=1)


def test_a_heartbeat_costs_a_version_a_minute() -> None:
    habit = advice.Habit(sessions=2, versions=10, bytes=1_000, seconds=600)

    (beat,) = (
        one for one in advice._costs(habit) if one.policy is advice.Policy.HEARTBEAT
    )

    assert (beat.versions_per_session, beat.bytes_per_session) == (10, 1_000)


def test_rollbacks_of_more_than_one_in_twenty_are_told(begin: Begin) -> None:
    run = begin({"n": 0})
    run.patch({"n": 1}, reasoning="so")
    run.rollback(0, reason="no")

    assert told(run.client)["looked_at"]["rolled_back"] == 1
    assert told(run.client)["advice"] == ["many_rollbacks"]


def test_it_says_how_far_it_looked(
    trip: Run, begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(advice, "VERSIONS", 2)
    looked = told(trip.client)["looked_at"]
    assert (looked["versions"], looked["is_all"]) == (2, False)

    begin({"n": 0})
    monkeypatch.setattr(advice, "VERSIONS", 500)
    monkeypatch.setattr(advice, "SESSIONS", 1)
    looked = told(trip.client)["looked_at"]
    assert (looked["sessions"], looked["versions"]) == (1, 1)
    assert looked["is_all"] is False


def test_of_an_agent_without_sessions_there_is_nothing_to_say(
    api: Clients, make_key: Keys
) -> None:
    client = api()
    succeeded(client.post("/v1/agents", {"external_id": "travel"}))

    found = told(client)

    assert (found["policies"], found["advice"]) == ([], [])
    assert found["looked_at"]["since"] is None


def test_strangers_see_nothing_of_it(trip: Run, api: Clients, make_key: Keys) -> None:
    limited = api(make_key(agents=["another"]))

    assert_refused(limited.get(PATH), 404, "agent_not_found")
    assert_refused(trip.client.get("/v1/agents/nobody/advice"), 404, "agent_not_found")
    assert_refused(trip.client.get(PATH, {"x": 1}), 400, "unknown_parameter", "x")
    assert trip.client.post(PATH, {}).status == 405


def test_a_reason_of_few_letters_is_one(begin: Begin) -> None:
    run = begin({"n": 0})
    run.patch({"n": 1}, reasoning="rnt")
    run.patch({"n": 2}, reasoning=" \t\n")

    assert told(run.client)["looked_at"]["versions_without_reasoning"] == 1
