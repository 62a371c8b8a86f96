"""Name the places of a state that a check looks at.

Only a version that touched one of them can turn the check, so a search through a
history needs to look at no other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from apps.checks.model import (
    All,
    AnyOf,
    Check,
    Compared,
    Each,
    Literal,
    Not,
    Operand,
    Place,
    Root,
)


def pointers_of(check: Check) -> tuple[str, ...]:
    """Return JSON pointers into the state, sorted; what is in a list, by the list."""
    named = {place.pointer for place in _places(check) if place.root is not Root.ITEM}
    return tuple(sorted(named))


def names_before(check: Check) -> bool:
    """Return whether it looks at the version before, so that the next can turn it."""
    return any(place.root is Root.WAS for place in _places(check))


def _places(check: Check) -> Iterator[Place]:
    if isinstance(check, (All, AnyOf)):
        for one in check.checks:
            yield from _places(one)
    elif isinstance(check, Not):
        yield from _places(check.check)
    elif isinstance(check, Each):
        yield check.place
        yield from _places(check.check)
    elif isinstance(check, Compared):
        yield from _of_operand(check.left)
        yield from _of_operand(check.right)
    else:
        yield check.place


def _of_operand(operand: Operand) -> Iterator[Any]:
    if isinstance(operand, Place):
        yield operand
    elif not isinstance(operand, Literal):
        yield operand.place
