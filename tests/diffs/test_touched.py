"""The rows of a version, and blame as it is to be answered from them."""

import copy
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from apps.diffs.carry import earlier
from apps.diffs.changes import Kind
from apps.diffs.compare import compare
from apps.diffs.equality import same
from apps.diffs.paths import Item, canonical, locate, path_bytes
from apps.diffs.pointers import resolve
from apps.diffs.touched import Role, Touch, touched
from tests.diffs.states import bounded, histories


def rows(before: Any, after: Any) -> dict[Any, Touch]:
    return {row.path: row for row in touched(compare(before, after)).rows}


def roles(before: Any, after: Any) -> dict[Any, Any]:
    return {path: (r.role, r.kind) for path, r in rows(before, after).items()}


def test_a_changed_leaf_touches_every_container_above_it() -> None:
    assert roles({"trip": {"to": "LAX"}}, {"trip": {"to": "NYC"}}) == {
        (): (Role.CONTAINER, Kind.CHANGED),
        ("trip",): (Role.CONTAINER, Kind.CHANGED),
        ("trip", "to"): (Role.LEAF, Kind.CHANGED),
    }


def test_every_leaf_of_a_newly_set_object_counts() -> None:
    found = rows({}, {"order": {"lines": [{"sku": 1}], "tags": []}})

    assert found[("order", "lines", 0, "sku")].value == 1
    assert found[("order", "tags")].value == []
    assert found[("order",)].role is Role.CONTAINER
    assert found[("order",)].kind is Kind.ADDED


def test_a_list_item_stands_under_its_identity_key() -> None:
    before = {"lines": [{"id": "a", "n": 1}]}
    after = {"lines": [{"id": "b", "n": 1}, {"id": "a", "n": 2}]}

    found = rows(before, after)

    assert ("lines", Item("id", "a"), "n") in found
    assert ("lines", Item("id", "b"), "n") in found
    assert found[("lines",)].role is Role.CONTAINER


def test_shifted_items_are_one_row_on_the_list() -> None:
    assert roles({"log": ["a", "b", "c"]}, {"log": ["b", "c"]}) == {
        (): (Role.CONTAINER, Kind.CHANGED),
        ("log",): (Role.SHIFT, Kind.MOVED),
        ("log", 0): (Role.LEAF, Kind.REMOVED),
    }


def test_another_identity_key_counts_as_a_shift() -> None:
    before = {"tools": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]}
    after = {"tools": [{"id": 1, "name": "a"}, {"id": 1, "name": "b"}]}

    assert rows(before, after)[("tools",)].role is Role.SHIFT


def test_it_stops_at_the_limit_and_says_so() -> None:
    many = {str(n): n for n in range(300)}

    found = touched(compare({}, many))

    assert len(found.rows) == 256
    assert found.truncated
    assert not touched(compare({}, {"a": 1})).truncated


def test_all_changes_come_before_what_is_inside_them() -> None:
    many = {str(n): n for n in range(300)}

    found = touched(compare({"z": 1}, {"a": many, "z": 2}))

    assert ("z",) in {row.path for row in found.rows}


def test_a_state_too_different_for_the_budget_is_truncated() -> None:
    found = touched(compare({"a": 1, "b": 1}, {"a": 2, "b": 2}, budget=1))

    assert found.truncated
    assert [row.path for row in found.rows] == [()]


def test_paths_that_look_alike_have_different_bytes() -> None:
    paths = [("a", 0), ("a", "0"), ("a", Item("id", 0)), ("a", Item("id", "0")), ("a",)]

    assert len({path_bytes(path) for path in paths}) == len(paths)


@bounded
@given(histories)
def test_blame_from_rows_agrees_with_reading_every_version(states: list[Any]) -> None:
    pairs = [compare(one, two) for one, two in pairwise(states)]
    recorded = [{r.path: r for r in touched(pair, 10_000).rows} for pair in pairs]

    for pointer in leaves(states[-1]):
        assert blame(pairs, recorded, pointer) == slow_blame(pairs, pointer)


def slow_blame(pairs: list[Any], pointer: str) -> int:
    for number in range(len(pairs), 0, -1):
        pair = pairs[number - 1]
        was = earlier(pair, pointer)
        if was is None:
            return number
        if not same(resolve(pair.before, was), resolve(pair.after, pointer)):
            return number
        pointer = was
    return 0


def blame(pairs: list[Any], recorded: list[Any], pointer: str) -> int:
    path = canonical(pairs[-1].after, pointer)
    for number in range(len(pairs), 0, -1):
        found = recorded[number - 1]
        if path in found and found[path].kind is not Kind.REMOVED:
            return number
        above = [found[path[:n]] for n in range(len(path)) if path[:n] in found]
        if any(row.role is Role.SHIFT for row in above):
            pair = pairs[number - 1]
            was = earlier(pair, locate(pair.after, path))
            if was is None:
                return number
            path = canonical(pair.before, was)
    return 0


def leaves(state: Any, pointer: str = "") -> list[str]:
    if not isinstance(state, dict | list) or not state:
        return [pointer]
    pairs = state.items() if isinstance(state, dict) else enumerate(state)
    escaped = [(str(k).replace("~", "~0").replace("/", "~1"), v) for k, v in pairs]
    return [leaf for key, v in escaped for leaf in leaves(v, f"{pointer}/{key}")]


@bounded
@given(st.data())
def test_an_unchanged_state_touches_nothing(data: st.DataObject) -> None:
    (state, *_) = data.draw(histories)

    assert touched(compare(state, copy.deepcopy(state))).rows == ()


def test_rows_below_a_very_long_key_are_left_out_and_that_is_said() -> None:
    found = touched(compare({}, {"k" * 100_000: {str(n): n for n in range(200)}}))

    assert found.truncated
    assert sum(len(row.pointer) for row in found.rows) <= 1_100_000
