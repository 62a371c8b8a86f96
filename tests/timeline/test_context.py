"""The context for the next call: the state and what was said on the way to it."""

from typing import Any

import pytest

from apps.timeline.queries import listing
from tests.timeline.runs import Clients, Keys, Run, assert_refused, succeeded

pytestmark = pytest.mark.django_db


def context(run: Run, **fields: Any) -> Any:
    return succeeded(run.client.post(run.path("context"), fields)).body


def said(body: Any) -> Any:
    return [turn["input"]["content"] for turn in body["recent_turns"]]


def test_it_gives_the_state_and_the_newest_turns_first(run: Run) -> None:
    for word in ("one", "two", "three"):
        run.turn(word)

    body = context(run, query="Where to?", memory_limit=5)

    assert body["session_id"] == run.id
    assert body["version"] == 2
    assert body["state"] == {"step": 2, "city": "NYC"}
    assert said(body) == ["three", "two", "one"]
    assert body["memories"] == []
    assert (body["drift_warning"], body["average_relevance"]) == (False, 0.0)
    assert body["last_rollback"] is None


def test_it_gives_turns_whole(run: Run) -> None:
    turn = run.turn({"type": "tool_call", "content": "x", "id": 1}, state_after={})

    assert context(run)["recent_turns"] == [turn]


@pytest.mark.parametrize(("limit", "expected"), [(0, 0), (1, 1), (3, 3), (50, 12)])
def test_it_gives_as_many_turns_as_are_asked_for(
    run: Run, limit: Any, expected: Any
) -> None:
    for _ in range(12):
        run.turn()

    assert len(context(run, turn_limit=limit)["recent_turns"]) == expected


@pytest.mark.parametrize("fields", [{}, {"turn_limit": None, "query": None}])
def test_it_gives_ten_unless_told_otherwise(run: Run, fields: Any) -> None:
    for _ in range(12):
        run.turn()

    assert len(context(run, **fields)["recent_turns"]) == 10


def test_no_body_is_needed(run: Run) -> None:
    assert run.client.post(run.path("context")).status == 200


def test_turns_set_aside_are_left_out_unless_asked_for(run: Run) -> None:
    run.turn("kept")
    run.turn("lost", state_after={"step": 3})
    run.turn("lost too")
    run.rollback(2)
    run.turn("new")

    assert said(context(run)) == ["new", "kept"]
    everything = said(context(run, include_set_aside=True))
    assert everything == ["new", "lost too", "lost", "kept"]


def test_turns_come_back_when_the_rollback_itself_is_rolled_back(run: Run) -> None:
    run.turn("lost", state_after={"step": 3})
    run.rollback(0)
    run.turn("meanwhile")
    assert said(context(run)) == ["meanwhile"]

    run.rollback(3)

    assert said(context(run)) == ["lost"]


def test_it_tells_the_last_rollback(run: Run) -> None:
    run.rollback(0)

    told = context(run)["last_rollback"]

    assert (told["version"], told["restored_version"]) == (3, 0)


def test_it_makes_no_version(run: Run) -> None:
    context(run)

    assert run.head == 2


def test_a_read_only_key_may_ask_for_it(api: Clients, run: Run, make_key: Keys) -> None:
    reader = api(make_key(scope="read"))

    assert reader.post(run.path("context"), {}).status == 200


def test_a_fork_begins_without_turns(run: Run) -> None:
    run.turn("there")
    fork = run.fork()
    fork.turn("here")

    assert said(context(fork)) == ["here"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("turn_limit", 51),
        ("turn_limit", -1),
        ("turn_limit", "5"),
        ("memory_limit", 21),
        ("query", 5),
        ("include_set_aside", "true"),
    ],
)
def test_it_names_the_field_that_it_refuses(run: Run, name: Any, value: Any) -> None:
    answer = run.client.post(run.path("context"), {name: value})

    assert_refused(answer, 400, "invalid_request", name)


def test_turns_far_below_those_set_aside_are_found(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "TURNS_LOOKED_AT", 2)
    run.turn("first")
    run.turn("second")
    for number in range(7):
        run.turn(f"aside {number}", state_after={"aside": number})
    run.rollback(2)
    run.turn("last")

    assert said(context(run)) == ["last", "second", "first"]
    assert said(context(run, turn_limit=2)) == ["last", "second"]
