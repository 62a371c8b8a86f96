"""Which backups stay: the newest of each of 7 days, and of each of 4 weeks."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from apps.backups.names import made_at

DAYS, WEEKS = 7, 4
# So long after it was made the last copy of what it holds is gone, if backups go on:
# it is the newest of its week, and three more weeks have one of their own.
LONGEST = timedelta(weeks=WEEKS)


def kept(names: Iterable[str]) -> set[str]:
    """Return the names that stay: of days and weeks that have a backup, not of the

    calendar: whoever makes none for a month loses none either.
    """
    days: dict[object, str] = {}
    weeks: dict[object, str] = {}
    for at, name in _newest_first(names):
        day, week = at.date(), at.isocalendar()[:2]
        if day not in days and len(days) < DAYS:
            days[day] = name
        if week not in weeks and len(weeks) < WEEKS:
            weeks[week] = name
    return {*days.values(), *weeks.values()}


def outdated(names: Iterable[str]) -> list[str]:
    """Return the names of ours that go, the oldest first; others are nobody's here."""
    ours = _newest_first(names)
    stay = kept(name for _, name in ours)
    return [name for _, name in reversed(ours) if name not in stay]


def newest(names: Iterable[str]) -> datetime | None:
    """Return of when the newest backup is; None where there is none."""
    ours = _newest_first(names)
    return ours[0][0] if ours else None


def _newest_first(names: Iterable[str]) -> list[tuple[datetime, str]]:
    found = [(at, name) for name in names if (at := made_at(name)) is not None]
    return sorted(found, reverse=True)
