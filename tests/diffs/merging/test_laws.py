"""What a merge always holds to, whatever was merged."""

from __future__ import annotations

import copy
import json
from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from apps.diffs import pointers
from apps.diffs.changes import MISSING, Kind
from apps.diffs.compare import compare
from apps.diffs.equality import same
from apps.diffs.merging import Choice, Clash, Conflict, Merge, Pick, Side, merge
from tests.diffs.merging.triples import (
    Triple,
    anything,
    lawful,
    of_tokens,
    tokens,
)

budgets = st.one_of(st.just(10_000), st.just(10_000), st.integers(0, 8))


def everywhere(pick: Pick, *triple: Any, budget: int = 10_000) -> Merge:
    found = merge(*triple, budget=budget)
    choices = {one.id: Choice(pick) for one in found.conflicts}
    return merge(*triple, choices=choices, budget=budget)


def written(value: Any) -> str:
    return "-" if value is MISSING else json.dumps(value, sort_keys=True)


def stood(conflict: Conflict) -> tuple[Any, ...]:
    return conflict.kind, conflict.pointer, conflict.length, conflict.picks


def told(conflict: Conflict) -> set[str]:
    named = set(conflict.pointer.rsplit("/", 1)[1:])
    return named.union(tokens([conflict.base, conflict.ours, conflict.theirs]))


def was_and_now(found: Merge, *sides: Side) -> tuple[set[str], set[str]]:
    """Return what the changes of some sides say was there, and is there."""
    was, now = set[str](), set[str]()
    for change in found.changes:
        # What changed inside of what moved is told by itself.
        if change.side in sides and change.kind is not Kind.MOVED:
            # The key is told by the pointer.
            named = {pointers.split(change.pointer)[-1]} if change.pointer else set()
            named = {one for one in named if one.startswith("t")}
            for value, seen in ((change.before, was), (change.after, now)):
                seen.update([] if value is MISSING else [*named, *tokens(value)])
    return was, now


def in_conflicts(found: Merge) -> set[str]:
    return {token for conflict in found.conflicts for token in told(conflict)}


@lawful
@given(anything, budgets)
def test_what_one_side_left_alone_is_what_the_other_made(
    triple: Triple, budget: int
) -> None:
    base, side, _ = triple
    again = copy.deepcopy(base)

    for found in (
        merge(base, side, again, budget=budget),
        merge(base, again, side, budget=budget),
    ):
        assert found.is_complete
        assert found.conflicts == ()
        assert json.dumps(found.value) == json.dumps(side) or same(base, side)


@lawful
@given(anything, budgets)
def test_the_same_on_both_sides_is_no_conflict(triple: Triple, budget: int) -> None:
    base, ours, _ = triple

    found = merge(base, ours, copy.deepcopy(ours), budget=budget)

    assert found.conflicts == ()
    assert written(found.value) == written(ours)
    assert set(found.sides()) <= {Side.BOTH}


@lawful
@given(st.one_of(anything, of_tokens()), budgets)
def test_sides_swapped_the_value_is_the_same_and_conflicts_are_swapped(
    triple: Triple, budget: int
) -> None:
    base, ours, theirs = triple

    found = merge(base, ours, theirs, budget=budget)
    swapped = merge(base, theirs, ours, budget=budget)

    assert written(found.value) == written(swapped.value)
    assert Counter(
        (stood(one), written(one.base), written(one.ours), written(one.theirs))
        for one in found.conflicts
    ) == Counter(
        (stood(one), written(one.base), written(one.theirs), written(one.ours))
        for one in swapped.conflicts
    )
    for pick, other in (
        (Pick.OURS, Pick.THEIRS),
        (Pick.THEIRS, Pick.OURS),
        (Pick.BASE, Pick.BASE),
    ):
        here = everywhere(pick, base, ours, theirs, budget=budget)
        there = everywhere(other, base, theirs, ours, budget=budget)
        assert written(here.value) == written(there.value)


@lawful
@given(st.one_of(anything, of_tokens()), budgets)
def test_it_says_the_same_of_the_same_and_leaves_it_as_it_was(
    triple: Triple, budget: int
) -> None:
    was = json.dumps(triple)
    again = json.loads(was)

    found, other = merge(*triple, budget=budget), merge(*again, budget=budget)

    assert found.conflicts == other.conflicts
    assert found.changes == other.changes
    assert written(found.value) == written(other.value)
    assert json.dumps(triple) == was


@lawful
@given(st.one_of(anything, of_tokens()), budgets)
def test_what_was_chosen_changes_no_conflict(triple: Triple, budget: int) -> None:
    was = json.dumps(triple)

    found = merge(*triple, budget=budget)

    for pick in (Pick.OURS, Pick.THEIRS, Pick.BASE):
        chosen = everywhere(pick, *triple, budget=budget)
        assert chosen.conflicts == found.conflicts
        assert chosen.changes == found.changes
        assert chosen.unchosen == ()
    assert found.unchosen == found.conflicts
    assert json.dumps(triple) == was


@lawful
@given(st.one_of(anything, of_tokens()), budgets)
def test_pointers_hold_what_the_base_had(triple: Triple, budget: int) -> None:
    base, *_ = triple

    found = merge(*triple, budget=budget)

    for change in found.changes:
        if change.before is not MISSING:
            assert same(pointers.resolve(base, change.pointer), change.before)
    for conflict in found.conflicts:
        if conflict.length is not None:
            *way, at = pointers.split(conflict.pointer)
            items = pointers.resolve(base, pointers.join(way))
            stretch = items[int(at) : int(at) + conflict.length]
            assert same(stretch, conflict.base)
        elif conflict.kind is not Clash.ORDER and conflict.base is not MISSING:
            assert same(pointers.resolve(base, conflict.pointer), conflict.base)


@lawful
@given(of_tokens(), budgets, st.sampled_from([Pick.OURS, Pick.THEIRS, Pick.BASE]))
def test_nothing_is_lost_unmentioned(triple: Triple, budget: int, pick: Pick) -> None:
    base, *sides = (set(tokens(state)) for state in triple)

    found = everywhere(pick, *triple, budget=budget)

    result, disputed = set(tokens(found.value)), in_conflicts(found)
    for side in sides:
        assert side - base <= result | disputed
        assert (base - side) & result <= disputed
    assert base & sides[0] & sides[1] <= result | disputed
    assert result <= base | sides[0] | sides[1]


@lawful
@given(of_tokens(), budgets, st.sampled_from([Pick.OURS, Pick.THEIRS]))
def test_nothing_comes_twice(triple: Triple, budget: int, pick: Pick) -> None:
    found = everywhere(pick, *triple, budget=budget)

    base, ours, theirs = (set(tokens(state)) for state in triple)
    # What both put in, at different places of a list without keys, is not one thing.
    twice = (ours & theirs) - base
    counted = Counter(one for one in tokens(found.value) if one not in twice)
    assert max(counted.values(), default=1) == 1


@lawful
@given(
    of_tokens(),
    budgets,
    st.sampled_from([(Pick.OURS, Side.THEIRS), (Pick.THEIRS, Side.OURS)]),
)
def test_choosing_one_side_everywhere_keeps_every_change_of_the_other(
    triple: Triple, budget: int, chosen: tuple[Pick, Side]
) -> None:
    pick, other = chosen

    found = everywhere(pick, *triple, budget=budget)

    result = set(tokens(found.value))
    was, now = was_and_now(found, other, Side.BOTH)
    assert now - was <= result
    assert not (was - now) & result


@lawful
@given(of_tokens(), budgets)
def test_beside_ours_the_result_has_exactly_their_changes(
    triple: Triple, budget: int
) -> None:
    base, here, there = (set(tokens(state)) for state in triple)

    found = everywhere(Pick.OURS, *triple, budget=budget)

    twice, result = (here & there) - base, set(tokens(found.value))
    was, now = was_and_now(found, Side.THEIRS)
    assert result - here == now - was - twice
    assert here - result - twice == was - now - twice


@lawful
@given(of_tokens(has_lists=False))
def test_of_objects_the_difference_to_ours_is_their_changes(triple: Triple) -> None:
    _, ours, _ = triple

    found = everywhere(Pick.OURS, *triple)

    assert Counter(
        (one.pointer, one.kind, written(one.before), written(one.after))
        for one in compare(ours, found.value)
    ) == Counter(
        (one.pointer, one.kind, written(one.before), written(one.after))
        for one in found.changes
        if one.side is Side.THEIRS
    )


@lawful
@given(of_tokens())
def test_without_conflicts_their_changes_on_ours_are_our_changes_on_theirs(
    triple: Triple,
) -> None:
    base, ours, theirs = triple

    found = merge(base, ours, theirs)

    if found.is_complete:
        assert set(tokens(found.value)) == (
            set(tokens(ours)) & set(tokens(theirs))
            | (set(tokens(ours)) ^ set(tokens(theirs))) - set(tokens(base))
        )


@lawful
@given(st.one_of(anything, of_tokens()), budgets)
def test_a_choice_never_applies_to_another_conflict(
    triple: Triple, budget: int
) -> None:
    base, ours, theirs = triple
    known: dict[str, tuple[Any, ...]] = {}

    for sides in ((base, ours, theirs), (base, theirs, ours), (ours, base, theirs)):
        found = merge(*sides, budget=budget).conflicts
        assert len({one.id for one in found}) == len(found)
        for one in found:
            values = map(written, (one.base, one.ours, one.theirs))
            mine = (one.kind, one.pointer, one.length, *values)
            assert known.setdefault(one.id, mine) == mine


@lawful
@given(anything, st.integers(0, 8))
def test_a_small_budget_makes_fewer_and_larger_conflicts(
    triple: Triple, budget: int
) -> None:
    found = merge(*triple, budget=budget)

    assert len(found.conflicts) <= budget + 1
    if merge(*triple).conflicts == ():
        assert all(
            one.pointer in found.coarse or one.kind in (Clash.VALUE, Clash.WINDOW)
            for one in found.conflicts
        )
    if found.is_complete and not found.conflicts:
        assert same(found.value, merge(*triple).value) or found.coarse
