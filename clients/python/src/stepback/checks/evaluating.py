# Written by make_sync.py from apps/checks/evaluating.py: do not edit.
"""Evaluate a check on a state, within a budget of looks.

A look is one value, one token of a pointer, or 4,096 characters of text: about a
microsecond. What would take more is undecided as a whole. What is missing, or of
another type than a test is about, fails that test, and `NOT` of it holds.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from stepback.checks.model import (
    All,
    AnyOf,
    Check,
    Compared,
    Comparison,
    Contains,
    Each,
    HasFormat,
    HasType,
    Literal,
    Not,
    OneOf,
    Operand,
    Place,
    Root,
    Size,
    Sum,
    There,
    Unique,
)
from stepback.checks.pointers import split, step
from stepback.checks.values import (
    TEXT_PER_LOOK,
    Number,
    has_format,
    has_type,
    key_of,
    number_of,
)

APPEND_LOOKS = 50_000
LOOKS = 1_000_000
# Adding fractions exactly takes a few microseconds.
SUM_LOOKS = 4


class _Missing:
    """What stands at a place where nothing is; equal to nothing, itself included."""


MISSING: Final = _Missing()


class Outcome(StrEnum):
    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a check, and how many looks it took."""

    outcome: Outcome
    looks: int


def evaluate(
    check: Check, state: Any, *, before: Any = MISSING, looks: int = LOOKS
) -> Verdict:
    """Return whether the check holds for a state.

    `before` is the state of the version before, which `was.…` means; a version
    without one has nothing there.
    """
    evaluation = _Evaluation({Root.STATE: state, Root.WAS: before}, looks)
    try:
        found = evaluation.holds(check)
    except _Exhausted:
        return Verdict(Outcome.UNDECIDED, looks)
    return Verdict(Outcome.HOLDS if found else Outcome.FAILS, evaluation.taken)


class _Exhausted(Exception):
    """Stop: the looks are used up."""


class _Evaluation:
    """One run of a check: what its roots stand for, and the looks it took."""

    def __init__(self, roots: dict[Root, Any], looks: int) -> None:
        self._roots = roots
        self._looks = looks
        self.taken = 0

    def take(self, looks: int) -> None:
        """Raises: _Exhausted."""
        self.taken += looks
        if self.taken > self._looks:
            raise _Exhausted

    def holds(self, check: Check) -> bool:
        return _TESTS[type(check)](self, check)

    def at(self, place: Place) -> Any:
        """Return what stands at a place, MISSING where nothing does."""
        return self._below(self._roots.get(place.root, MISSING), place.pointer)

    def _below(self, value: Any, pointer: str) -> Any:
        tokens = split(pointer)
        self.take(1 + len(tokens))
        try:
            for token in tokens:
                value = step(value, token)
        except KeyError:
            return MISSING
        return value

    def value_of(self, operand: Operand) -> Any:
        """Return an operand's value, MISSING where it has none."""
        if isinstance(operand, Literal):
            return operand.value
        if isinstance(operand, Place):
            return self.at(operand)
        if isinstance(operand, Size):
            found = self.at(operand.place)
            return len(found) if isinstance(found, (list, dict, str)) else MISSING
        return self._sum(operand)

    def _sum(self, operand: Sum) -> Any:
        """Return what a list's numbers come to, 0 for none, MISSING for no numbers."""
        items = self.items(operand.place, operand.of)
        if items is None:
            return MISSING
        self.take(SUM_LOOKS * len(items))
        numbers = [number_of(item) for item in items]
        return MISSING if None in numbers else sum(numbers)

    def items(self, place: Place, of: Place | None) -> list[Any] | None:
        """Return a list's items, or what stands at one place of each; None for none."""
        found = self.at(place)
        if not isinstance(found, list):
            return None
        self.take(len(found))
        return [self._below(item, of.pointer) for item in found] if of else found

    def compared(self, check: Compared) -> bool:
        left, right = self.value_of(check.left), self.value_of(check.right)
        if left is MISSING or right is MISSING:
            return False
        if check.comparison is Comparison.EQUAL:
            return bool(self.key(left) == self.key(right))
        one, other = _ordered(left), _ordered(right)
        if (
            one is None
            or other is None
            or isinstance(one, str) != isinstance(other, str)
        ):
            return False
        return _ORDERS[check.comparison](one, other)

    def key(self, value: Any) -> Hashable:
        return key_of(value, self.take)

    def each(self, check: Each) -> bool:
        items = self.items(check.place, None)
        if items is None:
            return False
        outer = self._roots.get(Root.ITEM, MISSING)
        try:
            return all(self._holds_for(item, check.check) for item in items)
        finally:
            self._roots[Root.ITEM] = outer

    def _holds_for(self, item: Any, check: Check) -> bool:
        self._roots[Root.ITEM] = item
        return self.holds(check)

    def contains(self, check: Contains) -> bool:
        found = self.at(check.place)
        if isinstance(found, str) and isinstance(check.value, str):
            self.take(len(found) // TEXT_PER_LOOK)
            return check.value in found
        if not isinstance(found, list):
            return False
        wanted = self.key(check.value)
        return any(self.key(item) == wanted for item in found)

    def one_of(self, check: OneOf) -> bool:
        found = self.at(check.place)
        if found is MISSING or isinstance(found, (list, dict)):
            return False
        key = self.key(found)
        return any(self.key(value) == key for value in check.values)

    def unique(self, check: Unique) -> bool:
        """Decide whether all items differ; an item without the place fails it."""
        items = self.items(check.place, check.of)
        if items is None or any(item is MISSING for item in items):
            return False
        return len({self.key(item) for item in items}) == len(items)


def _ordered(value: Any) -> str | Number | None:
    """Return what orders a number or a text, None for what has no order."""
    return value if isinstance(value, str) else number_of(value)


_ORDERS: dict[Comparison, Callable[[Any, Any], bool]] = {
    Comparison.LESS: operator.lt,
    Comparison.AT_MOST: operator.le,
    Comparison.MORE: operator.gt,
    Comparison.AT_LEAST: operator.ge,
}
_TESTS: dict[type, Callable[[_Evaluation, Any], bool]] = {
    All: lambda run, check: all(map(run.holds, check.checks)),
    AnyOf: lambda run, check: any(map(run.holds, check.checks)),
    Not: lambda run, check: not run.holds(check.check),
    Each: _Evaluation.each,
    Compared: _Evaluation.compared,
    There: lambda run, check: run.at(check.place) is not MISSING,
    HasType: lambda run, check: has_type(run.at(check.place), check.type),
    HasFormat: lambda run, check: has_format(run.at(check.place), check.format),
    OneOf: _Evaluation.one_of,
    Contains: _Evaluation.contains,
    Unique: _Evaluation.unique,
}
