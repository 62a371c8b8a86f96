"""Outlines: what is compared by bytes differs as what is compared whole."""

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.diffs import outlines
from apps.diffs.changes import Comparison
from apps.diffs.compare import compare
from apps.diffs.facets import leaves
from apps.diffs.flags import flags
from apps.diffs.outlines import MEMBERS, Outlined, differing, outline
from apps.diffs.touched import touched
from tests.diffs.states import bounded, edited, keys, objects, values

Pair = tuple[Any, Any]
# Some have integers beyond 64 bits, which have no outline: those are not drawn long.
several = st.dictionaries(keys, values, min_size=1, max_size=8)


def outlined(state: Any) -> Outlined | None:
    try:
        data = orjson.dumps(state)
    except TypeError:
        return None
    found = outline(state, data)
    return found and Outlined(memoryview(data), found)


def parts(before: Any, after: Any) -> Pair | None:
    old, new = outlined(before), outlined(after)
    return differing(old, new, orjson.loads) if old and new else None


def facts(comparison: Comparison) -> Any:
    """Return all that is recorded of a comparison."""
    return (
        [repr(change) for change in comparison.changes],
        comparison.alignments,
        comparison.coarse,
        [repr(row) for row in touched(comparison).rows],
        touched(comparison).truncated,
        flags(comparison, 1000, 400),
    )


@bounded
@given(st.one_of(edited(), st.tuples(objects, objects), st.tuples(several, several)))
def test_what_differs_is_told_as_if_the_whole_were_compared(pair: Pair) -> None:
    before, after = pair
    some = parts(before, after)
    if some is None:
        return

    assert facts(compare(*some)) == facts(compare(before, after))


@bounded
@given(edited(), st.integers(0, 6))
def test_the_budget_is_spent_in_the_same_places(pair: Pair, budget: int) -> None:
    before, after = pair
    some = parts(before, after)
    if some is None:
        return

    whole = compare(before, after, budget=budget)
    if "" not in whole.coarse:
        assert facts(compare(*some, budget=budget)) == facts(whole)


@bounded
@given(several)
def test_each_member_is_found_where_it_stands(state: Any) -> None:
    one = outlined(state)
    if one is None:
        return

    assert list(one.outline.spans) == list(state)
    for key, value in state.items():
        assert repr(one.member(key, orjson.loads)) == repr(value)
    assert one.outline.leaves == leaves(state)


def test_members_that_are_alike_are_not_parsed() -> None:
    before = {"step": 1, "items": list(range(100_000)), "gone": {"a": 1}}
    after = {"new": None, "items": list(range(100_000)), "step": 2}

    assert parts(before, after) == (
        {"step": 1, "gone": {"a": 1}},
        {"new": None, "step": 2},
    )


@pytest.mark.parametrize("place", [0, 1, 150_000, 299_999])
def test_one_byte_is_found_anywhere_in_a_long_member(place: int) -> None:
    before = {"kept": 1, "text": "x" * 300_000}
    after = {"kept": 1, "text": "x" * place + "y" + "x" * (299_999 - place)}

    assert parts(before, after) == ({"text": before["text"]}, {"text": after["text"]})


def test_the_same_state_differs_in_nothing() -> None:
    state = {"a": 1, "b": [1, 2]}

    assert parts(state, dict(state)) == ({}, {})


@pytest.mark.parametrize(
    ("state", "data"),
    [
        ({}, b"{}"),
        ([1], b"[1]"),
        ({"a": 1}, b'{"a": 1}'),
        ({"a": 1}, b'{"a":1} '),
        ({"a": 1}, b'{"a":1'),
        ({"a": 1}, b'{"a":12}'),
        ({"a": 1}, b'{"b":1}'),
        ({"a": 1, "b": 2}, b'{"b":2,"a":1}'),
        ({"a": 1}, b'{"a":1,"b":2}'),
        ({"a": "é"}, b'{"a":"\\u00e9"}'),
        ({"a": 10**30}, b'{"a":1' + b"0" * 30 + b"}"),
    ],
)
def test_bytes_that_are_not_what_would_be_written_have_no_outline(
    state: Any, data: bytes
) -> None:
    assert outline(state, data) is None


def test_too_many_or_too_long_keys_have_no_outline() -> None:
    many = {str(at): at for at in range(MEMBERS + 1)}
    long = {"k" * (outlines.KEY_CHARACTERS + 1): 1}

    assert outline(many, orjson.dumps(many)) is None
    assert outline(long, orjson.dumps(long)) is None
