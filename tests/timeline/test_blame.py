"""Blame: which version set a value, from what to what, who, why and which turn."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any
from unittest import mock

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.accounts.models import Project
from apps.diffs import pointers
from apps.diffs.carry import earlier
from apps.diffs.changes import MISSING
from apps.diffs.compare import compare
from apps.diffs.equality import same
from apps.diffs.touched import LIMIT, touched
from apps.timeline.blame import walk
from apps.timeline.blame.attribution import BUDGET, back, value_at
from apps.timeline.ledger.facts import index
from tests.diffs.states import histories
from tests.timeline.runs import Begin, Clients, Keys, Run, assert_refused

pytestmark = pytest.mark.django_db


def told(run: Run, pointer: str, **query: Any) -> list[dict[str, Any]]:
    """Return the setters of a value, newest first, up to 50."""
    asked = {"pointer": pointer, "limit": 50, **query}
    return list(run.get("blame", **asked)["data"])


def numbers(run: Run, pointer: str, **query: Any) -> list[int]:
    return [one["version"] for one in told(run, pointer, **query)]


def sides(setter: dict[str, Any]) -> tuple[Any, Any]:
    """Return before and after; `...` where nothing was or is."""
    return setter.get("before", ...), setter.get("after", ...)


@pytest.fixture
def trip(begin: Begin) -> Run:
    """0 sets the destination, 1 something else, 2 loses it, 3 something else."""
    run = begin({"trip": {"to": "LAX"}, "step": 0})
    run.patch({"step": 1})
    run.patch({"trip": {"to": None}}, reasoning="The tool failed.", trace_id="t-2")
    run.patch({"step": 3})
    return run


def test_it_tells_who_set_a_value_from_what_to_what_and_why(trip: Run) -> None:
    answer = trip.get("blame", pointer="/trip/to")

    assert (answer["version"], answer["value"]) == (3, None)
    (setter,) = answer["data"]
    assert (setter["session_id"], setter["version"]) == (trip.id, 2)
    assert (setter["kind"], setter["op"]) == ("type_changed", "update")
    assert sides(setter) == ("LAX", None)
    assert setter["reasoning"] == "The tool failed."
    assert setter["trace_id"] == "t-2"
    assert setter["actor"]["kind"] == "key"
    assert setter["turn"] is None
    assert setter["restored_by"] is None


def test_it_names_the_turn_that_made_the_version(begin: Begin) -> None:
    run = begin({"a": 1})
    run.turn(state_after={"a": 1})
    turn = run.turn(state_after={"a": 2}, reasoning="She said two.")

    (setter,) = run.get("blame", pointer="/a")["data"]

    assert setter["version"] == 1
    assert setter["turn"]["id"] == turn["id"]
    assert setter["turn"]["turn_number"] == 2
    assert setter["turn"]["reasoning"] == "She said two."


def test_its_cursor_leads_to_the_one_before(trip: Run) -> None:
    first = trip.get("blame", pointer="/trip/to")
    assert first["has_more"]

    second = trip.get("blame", pointer="/trip/to", starting_after=first["next"])

    assert first["next"] == first["data"][0]["next"]
    assert [one["version"] for one in second["data"]] == [0]
    assert sides(second["data"][0]) == (..., "LAX")
    assert (second["has_more"], second["next"]) == (False, None)


@pytest.mark.parametrize(("version", "expected"), [(0, 0), (1, 0), (2, 2), (-1, 2)])
def test_it_answers_at_any_version(trip: Run, version: int, expected: int) -> None:
    (setter,) = trip.get("blame", pointer="/trip/to", version=version)["data"]

    assert setter["version"] == expected


def test_a_restored_value_is_blamed_on_who_first_set_it(trip: Run) -> None:
    trip.rollback(1, reason="destination lost", reason_code="tool")
    trip.patch({"step": 5})

    first, *rest = told(trip, "/trip/to")

    assert (first["version"], sides(first)) == (0, (..., "LAX"))
    assert rest == []
    by = first["restored_by"]
    assert (by["session_id"], by["version"], by["restored_version"]) == (trip.id, 4, 1)
    assert (by["reasoning"], by["reason_code"]) == ("destination lost", "tool")


def test_a_rollback_that_did_not_touch_the_value_did_not_restore_it(trip: Run) -> None:
    trip.rollback(2)

    (setter,) = trip.get("blame", pointer="/trip/to")["data"]

    assert (setter["version"], setter["restored_by"]) == (2, None)


def test_of_two_rollbacks_the_newest_is_the_restorer(trip: Run) -> None:
    trip.rollback(0)
    trip.patch({"trip": {"to": "NYC"}})
    trip.rollback(4)

    first, *rest = told(trip, "/trip/to")

    assert (first["version"], first["restored_by"]["version"]) == (0, 6)
    assert rest == []


def test_setting_an_object_as_a_whole_counts_for_what_changed_in_it(
    begin: Begin,
) -> None:
    run = begin({"trip": {"to": "LAX", "days": 3}})
    run.patch({"trip": {"to": "NYC", "days": 3}})

    assert numbers(run, "/trip/to") == [1, 0]
    assert numbers(run, "/trip/days") == [0]
    assert numbers(run, "/trip") == [1, 0]
    assert numbers(run, "") == [1, 0]


def test_removing_and_setting_an_ancestor_counts(begin: Begin) -> None:
    run = begin({"trip": {"to": {"city": "LAX"}}})
    run.patch({}, remove=["/trip"], reasoning="cleared")
    run.patch({"trip": {"to": {"city": "LAX"}}})
    run.patch({"trip": 5})
    run.patch({"trip": {"to": {"city": "NYC"}}})

    found = told(run, "/trip/to/city")

    assert [(one["version"], one["kind"], sides(one)) for one in found] == [
        (4, "added", (..., "NYC")),
        (3, "removed", ("LAX", ...)),
        (2, "added", (..., "LAX")),
        (1, "removed", ("LAX", ...)),
        (0, "added", (..., "LAX")),
    ]


def test_replacing_a_list_counts_for_its_items(begin: Begin) -> None:
    run = begin({"a": [[7], None]})
    run.patch({"a": 1})
    run.patch({"a": 2})
    run.patch({"a": [[8]]})

    found = [(one["version"], one["kind"]) for one in told(run, "/a/0/0")]

    assert found == [(3, "added"), (1, "removed"), (0, "added")]


def test_a_key_of_an_item_is_followed_by_the_items_identity(begin: Begin) -> None:
    run = begin({"lines": [{"id": "a", "n": 1}, {"id": "b", "n": 2, "x": 1}]})
    run.patch({"lines": [{"id": "a", "n": 1}, {"id": "b", "n": 2}]})
    run.patch({"lines": [{"id": "b", "n": 2}, {"id": "a", "n": 1}]})

    found = told(run, "/lines/0/x")

    assert [(one["version"], one["pointer"]) for one in found] == [
        (1, "/lines/1/x"),
        (0, "/lines/1/x"),
    ]


def test_of_a_removed_key_it_tells_who_removed_it(begin: Begin) -> None:
    run = begin({"trip": {"to": "LAX"}, "a": 1})
    run.patch({"a": 2})
    run.patch({}, remove=["/trip"])
    run.patch({"a": 3})

    answer = run.get("blame", pointer="/trip/to")

    assert "value" not in answer
    (setter,) = answer["data"]
    assert (setter["version"], setter["kind"]) == (2, "removed")
    assert sides(setter) == ("LAX", ...)
    assert numbers(run, "/trip/to") == [2, 0]


def test_a_rollback_can_bring_back_that_a_key_is_not_there(begin: Begin) -> None:
    run = begin({"a": 1, "b": 1})
    run.patch({}, remove=["/a"])
    run.patch({"a": 2})
    run.rollback(1)

    first, second = told(run, "/a")

    assert (first["version"], first["kind"]) == (1, "removed")
    assert first["restored_by"]["version"] == 3
    assert (second["version"], second["restored_by"]) == (0, None)


LINES = [{"id": "a", "n": 1}, {"id": "b", "n": 1}]


def test_list_items_keep_their_blame_when_others_are_inserted(begin: Begin) -> None:
    run = begin({"lines": LINES})
    run.patch({"lines": [LINES[0], {"id": "b", "n": 2}]})
    run.patch({"lines": [{"id": "c", "n": 9}, LINES[0], {"id": "b", "n": 2}]})

    first, second = told(run, "/lines/2/n")

    assert (first["version"], first["pointer"], sides(first)) == (
        1,
        "/lines/1/n",
        (1, 2),
    )
    assert (second["version"], second["pointer"]) == (0, "/lines/1/n")
    assert numbers(run, "/lines/1/n") == [0]
    assert numbers(run, "/lines/1") == [0]
    assert numbers(run, "/lines/0/n") == [2]


def test_list_items_keep_their_blame_when_they_are_reordered(begin: Begin) -> None:
    run = begin({"lines": [*LINES, {"id": "c", "n": 3}]})
    run.patch({"lines": [LINES[1], LINES[0], {"id": "c", "n": 4}]})
    run.patch({"lines": [{"id": "c", "n": 4}, {"id": "b", "n": 7}, LINES[0]]})

    assert numbers(run, "/lines/2/n") == numbers(run, "/lines/2") == [0]
    assert numbers(run, "/lines/0/n") == numbers(run, "/lines/0") == [1, 0]
    assert numbers(run, "/lines/1/n") == numbers(run, "/lines/1") == [2, 0]
    assert numbers(run, "/lines") == [2, 1, 0]


def test_items_without_identity_keep_their_blame_when_they_shift(begin: Begin) -> None:
    run = begin({"log": ["a", "b"]})
    run.patch({"log": ["a", "b", "c"]})
    run.patch({"log": ["b", "c"]})
    run.patch({"log": ["new", "b", "c", "d"]})

    (third,) = told(run, "/log/2")
    assert (third["version"], third["pointer"]) == (1, "/log/2")
    assert [one["pointer"] for one in told(run, "/log/1")] == ["/log/1"]
    assert numbers(run, "/log/1") == [0]
    assert numbers(run, "/log/0") == [3]
    assert numbers(run, "/log") == [3, 2, 1, 0]


def test_an_item_has_no_history_before_it_was_added(begin: Begin) -> None:
    run = begin({"lines": LINES})
    run.patch({"lines": LINES[:1]})
    run.patch({"lines": LINES})

    assert numbers(run, "/lines/1/n") == [2]
    assert run.get("blame", pointer="/lines/1/n")["next"] is None


def test_a_fork_goes_on_in_its_origin(trip: Run) -> None:
    fork = trip.fork(version=3, state={"extra": 1})
    fork.patch({"step": 9})

    lost, named = told(fork, "/trip/to")

    assert (lost["session_id"], lost["version"]) == (trip.id, 2)
    assert (named["session_id"], named["version"]) == (trip.id, 0)
    assert [(one["session_id"], one["version"]) for one in told(fork, "/extra")] == [
        (fork.id, 0)
    ]
    assert [(one["session_id"], one["version"]) for one in told(fork, "/step")] == [
        (fork.id, 1),
        (trip.id, 3),
        (trip.id, 1),
        (trip.id, 0),
    ]


def test_a_fork_of_a_fork_with_its_own_patch(begin: Begin) -> None:
    run = begin({"log": ["a", "b"], "n": {"x": 1, "y": 1}})
    first = run.fork(state={"log": ["new", "a", "b"], "n": {"x": 2, "y": 1}})
    second = first.fork()

    assert [one["session_id"] for one in told(second, "/n/x")] == [first.id, run.id]
    assert [one["session_id"] for one in told(second, "/n/y")] == [run.id]
    (item,) = told(second, "/log/2")
    assert (item["session_id"], item["pointer"]) == (run.id, "/log/1")


def test_a_rollback_in_the_origin_is_named_in_the_fork(trip: Run) -> None:
    trip.rollback(0)
    fork = trip.fork().fork()

    (setter,) = told(fork, "/trip/to")

    assert (setter["session_id"], setter["version"]) == (trip.id, 0)
    assert setter["restored_by"]["session_id"] == trip.id


def test_an_origin_that_is_not_to_be_seen_stays_hidden(
    api: Clients, make_key: Keys, trip: Run
) -> None:
    made = trip.fork(agent_id="billing", state={"step": 9})
    fork = Run(api(make_key(agents=["billing"])), made.made)

    (carried,) = told(fork, "/trip/to")
    (patched,) = told(fork, "/step")

    assert (carried["kind"], carried["session_id"]) == ("carried", fork.id)
    assert (carried["version"], carried["next"]) == (0, None)
    assert sides(carried) == (..., None)
    assert (patched["kind"], sides(patched)) == ("changed", (..., 9))
    assert trip.id not in str(carried) + str(patched)


def test_versions_whose_changes_were_truncated_are_decided_from_states(
    begin: Begin,
) -> None:
    run = begin({"many": dict.fromkeys(map(str, range(400)), 0), "a": 1})
    run.patch({"many": {str(n): n for n in range(400)}})
    run.patch({"many": {str(n): n + 1 for n in range(400)}, "a": 2})
    run.patch({"many": {str(n): n + 1 for n in range(399)} | {"399": -1}})
    run.patch({"step": 1})

    assert numbers(run, "/many/0") == [2, 0]
    assert numbers(run, "/many/398") == [2, 1, 0]
    assert numbers(run, "/many/399") == [3, 2, 1, 0]
    assert numbers(run, "/a") == [2, 0]
    run.rollback(1)
    first = told(run, "/many/398")[0]
    assert (first["version"], first["restored_by"]["version"]) == (1, 5)
    assert told(run, "/many/0")[0]["restored_by"]["version"] == 5


def test_where_it_looks_in_vain_too_long_it_answers_with_a_cursor(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "MOST_LOOKS", 2)
    run = begin({"log": ["x"]})
    for number in range(7):
        run.patch({"log": [number, *run.state["log"]]})
    run.rollback(6)

    pages, cursor = [], {}
    while True:
        page = run.get("blame", pointer="/log/6", limit=5, **cursor)
        pages.append(page["data"])
        if not page["has_more"]:
            break
        cursor = {"starting_after": page["next"]}

    (setter,) = [one for data in pages for one in data]
    assert len(pages) > 1
    assert (setter["version"], setter["pointer"], setter["kind"]) == (
        0,
        "/log/0",
        "added",
    )


def test_a_page_that_ends_early_still_names_the_restorer(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begin({"log": ["x"]})
    for number in range(4):
        run.patch({"log": [number, *run.state["log"]]})
    run.patch({"log": []})
    run.rollback(4, reason="log lost")
    monkeypatch.setattr(walk, "MOST_LOOKS", 2)

    early = run.get("blame", pointer="/log/4")
    page = early
    while not page["data"]:
        page = run.get("blame", pointer="/log/4", starting_after=page["next"])

    (setter,) = page["data"]
    assert (early["data"], early["has_more"]) == ([], True)
    assert setter["version"] == 0
    assert setter["restored_by"]["reasoning"] == "log lost"


@pytest.mark.parametrize("most", [1, 60])
def test_pages_that_end_with_their_work_tell_together_what_one_tells(
    begin: Begin, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    run = begin({"log": ["x"], "city": "Rome"})
    for number in range(8):
        run.patch({"log": [number, *run.state["log"]], "city": f"c{number // 2}"})
    run.rollback(5)
    asked = {pointer: {"pointer": pointer} for pointer in ("/log/5", "/log/1", "/city")}
    whole = {one: run.get("blame", limit=50, **asked[one])["data"] for one in asked}
    monkeypatch.setattr("apps.core.admission.work.PAGE", most)

    for pointer, query in asked.items():
        pages = [run.get("blame", limit=50, **query)]
        while pages[-1]["has_more"]:
            cursor = {"starting_after": pages[-1]["next"]}
            pages.append(run.get("blame", limit=50, **query, **cursor))
        told_of = [one for page in pages for one in page["data"]]
        assert [without_cursor(one) for one in told_of] == [
            without_cursor(one) for one in whole[pointer]
        ]
        assert most > 1 or len(pages) > 1


def without_cursor(setter: Any) -> Any:
    return {name: value for name, value in setter.items() if name != "next"}


def test_the_whole_state_is_the_root_pointer(begin: Begin) -> None:
    run = begin({})
    run.patch({"a": 1})

    assert numbers(run, "") == [1, 0]
    assert [sides(one) for one in told(run, "")] == [({}, {"a": 1}), (..., {})]


def test_a_large_value_comes_shortened(begin: Begin) -> None:
    run = begin({"text": "x" * 20_000})

    answer = run.get("blame", pointer="/text")

    assert answer["shortened"]
    assert answer["data"][0]["shortened"]
    assert len(answer["value"]) <= 200


@pytest.mark.parametrize("pointer", ["/nothing", "/trip/to/deeper", "/step/0", "/~1"])
def test_what_never_was_there_is_not_found(trip: Run, pointer: str) -> None:
    answer = trip.client.get(trip.path("blame"), {"pointer": pointer})

    assert_refused(answer, 404, "pointer_not_found", "pointer")


@pytest.mark.parametrize(
    ("query", "param"),
    [
        ({}, "pointer"),
        ({"pointer": "trip"}, "pointer"),
        ({"pointer": "/~2"}, "pointer"),
        ({"pointer": "/" + "x" * 5_000}, "pointer"),
        ({"pointer": "", "limit": 51}, "limit"),
        ({"pointer": "", "version": "x"}, "version"),
        ({"pointer": "", "starting_after": "!"}, "starting_after"),
        ({"pointer": "", "starting_after": "WzEsMiwzXQ=="}, "starting_after"),
        ({"pointer": "", "starting_after": "WzEsMiwiIiwwXQ=="}, "starting_after"),
    ],
)
def test_what_it_cannot_read_is_refused(trip: Run, query: Any, param: str) -> None:
    answer = trip.client.get(trip.path("blame"), query)

    assert_refused(answer, 400, "invalid_request", param)


def test_a_cursor_opens_no_session_of_others(
    api: Clients, make_key: Keys, other_project: Project, trip: Run, begin: Begin
) -> None:
    theirs = begin({"a": 1}, client=api(make_key(project=other_project)))
    theirs.patch({"a": 2})
    cursor = theirs.get("blame", pointer="/a")["next"]

    answer = trip.client.get(
        trip.path("blame"), {"pointer": "", "starting_after": cursor}
    )

    assert_refused(answer, 404, "session_not_found")


@contextmanager
def counted() -> Iterator[list[Any]]:
    """Collect what is sent to PostgreSQL, whichever way it is sent."""
    sent: list[Any] = []
    execute = psycopg.Cursor.execute

    def counting(cursor: Any, query: Any, *args: Any, **options: Any) -> Any:
        sent.append(query)
        return execute(cursor, query, *args, **options)

    with mock.patch.object(psycopg.Cursor, "execute", counting):
        yield sent


def test_a_longer_session_takes_no_more_statements(trip: Run) -> None:
    trip.get("blame", pointer="/trip/to")
    with counted() as few:
        trip.get("blame", pointer="/trip/to")
    for number in range(40):
        trip.patch({"step": number})
    trip.rollback(-2)
    trip.patch({"step": -1})
    trip.get("blame", pointer="/trip/to")

    with counted() as many:
        (setter,) = trip.get("blame", pointer="/trip/to")["data"]

    assert setter["version"] == 2
    assert len(many) == len(few), many


# What brute force does: read every version of the lineage, follow step by step.


def slowly(states: list[Any], pointer: str) -> tuple[list[int], bool]:
    """Name the setters by comparing every two versions that follow each other.

    Says False where it cannot go on: a key that is missing inside a list, whose item
    is known by identity then, which comparing index by index cannot tell.
    """
    found: list[int] = []
    for number in range(len(states) - 1, 0, -1):
        pair = compare(states[number - 1], states[number], budget=BUDGET)
        now = value_at(states[number], pointer)
        if now is not MISSING:
            was = earlier(pair, pointer)
            then = MISSING if was is None else pointers.resolve(pair.before, was)
            if was is None or not same(then, now):
                found.append(number)
        onward = back(pair, pointer)
        if onward is None:
            return found, True
        if now is MISSING and value_at(pair.before, onward) is not MISSING:
            found.append(number)
        if is_missing_in_a_list(pair.before, onward):
            return found, False
        pointer = onward
    if value_at(states[0], pointer) is not MISSING:
        found.append(0)
    return found, True


def is_missing_in_a_list(state: Any, pointer: str) -> bool:
    lists = 0
    for token in pointers.split(pointer):
        if not pointers.has(state, token):
            return lists > 0
        lists += isinstance(state, list)
        state = pointers.step(state, token)
    return False


def places(state: Any, pointer: str = "") -> list[str]:
    """Return the pointers of everything in a state."""
    if not isinstance(state, dict | list):
        return [pointer]
    pairs = state.items() if isinstance(state, dict) else enumerate(state)
    inner = [(f"{pointer}/{pointers.escape(str(key))}", value) for key, value in pairs]
    return [pointer, *(place for at, value in inner for place in places(value, at))]


def lived(begin: Begin, states: list[Any], data: st.DataObject) -> tuple[Run, Any]:
    """Live through these states, with rollbacks and forks on the way.

    The lineage is what each version that counts showed, oldest first.
    """
    run = begin(states[0])
    lineage = [((run.id, 0), states[0])]
    past = [lineage]
    for state in states[1:]:
        run.put(state)
        lineage = [*lineage, ((run.id, len(past)), state)]
        past.append(lineage)
        act = data.draw(st.sampled_from(["go on", "go on", "rollback", "fork"]))
        if act == "rollback":
            to = data.draw(st.integers(0, len(past) - 2))
            run.rollback(to)
            lineage = past[to]
            past.append(lineage)
        elif act == "fork":
            patch = data.draw(st.sampled_from([{}, {"a": 1}, {"a": [0, {"b": 1}]}]))
            run = run.fork(state=patch)
            lineage = [*lineage, ((run.id, 0), {**lineage[-1][1], **patch})]
            past = [lineage]
    return run, lineage


@settings(
    max_examples=60,
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_it_agrees_with_reading_every_version(
    begin: Begin, data: st.DataObject
) -> None:
    states = data.draw(histories)
    # A lower limit truncates the rows of more versions.
    rows = partial(touched, limit=data.draw(st.sampled_from([LIMIT, 5])))
    with mock.patch.object(index, "touched", rows):
        run, lineage = lived(begin, states, data)

    shown = [state for _, state in lineage]
    for pointer in places(shown[-1])[:12]:
        slow, is_whole = slowly(shown, pointer)
        expected = [lineage[place][0] for place in slow]
        found = [(one["session_id"], one["version"]) for one in told(run, pointer)]
        assert found[: len(expected)] == expected, pointer
        assert len(found) == len(expected) or not is_whole, pointer
