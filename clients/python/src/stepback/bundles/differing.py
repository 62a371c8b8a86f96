"""The first place at which two JSON values differ, and ids that any run has anew."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from stepback.checks.pointers import escape

_NOTHING = object()
_DRAWN = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def first_difference(one: Any, other: Any, at: str = "") -> tuple[str, Any, Any] | None:
    """Return pointer and both values; what is not there reads as None.

    Objects are compared by name, lists by place; 1 equals 1.0, and true no number.
    """
    for below, left, right in _pairs(one, other):
        found = (
            (at + below, left, right)
            if left is _NOTHING or right is _NOTHING
            else first_difference(left, right, at + below)
        )
        if found is not None:
            pointer, *sides = found
            was, now = (None if side is _NOTHING else side for side in sides)
            return pointer, was, now
    return None if _are_alike(one, other) else (at, one, other)


def _pairs(one: Any, other: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield what stands at the same places of two objects, or of two lists."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in [*one, *(name for name in other if name not in one)]:
            sides = one.get(name, _NOTHING), other.get(name, _NOTHING)
            yield f"/{escape(name)}", *sides
    elif isinstance(one, list) and isinstance(other, list):
        both = zip_longest(one, other, fillvalue=_NOTHING)
        for place, (left, right) in enumerate(both):
            yield f"/{place}", left, right


def _are_alike(one: Any, other: Any) -> bool:
    """Whether two values without pairs are the same; containers had theirs compared."""
    if isinstance(one, dict | list):
        return type(one) is type(other)
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def with_ids_of(recorded: Any, now: Any) -> Any:
    """Return a value with the recorded ids where both sides have one that was drawn."""
    if isinstance(recorded, dict) and isinstance(now, dict):
        return {
            name: recorded[name]
            if name == "id" and is_drawn(one) and is_drawn(recorded.get(name))
            else with_ids_of(recorded.get(name), one)
            for name, one in now.items()
        }
    if isinstance(recorded, list) and isinstance(now, list):
        known = [*recorded, *[None] * len(now)]
        return [with_ids_of(one, other) for one, other in zip(known, now, strict=False)]
    return now


def is_drawn(value: Any) -> bool:
    """Return whether an id is one that is drawn anew wherever it is missing."""
    return isinstance(value, str) and _DRAWN.fullmatch(value) is not None
