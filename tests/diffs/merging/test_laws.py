"""What a merge always holds to, whatever was merged.

Drawing a state takes longer than to merge it, so each that was drawn is held to every
law. What fails is named by the function in which it fails.
"""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from apps.diffs import pointers
from apps.diffs.changes import MISSING, Kind
from apps.diffs.compare import compare
from apps.diffs.equality import same
from apps.diffs.merging import Choice, Clash, Conflict, Merge, Pick, Side, merge
from tests.diffs.merging.triples import Triple, anything, lawful, of_tokens, tokens

WITHOUT_END = 10_000
PICKS = Pick.OURS, Pick.THEIRS, Pick.BASE
budgets = st.one_of(st.just(WITHOUT_END), st.just(WITHOUT_END), st.integers(0, 8))


@dataclass(frozen=True)
class Case:
    """Three states, a budget, and how they merge."""

    triple: Triple
    budget: int = WITHOUT_END

    @cached_property
    def found(self) -> Merge:
        return self.merged(*self.triple)

    @cached_property
    def chosen(self) -> dict[Pick, Merge]:
        """What they merge to when one thing is chosen everywhere."""
        return self.everywhere(self.found, self.triple)

    @cached_property
    def had(self) -> tuple[set[str], set[str], set[str]]:
        base, ours, theirs = (set(tokens(state)) for state in self.triple)
        return base, ours, theirs

    def merged(self, *triple: Any, **given: Any) -> Merge:
        return merge(*triple, budget=self.budget, **given)

    def everywhere(self, found: Merge, triple: Triple) -> dict[Pick, Merge]:
        if not found.conflicts:
            return dict.fromkeys(PICKS, found)
        return {
            pick: self.merged(
                *triple, choices={one.id: Choice(pick) for one in found.conflicts}
            )
            for pick in PICKS
        }


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


def what_one_side_left_alone_is_what_the_other_made(case: Case) -> None:
    base, side, _ = case.triple
    again = copy.deepcopy(base)

    for found in (case.merged(base, side, again), case.merged(base, again, side)):
        assert found.is_complete
        assert found.conflicts == ()
        assert json.dumps(found.value) == json.dumps(side) or same(base, side)


def the_same_on_both_sides_is_no_conflict(case: Case) -> None:
    base, ours, _ = case.triple

    found = case.merged(base, ours, copy.deepcopy(ours))

    assert found.conflicts == ()
    assert written(found.value) == written(ours)
    assert set(found.sides()) <= {Side.BOTH}


def sides_swapped_the_value_is_the_same_and_conflicts_are_swapped(case: Case) -> None:
    base, ours, theirs = case.triple
    turned = base, theirs, ours

    swapped = case.merged(*turned)

    assert written(case.found.value) == written(swapped.value)
    assert Counter(
        (stood(one), written(one.base), written(one.ours), written(one.theirs))
        for one in case.found.conflicts
    ) == Counter(
        (stood(one), written(one.base), written(one.theirs), written(one.ours))
        for one in swapped.conflicts
    )
    there = case.everywhere(swapped, turned)
    for pick, other in zip(PICKS, (Pick.THEIRS, Pick.OURS, Pick.BASE), strict=True):
        assert written(case.chosen[pick].value) == written(there[other].value)


def it_says_the_same_of_the_same(case: Case) -> None:
    found, other = case.found, case.merged(*json.loads(json.dumps(case.triple)))

    assert found.conflicts == other.conflicts
    assert found.changes == other.changes
    assert written(found.value) == written(other.value)


def what_was_chosen_changes_no_conflict(case: Case) -> None:
    found = case.found

    for chosen in case.chosen.values():
        assert chosen.conflicts == found.conflicts
        assert chosen.changes == found.changes
        assert chosen.unchosen == ()
    assert found.unchosen == found.conflicts


def pointers_hold_what_the_base_had(case: Case) -> None:
    base, *_ = case.triple

    for change in case.found.changes:
        if change.before is not MISSING:
            assert same(pointers.resolve(base, change.pointer), change.before)
    for conflict in case.found.conflicts:
        if conflict.length is not None:
            *way, at = pointers.split(conflict.pointer)
            items = pointers.resolve(base, pointers.join(way))
            stretch = items[int(at) : int(at) + conflict.length]
            assert same(stretch, conflict.base)
        elif conflict.kind is not Clash.ORDER and conflict.base is not MISSING:
            assert same(pointers.resolve(base, conflict.pointer), conflict.base)


def a_choice_never_applies_to_another_conflict(case: Case) -> None:
    base, ours, theirs = case.triple
    known: dict[str, tuple[Any, ...]] = {}

    for found in (
        case.found,
        case.merged(base, theirs, ours),
        case.merged(ours, base, theirs),
    ):
        assert len({one.id for one in found.conflicts}) == len(found.conflicts)
        for one in found.conflicts:
            values = map(written, (one.base, one.ours, one.theirs))
            mine = (one.kind, one.pointer, one.length, *values)
            assert known.setdefault(one.id, mine) == mine


def a_small_budget_makes_fewer_and_larger_conflicts(case: Case) -> None:
    found = case.found
    if case.budget == WITHOUT_END:
        return
    without_end = merge(*case.triple)

    assert len(found.conflicts) <= case.budget + 1
    if without_end.conflicts == ():
        assert all(
            one.pointer in found.coarse or one.kind in (Clash.VALUE, Clash.WINDOW)
            for one in found.conflicts
        )
    if found.is_complete:
        assert same(found.value, without_end.value) or found.coarse


def nothing_is_lost_unmentioned(case: Case) -> None:
    base, *sides = case.had
    disputed = in_conflicts(case.found)

    for chosen in case.chosen.values():
        result = set(tokens(chosen.value))
        for side in sides:
            assert side - base <= result | disputed
            assert (base - side) & result <= disputed
        assert base & sides[0] & sides[1] <= result | disputed
        assert result <= base | sides[0] | sides[1]


def nothing_comes_twice(case: Case) -> None:
    base, ours, theirs = case.had
    # What both put in, at different places of a list without keys, is not one thing.
    twice = (ours & theirs) - base

    for pick in (Pick.OURS, Pick.THEIRS):
        result = tokens(case.chosen[pick].value)
        counted = Counter(one for one in result if one not in twice)
        assert max(counted.values(), default=1) == 1


def choosing_one_side_everywhere_keeps_every_change_of_the_other(case: Case) -> None:
    for pick, other in ((Pick.OURS, Side.THEIRS), (Pick.THEIRS, Side.OURS)):
        result = set(tokens(case.chosen[pick].value))
        was, now = was_and_now(case.found, other, Side.BOTH)
        assert now - was <= result
        assert not (was - now) & result


def beside_ours_the_result_has_exactly_their_changes(case: Case) -> None:
    base, here, there = case.had

    twice, result = (here & there) - base, set(tokens(case.chosen[Pick.OURS].value))
    was, now = was_and_now(case.found, Side.THEIRS)
    assert result - here == now - was - twice
    assert here - result - twice == was - now - twice


def without_conflicts_their_changes_on_ours_are_our_changes_on_theirs(
    case: Case,
) -> None:
    base, ours, theirs = case.had

    if case.found.is_complete:
        result = set(tokens(case.found.value))
        assert result == ours & theirs | (ours ^ theirs) - base


def of_objects_the_difference_to_ours_is_their_changes(case: Case) -> None:
    _, ours, _ = case.triple

    assert Counter(
        (one.pointer, one.kind, written(one.before), written(one.after))
        for one in compare(ours, case.chosen[Pick.OURS].value)
    ) == Counter(
        (one.pointer, one.kind, written(one.before), written(one.after))
        for one in case.found.changes
        if one.side is Side.THEIRS
    )


OF_ANYTHING = (
    what_one_side_left_alone_is_what_the_other_made,
    the_same_on_both_sides_is_no_conflict,
    sides_swapped_the_value_is_the_same_and_conflicts_are_swapped,
    it_says_the_same_of_the_same,
    what_was_chosen_changes_no_conflict,
    pointers_hold_what_the_base_had,
    a_choice_never_applies_to_another_conflict,
    a_small_budget_makes_fewer_and_larger_conflicts,
)
OF_TOKENS = (
    nothing_is_lost_unmentioned,
    nothing_comes_twice,
    choosing_one_side_everywhere_keeps_every_change_of_the_other,
    beside_ours_the_result_has_exactly_their_changes,
    without_conflicts_their_changes_on_ours_are_our_changes_on_theirs,
)


def held_to(laws: tuple[Callable[[Case], None], ...], case: Case) -> None:
    """Hold one case to laws, and merging to leaving alone what it merges."""
    was = json.dumps(case.triple)
    for law in laws:
        law(case)
    assert json.dumps(case.triple) == was


@lawful
@given(anything, budgets)
def test_merges_of_anything_keep_the_laws(triple: Triple, budget: int) -> None:
    held_to(OF_ANYTHING, Case(triple, budget))


@lawful
@given(of_tokens(), budgets)
def test_merges_of_what_occurs_once_keep_the_laws(triple: Triple, budget: int) -> None:
    held_to(OF_ANYTHING + OF_TOKENS, Case(triple, budget))


@lawful
@given(of_tokens(has_lists=False))
def test_merges_of_objects_alone_keep_the_laws(triple: Triple) -> None:
    held_to((of_objects_the_difference_to_ours_is_their_changes,), Case(triple))
