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

from django.db import models

from apps.core import json
from apps.diffs import compare
from apps.timeline.stepping.steps import Group, Step

EQUAL, DIFFERENT = "=", "≠"
ALIKE = "≈"
ONLY_LEFT, ONLY_RIGHT = "only left", "only right"
# Arguments are told of by a place; where there are so many, by none.
MOST_PLACES = 1_000
T = TypeVar("T")


class DifferenceKind(models.TextChoices):
    """In what two steps differ, what weighs most first."""

    ACTION = "action"
    ARGUMENTS = "arguments"
    STATE = "state"


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One line: a turn, or a step; a side is None where it has no such thing."""

    mark: str
    turn: int | None = None
    said: tuple[str | None, str | None] = (None, None)
    left: Step | None = None
    right: Step | None = None

    @property
    def kind(self) -> DifferenceKind | None:
        """In what the sides differ; None for turns, and for what is alike.

        Another tool, or an act such as a rollback, on one side alone, is another
        action; the same tool called with something else differs in its arguments.
        """
        if self.turn is not None or self.mark in (EQUAL, ALIKE):
            return None
        there = [step for step in (self.left, self.right) if step is not None]
        if all(step.writes for step in there):
            return DifferenceKind.STATE
        if len(there) == 1 or there[0].action != there[1].action:
            return DifferenceKind.ACTION
        return DifferenceKind.ARGUMENTS if there[0].call else DifferenceKind.STATE

    @property
    def place(self) -> str | None:
        """Where arguments, or what versions set, first differ; None for all of it."""
        if self.kind == DifferenceKind.STATE:
            return self._first_set
        if (
            self.kind != DifferenceKind.ARGUMENTS
            or self.left is None
            or self.right is None
        ):
            return None
        sides = [one.does[-1].encode() for one in (self.left, self.right)]
        if not all(sides):
            return None
        found = compare.compare(*map(json.parse_written, sides), budget=MOST_PLACES)
        pointer = found.changes[0].pointer if found.changes else ""
        return pointer or None

    @property
    def _first_set(self) -> str | None:
        """The first place that one side left otherwise, as far as was kept."""
        sides = [one.sets if one else () for one in (self.left, self.right)]
        both = set(sides[0]) & set(sides[1])
        told = [set_ for side in sides for set_ in side if set_ not in both]
        return (told[0][0] or None) if told else None


@dataclass(frozen=True, kw_only=True, slots=True)
class First:
    """The first step in which the sides differ in one way."""

    kind: DifferenceKind
    row: Row


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


def firsts(rows: Sequence[Row]) -> list[First]:
    """Return the first difference in action, in arguments, in state: what there is."""
    found = {kind: _first_of(kind, rows) for kind in DifferenceKind}
    return [First(kind=kind, row=row) for kind, row in found.items() if row]


def _first_of(kind: DifferenceKind, rows: Sequence[Row]) -> Row | None:
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
