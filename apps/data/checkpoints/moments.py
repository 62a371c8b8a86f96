"""When checkpoints on a schedule are due: every hour, every day, or as cron says. UTC.

What was not made in time is not made up: it would not be what stood then. It is
counted instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from croniter import croniter
from croniter.croniter import CroniterBadDateError, CroniterError

from apps.core.errors import InvalidRequest

NAMED = {"hourly": "0 * * * *", "daily": "0 0 * * *"}
LONGEST = 100
# 1,000 checkpoints are kept: closer ones would soon push out all that people made.
CLOSEST = timedelta(minutes=15)
LOOKED_AT = 100
# Of the moments that were missed, so many are counted.
MOST_COUNTED = 1_000
_NAMES = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun"
# Neither seconds nor what a hash or chance decides.
_CRON = re.compile(rf"(?:[0-9*,/-]|{_NAMES})+(?: (?:[0-9*,/-]|{_NAMES})+){{4}}", re.I)


@dataclass(frozen=True, kw_only=True, slots=True)
class Due:
    """The newest moment that is due, how many before it were missed, the next one."""

    moment: datetime
    missed: int
    following: datetime

    @property
    def has_more_missed(self) -> bool:
        return self.missed > MOST_COUNTED


def words(schedule: str) -> str:
    """Return what a checkpoint on this schedule is called."""
    return {"hourly": "every hour", "daily": "every day"}.get(
        schedule, f"by schedule {schedule}"
    )


def require_schedule(schedule: str, *, now: datetime) -> None:
    """Refuse what is no schedule, never comes, or comes too often.

    Raises: InvalidRequest.
    """
    cron = NAMED.get(schedule, schedule)
    if len(cron) > LONGEST or not _CRON.fullmatch(cron):
        raise _refused("It takes hourly, daily, or the five fields of cron.")
    try:
        times = croniter(cron, now)
        first = [times.get_next(datetime) for _ in range(LOOKED_AT)]
    except CroniterBadDateError as never:
        raise _refused("There is no such moment in years.") from never
    except CroniterError as fault:
        raise _refused("This is no cron text that is understood.") from fault
    if any(later - one < CLOSEST for one, later in pairwise(first)):
        raise _refused("Moments have to be a quarter of an hour apart, or more.")


def next_after(schedule: str, at: datetime) -> datetime:
    """Return the first moment behind a time."""
    found: datetime = croniter(NAMED.get(schedule, schedule), at).get_next(datetime)
    return found


def due_since(schedule: str, first: datetime, now: datetime) -> Due:
    """Return what is due now, where `first` was the next moment and is not ahead."""
    cron = NAMED.get(schedule, schedule)
    # `get_prev` passes over the time that it is given.
    behind = now + timedelta(microseconds=1)
    moment: datetime = croniter(cron, behind).get_prev(datetime)
    moment = max(moment, first)
    missed, at, times = 0, first, croniter(cron, first)
    while at < moment and missed <= MOST_COUNTED:
        missed += 1
        at = times.get_next(datetime)
    return Due(moment=moment, missed=missed, following=next_after(schedule, now))


def _refused(why: str) -> InvalidRequest:
    return InvalidRequest(f"schedule: {why}", param="schedule")
