"""Times of day as people write them, and as minutes after midnight."""

from __future__ import annotations

import re

CLOCK = re.compile(r"^([01]?[0-9]|2[0-3]):([0-5][0-9])\Z")


def minute_of(text: str) -> int | None:
    """Return the minute of the day that a time such as 22:00 names; None if none."""
    found = CLOCK.match(text)
    return int(found[1]) * 60 + int(found[2]) if found else None


def time_of(minute: int | None) -> str:
    """Write a minute of the day as a time; nothing where there is none."""
    return "" if minute is None else f"{minute // 60:02}:{minute % 60:02}"
