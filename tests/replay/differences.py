"""Compares JSON values exactly and names the first place where they differ.

Stricter than `==`: 1, 1.0 and true differ, 0.0 and -0.0 differ, and so do two orders
of the same keys.
"""

from __future__ import annotations

import itertools
import json
from typing import Any

MISSING = object()
SHOWN = 200


class Difference(AssertionError):
    """Something read back is not what the run says."""


def require_same(where: str, expected: Any, found: Any) -> None:
    """Compare two values exactly.

    Raises: Difference, with the place, the pointer into it and both sides.
    """
    if spelled(expected) == spelled(found):
        return
    pointer, left, right = _first(expected, found)
    raise Difference(
        f"{where}, at {pointer or 'the root'}: {_shown(left)} was expected, "
        f"{_shown(right)} was found"
    )


def spelled(value: Any) -> str:
    """Return a text that no other value has."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _first(expected: Any, found: Any, at: str = "") -> tuple[str, Any, Any]:
    """Return pointer and both sides of the first difference of values that differ."""
    for name, left, right in _pairs(expected, found):
        if left is MISSING or right is MISSING or spelled(left) != spelled(right):
            return _first(left, right, f"{at}/{name}")
    return at, expected, found


def _pairs(expected: Any, found: Any) -> list[tuple[Any, Any, Any]]:
    if isinstance(expected, dict) and isinstance(found, dict):
        names = expected | found
        return [
            (_escaped(name), expected.get(name, MISSING), found.get(name, MISSING))
            for name in names
        ]
    if isinstance(expected, list) and isinstance(found, list):
        both = itertools.zip_longest(expected, found, fillvalue=MISSING)
        return [(index, left, right) for index, (left, right) in enumerate(both)]
    return []


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _shown(value: Any) -> str:
    if value is MISSING:
        return "nothing"
    text = spelled(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text)} characters)"
