"""Choices that do not fit are refused; large, deep and hostile states stay bounded."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from apps.core.json import MAX_DEPTH, MAX_REQUEST_DEPTH
from apps.diffs import lists
from apps.diffs.changes import MISSING, Kind
from apps.diffs.compare import BUDGET
from apps.diffs.merging import (
    Choice,
    ChoiceRefused,
    Clash,
    Merge,
    Pick,
    Side,
    merge,
)

VALUES = {"a": 1, "b": 1}, {"a": 2, "b": 2}, {"a": 3, "b": 3}
CHAT = ["hello"], ["hello", "x"], ["hello", "y"]
PLAN: Any = tuple([{"id": one} for one in order] for order in ("abc", "cba", "bca"))


def refusal(triple: tuple[Any, Any, Any], *choices: Choice) -> ChoiceRefused:
    ids = [one.id for one in merge(*triple).conflicts]
    with pytest.raises(ChoiceRefused) as refused:
        merge(*triple, choices=dict(zip(ids, choices, strict=False)))
    return refused.value


def test_a_choice_for_an_unknown_conflict_is_refused_with_the_ones_there_are() -> None:
    with pytest.raises(ChoiceRefused, match="no such conflict") as refused:
        merge(*VALUES, choices={"0" * 32: Choice(Pick.OURS)})

    assert refused.value.conflict_id == "0" * 32
    assert refused.value.conflict is None
    assert [one.pointer for one in refused.value.conflicts] == ["/a", "/b"]


@pytest.mark.parametrize("changed", [0, 1, 2])
def test_a_conflict_of_which_any_value_changed_is_another_one(changed: int) -> None:
    known, _ = merge(*VALUES).conflicts
    sides = [dict(state) for state in VALUES]
    sides[changed]["a"] = 9

    with pytest.raises(ChoiceRefused) as refused:
        merge(*sides, choices={known.id: Choice(Pick.OURS)})

    assert refused.value.conflict_id == known.id


def test_a_choice_holds_while_its_own_conflict_is_the_same() -> None:
    known, _ = merge(*VALUES).conflicts
    base, ours, theirs = VALUES

    found = merge(
        base | {"c": 1},
        ours | {"b": 5, "c": 1},
        theirs,
        choices={known.id: Choice(Pick.THEIRS)},
    )

    assert [one.pointer for one in found.unchosen] == ["/b"]


def test_the_same_values_elsewhere_are_another_conflict() -> None:
    first, second = merge(*VALUES).conflicts

    assert first.id != second.id


@pytest.mark.parametrize("pick", [Pick.OURS_THEIRS, Pick.THEIRS_OURS])
def test_two_values_cannot_be_joined(pick: Pick) -> None:
    refused = refusal(VALUES, Choice(pick))

    assert refused.conflict is not None
    assert refused.conflict.pointer == "/a"
    assert str(refused) == (
        f"`{pick}` does not fit this conflict: choose one of ours, theirs, base, value."
    )
    assert len(refused.conflicts) == 2


@pytest.mark.parametrize("choice", [Choice(Pick.VALUE), Choice(Pick.OURS, 5)])
def test_a_value_goes_with_the_choice_of_that_name(choice: Choice) -> None:
    assert "goes with the choice `value`" in str(refusal(VALUES, choice))


@pytest.mark.parametrize("value", [None, {}, "x", 1])
def test_for_a_stretch_of_a_list_items_are_chosen(value: Any) -> None:
    assert "a list of items" in str(refusal(CHAT, Choice(Pick.VALUE, value)))


@pytest.mark.parametrize(
    "value", [None, "cba", ["a", "b"], [*"abcc"], [*"abcx"], [["a"], "b", "c"], [True]]
)
def test_for_an_order_all_keys_are_chosen(value: Any) -> None:
    assert str(refusal(PLAN, Choice(Pick.VALUE, value))).startswith("An order ")


def test_one_choice_of_two_leaves_the_other_open() -> None:
    first, second = merge(*VALUES).conflicts

    found = merge(*VALUES, choices={first.id: Choice(Pick.OURS)})

    assert (found.value, found.is_complete) == (MISSING, False)
    assert found.unchosen == (second,)


class TestBudget:
    BASE = {str(n): n for n in range(20)}
    OURS = {key: n + 100 for key, n in BASE.items()}
    THEIRS = BASE | {"3": 0, "new": 1}

    def test_an_object_beyond_it_is_one_conflict(self) -> None:
        found = merge(self.BASE, self.OURS, self.THEIRS, budget=20)

        assert [(one.kind, one.pointer) for one in found.conflicts] == [
            (Clash.VALUE, "")
        ]
        assert found.coarse == ("",)
        assert found.changes == ()

    def test_within_it_each_value_is_told(self) -> None:
        found = merge(self.BASE, self.OURS, self.THEIRS, budget=21)

        assert [one.pointer for one in found.conflicts] == ["/3"]
        assert found.sides() == {Side.OURS: 19, Side.THEIRS: 1}

    def test_a_list_beyond_it_is_one_conflict(self) -> None:
        base = list(range(20))

        found = merge(base, base[5:], [*base, 20], budget=5)

        assert [(one.kind, one.pointer) for one in found.conflicts] == [
            (Clash.WINDOW, "")
        ]

    def test_its_neighbours_keep_their_detail(self) -> None:
        found = merge(
            {"many": self.BASE, "one": 1},
            {"many": self.OURS, "one": 2},
            {"many": self.THEIRS, "one": 3},
            budget=10,
        )

        assert [one.pointer for one in found.conflicts] == ["/many", "/one"]

    def test_what_one_side_changed_beyond_it_is_taken_and_told_whole(self) -> None:
        found = merge(
            {"many": self.BASE, "one": 1},
            {"many": self.OURS, "one": 1},
            {"many": self.BASE, "one": 2},
            budget=10,
        )

        assert found.value == {"many": self.OURS, "one": 2}
        assert found.coarse == ("/many",)
        assert [(one.side, one.kind, one.pointer) for one in found.changes] == [
            (Side.OURS, Kind.CHANGED, "/many"),
            (Side.THEIRS, Kind.CHANGED, "/one"),
        ]

    def test_a_window_too_long_to_be_aligned_is_one_conflict(self) -> None:
        base = list(range(lists.LONGEST_WINDOW))

        found = merge(base, [-1, *base, -2], [-3, *base, -4])

        assert [one.kind for one in found.conflicts] == [Clash.WINDOW]

    def test_below_a_very_long_key_not_every_change_repeats_it(self) -> None:
        key = "k" * 1_000_000
        sides = [{key: {str(n): side for n in range(5_000)}} for side in range(3)]

        found = merge(*sides)

        assert [len(one.pointer) for one in found.conflicts] == [1_000_001]

        found = merge({"x": 1, **sides[0]}, {"x": 1, **sides[1]}, {"x": 2, **sides[0]})
        assert sum(len(one.pointer) for one in found.changes) < 5_000_000

    def test_no_more_than_the_budget_is_told(self) -> None:
        base = [{"id": n, "a": 0, "b": 0} for n in range(3 * BUDGET)]

        found = merge(
            base,
            [item | {"a": 1} for item in base],
            [item | {"b": 1} for item in base],
        )

        assert len(found.conflicts) == 1


NESTED: dict[str, Callable[[Any], Any]] = {
    "objects": lambda inner: {"in": inner},
    "lists": lambda inner: [inner],
    "keyed lists": lambda inner: [{"id": 1, "in": inner}],
}
# Of Python's 1,000 frames, what the server, the framework and pytest may be using.
FRAMES_BELOW = 350


def nested(levels: int, leaf: Any, kind: str) -> Any:
    per_layer = 2 if kind == "keyed lists" else 1
    for _ in range(levels // per_layer):
        leaf = NESTED[kind](leaf)
    return leaf


def far_up(merging: Callable[[], Merge], frames: int = FRAMES_BELOW) -> Merge:
    """Merge in a call that so many other calls led to."""
    return far_up(merging, frames - 1) if frames else merging()


@pytest.mark.parametrize("kind", NESTED)
@pytest.mark.parametrize("levels", [MAX_DEPTH, MAX_REQUEST_DEPTH])
def test_the_deepest_states_merge_far_up_in_a_request(levels: int, kind: str) -> None:
    def state(**leaf: int) -> Any:
        return nested(levels, {"a": 0, "b": 0, "c": 0} | leaf, kind)

    base, ours, theirs = state(), state(a=1, b=2), state(c=1, b=3)
    assert sys.getrecursionlimit() <= 1000

    found = far_up(lambda: merge(base, ours, theirs))

    (conflict,) = found.conflicts
    assert conflict.pointer.endswith("/b")
    choices = {conflict.id: Choice(Pick.VALUE, 4)}
    chosen = far_up(lambda: merge(base, ours, theirs, choices=choices))
    assert chosen.value == state(a=1, b=4, c=1)


@pytest.mark.parametrize("kind", NESTED)
def test_the_deepest_states_that_one_side_changed_merge(kind: str) -> None:
    deep = [nested(MAX_DEPTH, leaf, kind) for leaf in range(2)]

    found = far_up(lambda: merge([deep[0], 1], [deep[1], 1], [deep[0], 2]))

    assert found.value == [deep[1], 2]


HOSTILE = {
    "one item over and over": [
        ["x"] * 9_000,
        ["y", *["x"] * 9_000],
        [*["x"] * 8_999, "z"],
    ],
    "nothing alike": [
        list(range(6_000)),
        [f"o{n}" for n in range(5_000)],
        [f"t{n}" for n in range(7_000)],
    ],
    "every other one": [
        list(range(9_000)),
        [n if n % 2 else -n for n in range(9_000)],
        [n if n % 3 else -n for n in range(9_000)],
    ],
    "insertions everywhere": [
        list(range(3_000)),
        [each for n in range(3_000) for each in (n, f"o{n}")],
        [each for n in range(3_000) for each in (n, f"t{n}")],
    ],
    "removals everywhere": [
        list(range(9_000)),
        list(range(0, 9_000, 2)),
        list(range(0, 9_000, 3)),
    ],
    "turned around": [
        [{"id": n} for n in range(4_000)],
        [{"id": n} for n in reversed(range(4_000))],
        [{"id": n} for n in range(1, 4_001)],
    ],
}


@pytest.mark.parametrize("states", HOSTILE.values(), ids=HOSTILE)
def test_lists_made_to_be_slow_are_merged_in_time(states: list[Any]) -> None:
    began = time.process_time()

    found = merge(*states)

    assert time.process_time() - began < 5
    ours = {one.id: Choice(Pick.OURS) for one in found.conflicts}
    assert json.dumps(merge(*states, choices=ours).value)
