"""How a list of sessions can be narrowed: by what they share, and by when they began.

Up to a thousand sessions are counted themselves. Of more, a list by agent and time is
answered by the rollups, which say as of when; of any other search the newest thousand
are counted, and the page says that there are more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from apps.accounts.models import Project
from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.console import queries
from apps.console.pages.drawings.histogram import Histogram, Stretch, histogram
from apps.console.pages.project.facets import (
    GONE,
    Facet,
    Seen,
    Ways,
    facets,
    of_work,
    rolled_up,
)
from apps.console.pages.project.session_search import is_plain
from apps.core.errors import InvalidRequest
from apps.metrics.ranges import EARLIEST, LONGEST
from apps.metrics.totals import Glance, glance
from apps.timeline.search import (
    AgentIs,
    CreatedBetween,
    Query,
    count_sessions,
    standings,
)
from apps.timeline.words import Standing

COUNTED = 1_000
BARS = 48
# How long a bar may be, as people count time.
STEPS = [
    *(timedelta(minutes=one) for one in (1, 2, 5, 10, 15, 30)),
    *(timedelta(hours=one) for one in (1, 2, 3, 6, 12)),
    *(timedelta(days=one) for one in (1, 2, 7, 14, 30, 90, 365, 3_650)),
]
# What the rollups know of, and what they are asked for where no time is named.
ROLLED_UP = (AgentIs, CreatedBetween)
USUAL = timedelta(days=7)


@dataclass(frozen=True, kw_only=True, slots=True)
class Narrowing:
    """What a page shows of it; `too_long` says why there is no histogram."""

    total: str
    facets: Sequence[Facet]
    histogram: Histogram | None
    as_of: datetime | None = None
    too_long: str | None = None


def narrowing(project: Project, query: Query, *, now: datetime) -> Narrowing:
    """Return how the sessions that meet the query can be narrowed.

    Raises: InvalidRequest for a clause that cannot be answered.
    """
    ways = Ways(project, query)
    too_long = _too_long(query, now)
    seen, is_all = _seen(project, query, now, is_drawn=too_long is None)
    if seen is None:
        return _of_rollups(project, query, ways, now)
    standing = standings([one.id for one in seen if one.status not in GONE])
    drawn = None
    if too_long is None:
        drawn = _around(project, query, ways, now) if is_all else None
        drawn = drawn or _histogram(seen, standing, ways, _window(query, now))
    shared = facets(project, seen, standing, ways, now=now)
    return Narrowing(
        total=_total(len(seen), is_all=is_all),
        facets=[one for one in shared if one.choices],
        histogram=drawn,
        too_long=too_long,
    )


def _window(query: Query, now: datetime) -> tuple[datetime, datetime] | None:
    """Return the time that is asked for; None where it has no beginning."""
    after, before = _span(query, now)
    end = min(before or now, now)
    return None if after is None or after >= end else (after, end)


def _widened(query: Query, now: datetime) -> tuple[datetime, datetime] | None:
    """Return the time that is asked for with as much before and behind it."""
    window = _window(query, now)
    if window is None:
        return None
    start, end = window
    length = end - start
    start = max(EARLIEST, start - length)
    end = min(now, end + length)
    return None if end - start > LONGEST else (start, end)


def _around(
    project: Project, query: Query, ways: Ways, now: datetime
) -> Histogram | None:
    """Draw more time than is asked for, with the window in it; None for too many."""
    widened = _widened(query, now)
    if widened is None:
        return None
    start, end = widened
    around = CreatedBetween(
        text="", after=start - timedelta(microseconds=1), before=end
    )
    kept = [one for one in query.clauses if not isinstance(one, CreatedBetween)]
    wider = Query((*kept, around))
    seen, is_all = _seen(project, wider, now, is_drawn=False)
    if seen is None or not is_all:
        return None
    standing = standings([one.id for one in seen if one.status not in GONE])
    return _histogram(seen, standing, ways, _window(query, now))


def _seen(
    project: Project, query: Query, now: datetime, *, is_drawn: bool
) -> tuple[Sequence[Seen] | None, bool]:
    """Return the sessions to count, and whether they are all; None for too many.

    These the rollups tell of, where they can: then no session is read but its id.
    """
    if not is_plain(query):
        counted = count_sessions(Scope(project), query, now=now, most=COUNTED)
        return counted.sessions, counted.is_all
    ids = queries.newest_ids(project, query.clauses, limit=COUNTED + 1, now=now)
    is_all = len(ids) <= COUNTED
    is_rolled_up = all(isinstance(one, ROLLED_UP) for one in query.clauses)
    if not is_all and is_rolled_up and is_drawn:
        return None, is_all
    return queries.counted(ids[:COUNTED], now), is_all


def _total(count: int, *, is_all: bool) -> str:
    said = f"{count:,} session{'' if count == 1 and is_all else 's'}"
    if is_all:
        return said
    if count < COUNTED:
        return f"{count:,} sessions so far, of those that were looked through"
    return f"{count:,}+ sessions, of which the newest {count:,} are counted here"


def _span(query: Query, now: datetime) -> tuple[datetime | None, datetime | None]:
    """Return when the sessions that are asked for began, as far as the query says."""
    spans = [one for one in query.clauses if isinstance(one, CreatedBetween)]
    after = max((one.after for one in spans if one.after), default=None)
    before = min((one.before for one in spans if one.before), default=None)
    return after and after + timedelta(microseconds=1), before


def _too_long(query: Query, now: datetime) -> str | None:
    """Say why the time that is asked for is too long to be drawn, if it is."""
    after, before = _span(query, now)
    if after is None or min(before or now, now) - after <= LONGEST:
        return None
    return (
        f"A histogram covers at most {LONGEST.days} days: name a shorter time, "
        "as in age<30d or created:2026-01-01..2026-02-01."
    )


def _histogram(
    seen: Sequence[Seen],
    standing: Mapping[str, Standing],
    ways: Ways,
    window: tuple[datetime, datetime] | None,
) -> Histogram | None:
    if not seen:
        return None
    first = min(one.created_at for one in seen)
    last = max(one.created_at for one in seen)
    step = next((one for one in STEPS if (last - first) / one < BARS - 1), STEPS[-1])
    start = first - (first - EARLIEST) % step
    count = (last - start) // step + 1
    every, aside, wrong, both = ([0] * count for _ in range(4))
    for one in seen:
        place = (one.created_at - start) // step
        is_wrong = standing.get(one.id) is Standing.WRONG
        is_aside = one.rollback_count > 0
        every[place] += 1
        aside[place] += is_aside
        wrong[place] += is_wrong
        both[place] += is_wrong and is_aside
    return histogram(
        [
            Stretch(
                start=start + step * place,
                end=start + step * (place + 1),
                count=every[place],
                rolled_back=aside[place],
                wrong=wrong[place],
                both=both[place],
                url=ways.between(start + step * place, start + step * (place + 1))
                if every[place]
                else "",
            )
            for place in range(count)
        ],
        window,
    )


def _of_rollups(project: Project, query: Query, ways: Ways, now: datetime) -> Narrowing:
    after, before = _span(query, now)
    end = min(before or now, now)
    start = max(EARLIEST, after or end - USUAL)
    names = [one.name for one in query.clauses if isinstance(one, AgentIs)]
    if start >= end or len(names) > 1:
        raise InvalidRequest("No session can have begun then.", param="q")
    agents = None
    if names:
        known = Agent.objects.filter(project_id=project.id, external_id=names[0])
        agents = list(known.values_list("id", flat=True))
    newest = queries.newest_ids(project, query.clauses, limit=COUNTED, now=now)
    found = glance(project.id, agents, start=start, end=end, stretches=BARS)
    wider = _widened(query, now)
    return Narrowing(
        total=f"{COUNTED:,}+ sessions",
        facets=[
            one
            for one in (
                *rolled_up(found, ways, names),
                *of_work(project, newest, ways, now=now, of=f", newest {COUNTED:,}"),
            )
            if one.choices
        ],
        histogram=_drawn(
            glance(project.id, agents, start=wider[0], end=wider[1], stretches=BARS)
            if wider
            else found,
            ways,
            _window(query, now),
        ),
        as_of=found.as_of,
    )


def _drawn(
    found: Glance, ways: Ways, window: tuple[datetime, datetime] | None
) -> Histogram:
    starts = [found.start + found.step * place for place in range(len(found.counts))]
    return histogram(
        [
            Stretch(
                start=start,
                end=start + found.step,
                count=count,
                # Where none began there is no bar, and nothing to lead to.
                url=ways.between(start, start + found.step) if count else "",
            )
            for start, count in zip(starts, found.counts, strict=True)
        ],
        window,
    )
