"""Query the figures of a range: closed hours from the rollups, the rest counted.

One object reads one range of a project: hours that are open, or due to be rolled up,
are counted from the facts once. Then every question is one statement over them, and
one over the closed hours, whose answer is remembered.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar, cast

from apps.core import json, sql
from apps.metrics import facts, zones
from apps.metrics.facts import HOUR
from apps.metrics.figures import OF_SESSIONS, Figures, Group, Point
from apps.metrics.queries import (
    GROUPS,
    HISTORY,
    KEYS,
    LIVE_HOURS,
    NOTHING,
    SERIES,
    SUMS,
    WEEK,
)
from apps.metrics.ranges import Range
from apps.metrics.rollup_cache import cached_rows, together

T = TypeVar("T")
OVER_TIME = ("active", "rolled_back")


class Piece(NamedTuple):
    """What an agent's sessions had in a part of an hour."""

    start: datetime
    agent_id: str
    measure: str
    value: str
    sessions: int
    acts: int

    def as_figures(self) -> Figures:
        return Group(*self[1:]).as_figures()


@dataclass
class Reading:
    """The numbers of a project, of some of its agents if asked, in a range."""

    project_id: str
    range: Range
    # Our ids of agents; None means all.
    agents: Sequence[str] | None = None
    # A page looks at some answers from several sides: each is asked for once.
    _known: dict[tuple[Any, ...], Any] = field(default_factory=dict)

    def totals(self) -> Figures:
        """Return everything of all agents together."""
        return sum(self.by_agent().values(), Figures())

    def sums(self) -> Figures:
        """Return what can be added up, of all agents together: no sessions."""
        return sum(map(Figures.of_sums, self._sums), Figures())

    def turns_in_hours(self) -> int:
        """Return how many turns the range has in whole hours, also a short one."""
        return sum(row.turns for row in self._whole_sums)

    def acts_by_hour(self) -> list[tuple[datetime, int]]:
        """Return how many versions and turns each hour has, in order."""
        found: dict[datetime, int] = defaultdict(int)
        starts = tuple(zones.starts(self.range, UTC))
        for row in self._rows(SERIES, ("active",), starts=starts):
            found[row.start] += row.acts
        return sorted(found.items())

    def by_agent(self) -> dict[str, Figures]:
        """Return everything by agent, of those that did something."""
        return self._once(("by_agent",), self._by_agent)

    @property
    def hours(self) -> tuple[datetime, datetime, list[datetime]]:
        """The range in whole hours, and those of it that are counted live."""
        return *self._whole, self._live_hours

    def groups(self, *measures: str) -> list[Group]:
        """Return the sessions and acts of these measures, by agent and value."""
        return self._once(("groups", *measures), lambda: self._ask_groups(measures))

    def _by_agent(self) -> dict[str, Figures]:
        found: dict[str, Figures] = defaultdict(Figures)
        for row in self._sums:
            found[row.agent_id] += Figures.of_sums(row)
        for group in self.groups(*OF_SESSIONS):
            found[group.agent_id] += group.as_figures()
        return dict(found)

    def _once(self, key: tuple[Any, ...], ask: Callable[[], T]) -> T:
        if key not in self._known:
            self._known[key] = ask()
        return cast(T, self._known[key])

    def _ask_groups(self, measures: Sequence[str]) -> list[Group]:
        if self.range.is_short:
            return [group for group in self._exact if group.measure in measures]
        return [
            Group(
                row.agent_id, row.measure, row.value, row.sessions, row.acts, row.first
            )
            for row in self._rows(GROUPS, measures)
        ]

    def series(self, zone: tzinfo = UTC) -> list[Point]:
        """Return the sessions and rollbacks of each hour, or day of a zone, by agent.

        The first begins with the range. Points where nothing happened are left out.
        """
        return self._once(("series", str(zone)), lambda: self._series(zone))

    def _series(self, zone: tzinfo) -> list[Point]:
        found: dict[tuple[str, datetime], Point] = {}
        for row in self._placed(zone):
            key = row.agent_id, row.start
            known = found.get(key, Point(agent_id=row.agent_id, start=row.start))
            found[key] = known.with_measure(row.measure, row.sessions, row.acts)
        return sorted(found.values(), key=lambda point: point.start)

    def week(self, zone: tzinfo = UTC) -> dict[tuple[int, int], Figures]:
        """Return by (day from Monday as 1, hour of the zone) in how many hours sessions
        were active and rolled back: a session counts again in each hour."""
        found: dict[tuple[int, int], Figures] = defaultdict(Figures)
        if self.range.is_short:
            for piece in self._pieces:
                found[zones.place(piece.start, zone)] += piece.as_figures()
            return dict(found)
        shifts = zones.shifts(*self._whole, zone)
        moments, offsets = zip(*shifts, strict=True)
        rows = self._rows(WEEK, OVER_TIME, moments=moments, offsets=offsets)
        for row in rows:
            group = Group("", row.measure, "", row.sessions, 0)
            found[row.day, row.hour] += group.as_figures()
        return dict(found)

    def closed_until(self) -> tuple[datetime, int]:
        """Return from when on hours are not closed, and the revision of those."""
        until = facts.hour_of(self.range.end)
        return min([until, *self._live_hours]), self._revision

    def history(self, *measures: str, hours: int, by_agent: bool) -> list[Any]:
        """Return what each hour has of these measures, by how long ago it was had last:
        rows of agent, measure, value, hour, gap (up to `hours`), sessions and acts."""
        return self._rows(HISTORY, measures, hours=(hours,), by_agent=(by_agent,))

    def _placed(self, zone: tzinfo) -> list[Any]:
        """Return rows of agent, measure and the point they belong to."""
        if self.range.is_short:
            return self._pieces
        starts = tuple(zones.starts(self.range, zone))
        return self._rows(SERIES, OVER_TIME, starts=starts)

    def _rows(
        self, query: str, measures: Sequence[str] = (), **more: tuple[Any, ...]
    ) -> list[Any]:
        """Ask the closed hours, or remember what they said, and the live ones."""
        hours = self._live_hours
        arrays = {name: list(values) for name, values in more.items()}
        asked = self._about | {"measures": list(measures), **arrays}
        question = (
            query,
            self.project_id,
            self._revision,
            self._whole,
            tuple(hours),
            tuple(measures),
            None if self.agents is None else tuple(sorted(self.agents)),
            tuple(more.items()),
        )
        closed = cached_rows(
            question, lambda: sql.rows(query, asked | NOTHING | {"is_closed": True})
        )
        if not hours:
            return closed
        live = sql.rows(query, asked | self._live | {"is_closed": False})
        return together(closed, live, by=KEYS[query])

    @cached_property
    def _whole(self) -> tuple[datetime, datetime]:
        """The range in whole hours."""
        start, end = facts.hour_of(self.range.start), facts.hour_of(self.range.end)
        return start, end if end == self.range.end else end + HOUR

    @cached_property
    def _about(self) -> dict[str, Any]:
        since, until = self._whole
        return {
            "project": self.project_id,
            "since": since,
            "until": until,
            "agents": self._wanted,
            "live_hours": self._live_hours,
        }

    @cached_property
    def _live(self) -> dict[str, str]:
        """The hours that are not closed, counted from the facts."""
        spans = stretches(self._live_hours)
        return {
            "live_sums": _told(facts.sums(self.project_id, spans)),
            "live_reach": _told(facts.reaches(self.project_id, spans)),
        }

    @property
    def _wanted(self) -> list[str] | None:
        return None if self.agents is None else list(self.agents)

    @cached_property
    def _closing(self) -> tuple[int, list[datetime]]:
        since, until = self._whole
        asked = {"project": self.project_id, "since": since, "until": until}
        ((revision, hours),) = sql.rows(LIVE_HOURS, asked)
        return revision, sorted(hours)

    @property
    def _revision(self) -> int:
        return self._closing[0]

    @property
    def _live_hours(self) -> list[datetime]:
        return self._closing[1]

    @cached_property
    def _whole_sums(self) -> list[Any]:
        return self._rows(SUMS)

    @cached_property
    def _sums(self) -> list[Any]:
        if not self.range.is_short:
            return self._whole_sums
        rows = facts.sums_of(self.project_id, self.range.start, self.range.end)
        return [row for row in rows if self._is_wanted(row.agent_id)]

    @cached_property
    def _exact(self) -> list[Group]:
        rows = facts.exact(self.project_id, self.range.start, self.range.end)
        return [Group(*row) for row in rows if self._is_wanted(row.agent_id)]

    @cached_property
    def _pieces(self) -> list[Piece]:
        """What a short range has hour by hour: no more than lies within it."""
        starts = zones.starts(self.range, UTC)
        return [
            Piece(start, *row)
            for start, end in pairwise([*starts, self.range.end])
            for row in facts.exact(self.project_id, start, end)
            if row.measure in OVER_TIME and self._is_wanted(row.agent_id)
        ]

    def _is_wanted(self, agent_id: str) -> bool:
        return self.agents is None or agent_id in self.agents


def stretches(hours: Sequence[datetime]) -> list[tuple[datetime, datetime]]:
    """Return hours that follow each other as one stretch."""
    found: list[tuple[datetime, datetime]] = []
    for hour in hours:
        if found and found[-1][1] == hour:
            found[-1] = found[-1][0], hour + timedelta(hours=1)
        else:
            found.append((hour, hour + timedelta(hours=1)))
    return found


def _told(rows: list[Any]) -> str:
    def plain(value: Any) -> Any:
        return value.isoformat() if isinstance(value, datetime) else value

    told = [{name: plain(v) for name, v in row._asdict().items()} for row in rows]
    return json.dumps(told).decode()
