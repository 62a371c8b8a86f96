"""What has ever been, in a project, and what its closed hours say at a glance.

`ever` counts what is not in the rollups; `glance` leaves it out, and says since when.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from apps.core import sql
from apps.metrics.facts import HOUR, hour_of
from apps.metrics.figures import Figures
from apps.metrics.queries import BEGUN, GROUPS, NOTHING
from apps.metrics.range_query import Reading
from apps.metrics.ranges import LONGEST, Range
from apps.metrics.rollup_cache import cached_rows

BEGINNING = datetime(2020, 1, 1, tzinfo=UTC)


def ever(project_id: str, agents: Sequence[str] | None, *, now: datetime) -> Figures:
    """Return the sums of all time; who was active is no question of all time."""
    reading = Reading(project_id, Range(start=BEGINNING, end=now), agents)
    return reading.sums()


@dataclass(frozen=True, kw_only=True, slots=True)
class Glance:
    """The sessions that began in closed hours, and the releases that were active.

    `counts` belong to stretches of `step` from `start` on; nothing from `as_of` on is
    in them.
    """

    start: datetime
    step: timedelta
    counts: list[int]
    by_agent: Counter[str]
    by_release: Counter[str]
    as_of: datetime


def glance(
    project_id: str,
    agents: Sequence[str] | None,
    *,
    start: datetime,
    end: datetime,
    stretches: int,
) -> Glance:
    """Return what the rollups have of a range, widened to whole hours.

    Raises: ValueError for a range that is longer than rollups are asked for.
    """
    if end - start > LONGEST:
        raise ValueError(f"more than {LONGEST.days} days")
    since = hour_of(start)
    hours = -((since - end) // HOUR)
    step = HOUR * max(1, -(-hours // stretches))
    starts = [since + step * place for place in range(-(-hours // (step // HOUR)))]
    as_of, revision = Reading(project_id, Range(start=since, end=end)).closed_until()
    asked: dict[str, Any] = {
        "project": project_id,
        "since": since,
        "until": as_of,
        "agents": None if agents is None else list(agents),
    }
    known = (revision, step, *asked.items()) if agents is None else None
    rows = _rows(BEGUN, asked | {"starts": starts}, known)
    more = {"live_hours": [], "measures": ["release"], "is_closed": True}
    active = _rows(GROUPS, asked | NOTHING | more, known)
    counts, by_agent, by_release = [0] * len(starts), Counter[str](), Counter[str]()
    for row in rows:
        counts[row.place - 1] += row.began
        by_agent[row.agent_id] += row.began
    for row in active:
        by_release[row.value] += row.sessions
    return Glance(
        start=since,
        step=step,
        counts=counts,
        by_agent=+by_agent,
        by_release=+by_release,
        as_of=as_of,
    )


def _rows(query: str, asked: dict[str, Any], known: Any) -> list[Any]:
    """Ask the closed hours, or remember what they said."""
    if known is None:
        return sql.rows(query, asked)
    return cached_rows((query, *known), lambda: sql.rows(query, asked))
