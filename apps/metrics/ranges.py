"""From when to when: windows by name, or any range.

What is longer than two hours begins and ends at whole hours of UTC, because closed
hours are kept as such: a range is widened to them, and answers say to what. Shorter
ranges are counted from the facts, to the microsecond.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from apps.core.errors import InvalidRequest
from apps.metrics.facts import HOUR, hour_of

WINDOWS = {
    "1h": timedelta(hours=1),
    "24h": timedelta(hours=24),
    "7d": timedelta(days=7),
    "30d": timedelta(days=30),
}
USUAL = "24h"
SHORT = timedelta(hours=2)
LONGEST = timedelta(days=400)
# Nothing happened before; and no zone is so far away that its clocks show no year.
EARLIEST = datetime(1970, 1, 2, tzinfo=UTC)
TOO_EARLY = "from lies in 1970 or later."
# Up to here points are hours, beyond it days.
HOURLY = timedelta(hours=49)


@dataclass(frozen=True, kw_only=True, slots=True)
class Range:
    """From `start` on and before `end`; `name` is the window's, if it has one."""

    start: datetime
    end: datetime
    name: str | None = None

    @property
    def is_short(self) -> bool:
        return self.end - self.start <= SHORT

    @property
    def is_daily(self) -> bool:
        """Whether the points of a series are days, and not hours."""
        return self.end - self.start > HOURLY

    @property
    def step(self) -> timedelta:
        """How far apart the points of a series are."""
        return timedelta(days=1) if self.is_daily else HOUR

    @property
    def length(self) -> timedelta:
        return self.end - self.start


def window(name: str, *, now: datetime) -> Range:
    """Return the last so many hours or days, up to now.

    Raises: InvalidRequest for a name that is none.
    """
    if name not in WINDOWS:
        raise InvalidRequest(f"window takes {', '.join(WINDOWS)}.", param="window")
    return _widened(now - WINDOWS[name], now, name)


def between(start: datetime, end: datetime, *, now: datetime) -> Range:
    """Return any range; an end in the future is now.

    Raises: InvalidRequest where it ends before it begins, or is too long.
    """
    if start < EARLIEST:
        raise InvalidRequest(TOO_EARLY, param="from")
    end = min(end, now)
    if start >= end:
        raise InvalidRequest("from lies before to, and before now.", param="from")
    if end - start > LONGEST:
        raise InvalidRequest(f"A range has at most {LONGEST.days} days.", param="from")
    return _widened(start, end, None)


def _widened(start: datetime, end: datetime, name: str | None) -> Range:
    start, end = start.astimezone(UTC), end.astimezone(UTC)
    if end - start <= SHORT:
        return Range(start=start, end=end, name=name)
    last = hour_of(end)
    return Range(
        start=hour_of(start), end=end if last == end else last + HOUR, name=name
    )
