"""The short scalars of a state, by which a session is found.

A projection for jsonb: values are cleaned to what PostgreSQL can hold, long ones and
those past the limit are left out. Never a source of truth.
"""

import math
from collections.abc import Iterator
from itertools import islice

from apps.diffs.changes import Json
from apps.diffs.pointers import escape

LIMIT = 64
LONGEST_TEXT = 200
_FIRST_LONG_NUMBER: int = 10**200

Facet = str | int | float | bool | None

# A pointer made of long keys would outweigh every value it leads to.
_LONGEST_POINTER = 300
# A wide state of long texts must not be walked to its end for 64 values.
_LOOKED_AT = 10_000


def facets(state: Json, limit: int = LIMIT) -> dict[str, Facet]:
    """Map pointers to scalars, shallow ones first, at most `limit`.

    Strings of more than 200 characters are left out. NUL is shown as ␀; integers beyond
    64 bits and numbers that are not finite become text.
    """
    found: dict[str, Facet] = {}
    for pointer, value in islice(_shallow_first(state), _LOOKED_AT):
        if len(found) >= limit:
            break
        if _is_short(value) and len(pointer) <= _LONGEST_POINTER:
            found[clean_text(pointer)] = clean(value)
    return found


def clean(value: Facet) -> Facet:
    """Make a scalar safe for jsonb."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**63 else str(value)
    return value if math.isfinite(value) else str(value)


def clean_text(text: str) -> str:
    """Show NUL, which jsonb cannot hold, as ␀."""
    return text.replace("\x00", "␀")


def _shallow_first(state: Json) -> Iterator[tuple[str, Json]]:
    waiting: list[tuple[str, Json]] = [("", state)]
    for pointer, container in waiting:  # grows while it is read
        for token, value in _entries(container):
            place = f"{pointer}/{escape(token)}"
            # What stands in it would have a longer pointer still.
            if isinstance(value, dict | list) and len(place) <= _LONGEST_POINTER:
                waiting.append((place, value))
            yield place, value


def _entries(container: Json) -> Iterator[tuple[str, Json]]:
    if isinstance(container, dict):
        yield from container.items()
    elif isinstance(container, list):
        yield from ((str(index), value) for index, value in enumerate(container))


def _is_short(value: Json) -> bool:
    if isinstance(value, dict | list):
        return False
    if isinstance(value, int) and not isinstance(value, bool):
        return -_FIRST_LONG_NUMBER < value < _FIRST_LONG_NUMBER
    return not isinstance(value, str) or len(value) <= LONGEST_TEXT
