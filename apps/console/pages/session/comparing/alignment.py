"""The steps of two sessions as rows: by the customer's turn, then step by step. Pure.

Turns and steps that are alike stand beside each other; between them those that do the
same with something else; then all others, in their order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import TypeVar

from apps.console.pages.session.comparing.steps import Group, Step
from apps.core import json
from apps.diffs import compare
from apps.diffs.text import shorten, visible

EQUAL, DIFFERENT = "=", "≠"
ALIKE = "≈"
ONLY_LEFT, ONLY_RIGHT = "only left", "only right"
WORDS = {
    EQUAL: "the same on both sides",
    ALIKE: "alike, as far as what was kept of the changes tells",
    DIFFERENT: "different",
    ONLY_LEFT: "only on the left",
    ONLY_RIGHT: "only on the right",
}
# In what two steps differ, from what weighs most.
ACTION, ARGUMENTS, STATE = "action", "arguments", "state"
KINDS = (ACTION, ARGUMENTS, STATE)
# Arguments are told of by a place; where there are so many, by none.
MOST_PLACES = 1_000
LONGEST_PLACE = 120
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One line: a turn, or a step; a side is None where it has no such thing."""

    mark: str
    turn: int | None = None
    said: tuple[str | None, str | None] = (None, None)
    left: Step | None = None
    right: Step | None = None

    @property
    def words(self) -> str:
        return WORDS[self.mark]

    @property
    def kind(self) -> str | None:
        """In what the sides differ; None for turns, and for what is alike.

        Another tool, or an act such as a rollback, on one side alone, is another
        action; the same tool called with something else differs in its arguments.
        """
        if self.turn is not None or self.mark in (EQUAL, ALIKE):
            return None
        there = [step for step in (self.left, self.right) if step is not None]
        if all(step.writes for step in there):
            return STATE
        if len(there) == 1 or there[0].action != there[1].action:
            return ACTION
        return ARGUMENTS if there[0].call else STATE

    @property
    def place(self) -> str | None:
        """Where the arguments of both sides begin to differ, None for all of them."""
        if self.kind != ARGUMENTS or self.left is None or self.right is None:
            return None
        sides = [one.does[-1].encode() for one in (self.left, self.right)]
        if not all(sides):
            return None
        found = compare.compare(*map(json.parse_written, sides), budget=MOST_PLACES)
        pointer = found.changes[0].pointer if found.changes else ""
        return visible(shorten(pointer, LONGEST_PLACE)) or None


@dataclass(frozen=True, kw_only=True, slots=True)
class First:
    """The first step in which the sides differ in one way."""

    kind: str
    row: Row

    @property
    def anchor(self) -> str:
        return f"first-{self.kind}"


def aligned(left: Sequence[Group], right: Sequence[Group]) -> list[Row]:
    """Return the rows of both sides."""
    rows: list[Row] = []
    turn = 0
    keys = [one.key for one in left], [one.key for one in right]
    for one, other in _pairs(left, right, *keys):
        if any(side is not None and side.said is not None for side in (one, other)):
            turn += 1
            rows.append(_turn(turn, one, other))
        rows += _steps(one, other)
    return rows


def first_difference(rows: Sequence[Row]) -> Row | None:
    """Return the first step in which the sides are not alike."""
    return next(
        (row for row in rows if row.turn is None and row.mark not in (EQUAL, ALIKE)),
        None,
    )


def firsts(rows: Sequence[Row]) -> list[First]:
    """Return the first difference in action, in arguments, in state: what there is."""
    found = {kind: _first_of(kind, rows) for kind in KINDS}
    return [First(kind=kind, row=row) for kind, row in found.items() if row]


def _first_of(kind: str, rows: Sequence[Row]) -> Row | None:
    return next((row for row in rows if row.kind == kind), None)


def _turn(number: int, one: Group | None, other: Group | None) -> Row:
    said = (one.said if one else None, other.said if other else None)
    mark = _mark(said[0] is not None, said[1] is not None, is_same=said[0] == said[1])
    return Row(mark=mark, turn=number, said=said)


def _steps(one: Group | None, other: Group | None) -> Iterator[Row]:
    left, right = one.steps if one else [], other.steps if other else []
    for mine, theirs in _beside(left, right):
        is_same = bool(mine and theirs and mine.does == theirs.does)
        mark = _mark(mine is not None, theirs is not None, is_same=is_same)
        if is_same and mine and theirs and not (mine.is_whole and theirs.is_whole):
            mark = ALIKE
        yield Row(mark=mark, left=mine, right=theirs)


def _beside(
    left: Sequence[Step], right: Sequence[Step]
) -> Iterator[tuple[Step | None, Step | None]]:
    """Pair steps that are the same; between these, those of the same action."""
    keys = [step.does for step in left], [step.does for step in right]
    matcher = SequenceMatcher(None, *keys, autojunk=False)
    for what, i, j, k, m in matcher.get_opcodes():
        if what == "equal":
            yield from zip(left[i:j], right[k:m], strict=True)
            continue
        mine, theirs = left[i:j], right[k:m]
        actions = [step.action for step in mine], [step.action for step in theirs]
        yield from _pairs(mine, theirs, *actions)


def _mark(is_left: bool, is_right: bool, *, is_same: bool) -> str:
    if not is_right:
        return ONLY_LEFT
    if not is_left:
        return ONLY_RIGHT
    return EQUAL if is_same else DIFFERENT


def _pairs(
    left: Sequence[T],
    right: Sequence[T],
    one: Sequence[object],
    other: Sequence[object],
) -> Iterator[tuple[T | None, T | None]]:
    """Pair what has the same key; what lies between in its order, then what is left."""
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    for _, i, j, k, m in matcher.get_opcodes():
        yield from zip_longest(left[i:j], right[k:m])
