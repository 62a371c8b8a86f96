"""Where the days of a time zone begin, and what its clocks say.

Rollups are hours of UTC. One of them belongs to the local hour, and with it the local
day, in which it begins; that matters where a zone is half an hour away.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta, tzinfo

from apps.metrics.facts import HOUR, hour_of
from apps.metrics.ranges import Range

DAY = timedelta(days=1)


def starts(found: Range, zone: tzinfo) -> list[datetime]:
    """Return when the points of a range begin: with it, and at each hour or day."""
    later = _days(found, zone) if found.is_daily else _hours(found)
    # A zone that went around the date line has days that begin when the next one does.
    within = {at for at in later if found.start < at < found.end}
    return [found.start, *sorted(within)]


def shifts(
    since: datetime, until: datetime, zone: tzinfo
) -> list[tuple[datetime, int]]:
    """Return from which hours on the zone is how many seconds ahead of UTC."""
    found: list[tuple[datetime, int]] = []
    hour = since
    while hour < until:
        ahead = _ahead(hour, zone)
        if not found or found[-1][1] != ahead:
            found.append((hour, ahead))
        # No zone changes its clocks twice within a day.
        hour += DAY if _ahead(hour + DAY, zone) == ahead else HOUR
    return found


def place(at: datetime, zone: tzinfo) -> tuple[int, int]:
    """Return the day, from Monday as 1, and the hour that a clock shows."""
    local = at.astimezone(zone)
    return local.isoweekday(), local.hour


def _ahead(at: datetime, zone: tzinfo) -> int:
    offset = at.astimezone(zone).utcoffset() or timedelta()
    return round(offset.total_seconds())


def _hours(found: Range) -> Iterator[datetime]:
    hour = hour_of(found.start)
    while hour < found.end:
        yield hour
        hour += HOUR


def _days(found: Range, zone: tzinfo) -> Iterator[datetime]:
    """Yield the first hours of local days; where midnight is skipped, what follows."""
    day = found.start.astimezone(zone).date()
    last = found.end.astimezone(zone).date()
    while day <= last:
        midnight = datetime.combine(day, time(), tzinfo=zone).astimezone(UTC)
        whole = hour_of(midnight)
        yield whole if whole == midnight else whole + HOUR
        day += DAY
