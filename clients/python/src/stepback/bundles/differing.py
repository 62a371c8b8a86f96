"""The first place at which two JSON values differ."""

from __future__ import annotations

from typing import Any

from stepback.checks.pointers import escape


def first_difference(one: Any, other: Any, at: str = "") -> tuple[str, Any, Any] | None:
    """Return pointer and both values; what is not there reads as None.

    Objects are compared by name, lists by place; 1 equals 1.0, and true no number.
    """
    if isinstance(one, dict) and isinstance(other, dict):
        for name in [*one, *(name for name in other if name not in one)]:
            below = f"{at}/{escape(name)}"
            if name not in one or name not in other:
                return below, one.get(name), other.get(name)
            found = first_difference(one[name], other[name], below)
            if found is not None:
                return found
        return None
    if isinstance(one, list) and isinstance(other, list):
        for place in range(max(len(one), len(other))):
            below = f"{at}/{place}"
            if place >= len(one):
                return below, None, other[place]
            if place >= len(other):
                return below, one[place], None
            found = first_difference(one[place], other[place], below)
            if found is not None:
                return found
        return None
    same = one == other and isinstance(one, bool) == isinstance(other, bool)
    return None if same else (at, one, other)
