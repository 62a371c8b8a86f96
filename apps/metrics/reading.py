"""What the numbers of a range are: closed hours from the rollups, the rest counted.

One object reads one range of a project: hours that are open, or due to be rolled up,
are counted from the facts once. Then every question is one statement over them, and
one over the closed hours, whose answer is remembered.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from apps.core import json, sql
from apps.metrics import facts
from apps.metrics.facts import HOUR
from apps.metrics.figures import Figures, Group, Point
from apps.metrics.ranges import Range
from apps.metrics.remembered import remembered, together

# Asked first and told as a constant: of an unknown xid PostgreSQL expects a third of
# all events, and at a million takes 15 ms to make room for their hours.
FOLLOWED = """
SELECT coalesce((SELECT xid FROM metrics_follower WHERE id = 1), '0')::text AS xid
"""
# Open hours, hours to be rolled up, and those of events nobody has followed yet; in
# one statement with the revision that all other hours have.
LIVE_HOURS = """
SELECT coalesce((SELECT number FROM metrics_revision
                  WHERE project_id = %(project)s), 0) AS revision,
       ARRAY(
    SELECT hour FROM metrics_due
     WHERE project_id = %(project)s AND hour >= %(since)s AND hour < %(until)s
    UNION
    SELECT date_trunc('hour', e.created_at, 'UTC') FROM audit_event e
     WHERE e.xid >= %(followed)s::text::xid8
       AND e.project_id = %(project)s AND e.stream_id LIKE 'sess\\_%%'
       AND e.created_at >= %(since)s AND e.created_at < %(until)s) AS hours
"""
SUMS = """
SELECT agent_id, sum(began)::bigint AS began, sum(versions)::bigint AS versions,
       sum(turns)::bigint AS turns, sum(rollbacks)::bigint AS rollbacks,
       sum(undos)::bigint AS undos, sum(repeats)::bigint AS repeats,
       sum(forks)::bigint AS forks, sum(aside)::bigint AS aside,
       sum(waited) AS waited, sum(stored)::bigint AS stored,
       sum(tool_calls)::bigint AS tool_calls, sum(tool_errors)::bigint AS tool_errors,
       sum(timed)::bigint AS timed, sum(latency_ms)::bigint AS latency_ms
  FROM (SELECT agent_id, began, versions, turns, rollbacks, undos, repeats, forks,
               aside, waited, stored, tool_calls, tool_errors, timed, latency_ms
          FROM metrics_sum
         WHERE %(is_closed)s::boolean
           AND project_id = %(project)s AND hour >= %(since)s AND hour < %(until)s
           AND NOT hour = ANY (%(live_hours)s::timestamptz[])
        UNION ALL
        SELECT agent_id, began, versions, turns, rollbacks, undos, repeats, forks,
               aside, waited, stored, tool_calls, tool_errors, timed, latency_ms
          FROM json_to_recordset(%(live_sums)s::json) AS live (
               agent_id varchar, began bigint, versions bigint, turns bigint,
               rollbacks bigint, undos bigint, repeats bigint, forks bigint,
               aside bigint, waited float8, stored bigint, tool_calls bigint,
               tool_errors bigint, timed bigint, latency_ms bigint)) AS s
 WHERE %(agents)s::text[] IS NULL OR agent_id = ANY (%(agents)s::text[])
 GROUP BY agent_id
"""
REACH = """
WITH reach AS (
     SELECT agent_id, measure, value, hour, gap, sessions, acts FROM metrics_reach
      WHERE %(is_closed)s::boolean
        AND project_id = %(project)s AND hour >= %(since)s AND hour < %(until)s
        AND NOT hour = ANY (%(live_hours)s::timestamptz[])
        AND measure = ANY (%(measures)s::text[])
        AND (%(agents)s::text[] IS NULL OR agent_id = ANY (%(agents)s::text[]))
     UNION ALL
     SELECT agent_id, measure, value, hour, gap, sessions, acts
       FROM json_to_recordset(%(live_reach)s::json) AS live (
            agent_id varchar, measure varchar, value varchar, hour timestamptz,
            gap integer, sessions bigint, acts bigint)
      WHERE measure = ANY (%(measures)s::text[])
        AND (%(agents)s::text[] IS NULL OR agent_id = ANY (%(agents)s::text[])))
"""
# Who had it before the range began, or never: everybody else is counted already.
GROUPS = (
    REACH
    + """
SELECT agent_id, measure, value, coalesce(sum(acts), 0)::bigint AS acts,
       coalesce(sum(sessions) FILTER (
           WHERE gap = 0 OR hour - gap * interval '1 hour' < %(since)s), 0)::bigint
         AS sessions, min(hour) AS first
  FROM reach GROUP BY agent_id, measure, value
"""
)
SERIES = (
    REACH
    + """,
placed AS (
     SELECT *, date_bin(%(step)s::interval, hour, %(origin)s) AS start FROM reach)
SELECT agent_id, measure, start, coalesce(sum(acts), 0)::bigint AS acts,
       coalesce(sum(sessions) FILTER (
           WHERE gap = 0 OR hour - gap * interval '1 hour' < start), 0)::bigint
         AS sessions
  FROM placed GROUP BY agent_id, measure, start
"""
)
WEEK = (
    REACH
    + """
SELECT extract(isodow FROM hour AT TIME ZONE 'UTC')::integer AS day,
       extract(hour FROM hour AT TIME ZONE 'UTC')::integer AS hour, measure,
       sum(sessions)::bigint AS sessions
  FROM reach GROUP BY 1, 2, 3
"""
)
# By what their rows are told apart; all else in them is added up.
KEYS = {
    SUMS: ("agent_id",),
    GROUPS: ("agent_id", "measure", "value"),
    SERIES: ("agent_id", "measure", "start"),
    WEEK: ("day", "hour", "measure"),
}
NOTHING = {"live_sums": "[]", "live_reach": "[]"}
ORIGIN = datetime.fromisoformat("2000-01-03T00:00:00+00:00")


@dataclass
class Reading:
    """The numbers of a project, of some of its agents if asked, in a range."""

    project_id: str
    range: Range
    # Our ids of agents; None means all.
    agents: Sequence[str] | None = None
    # Measures are asked for once.
    _groups: dict[str, list[Group]] = field(default_factory=dict)

    def totals(self) -> Figures:
        """Return everything of all agents together."""
        return sum(self.by_agent().values(), Figures())

    def sums(self) -> Figures:
        """Return what can be added up, of all agents together: no sessions."""
        return sum(map(Figures.of_sums, self._sums), Figures())

    def acts_by_hour(self) -> list[tuple[datetime, int]]:
        """Return how many versions and turns each hour has, in order."""
        found: dict[datetime, int] = defaultdict(int)
        for row in self._rows(SERIES, ("active",), step=HOUR, origin=ORIGIN):
            found[row.start] += row.acts
        return sorted(found.items())

    def by_agent(self) -> dict[str, Figures]:
        """Return everything by agent, of those that did something."""
        found: dict[str, Figures] = defaultdict(Figures)
        for row in self._sums:
            found[row.agent_id] += Figures.of_sums(row)
        for group in self.groups("active", "rolled_back"):
            found[group.agent_id] += group.as_figures()
        return dict(found)

    def groups(self, *measures: str) -> list[Group]:
        """Return the sessions and acts of these measures, by agent and value."""
        if self.range.is_short:
            return [group for group in self._exact if group.measure in measures]
        return [
            Group(
                row.agent_id, row.measure, row.value, row.sessions, row.acts, row.first
            )
            for row in self._rows(GROUPS, measures)
        ]

    def series(self) -> list[Point]:
        """Return the sessions and rollbacks of each hour or day, by agent.

        Days are those of UTC. Points where nothing happened are left out.
        """
        step, found = self.range.step, dict[tuple[str, datetime], Point]()
        rows = self._rows(SERIES, ("active", "rolled_back"), step=step, origin=ORIGIN)
        for row in rows:
            key = row.agent_id, row.start
            known = found.get(key, Point(agent_id=row.agent_id, start=row.start))
            found[key] = known.with_measure(row.measure, row.sessions, row.acts)
        return sorted(found.values(), key=lambda point: point.start)

    def week(self) -> dict[tuple[int, int], Figures]:
        """Return by (day from Monday as 1, hour of UTC) in how many hours sessions
        were active and rolled back: a session counts again in each hour."""
        found: dict[tuple[int, int], Figures] = defaultdict(Figures)
        for row in self._rows(WEEK, ("active", "rolled_back")):
            group = Group("", row.measure, "", row.sessions, 0)
            found[row.day, row.hour] += group.as_figures()
        return dict(found)

    def _rows(self, query: str, measures: Sequence[str] = (), **more: Any) -> list[Any]:
        """Ask the closed hours, or remember what they said, and the live ones."""
        hours = self._live_hours
        asked = self._about | {"measures": list(measures), **more}
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
        closed = remembered(
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
        spans = _spans(self._live_hours)
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
        ((followed,),) = sql.rows(FOLLOWED, [])
        asked = {"project": self.project_id, "since": since, "until": until}
        ((revision, hours),) = sql.rows(LIVE_HOURS, asked | {"followed": followed})
        return revision, sorted(hours)

    @property
    def _revision(self) -> int:
        return self._closing[0]

    @property
    def _live_hours(self) -> list[datetime]:
        return self._closing[1]

    @cached_property
    def _sums(self) -> list[Any]:
        if not self.range.is_short:
            return self._rows(SUMS)
        rows = facts.sums_of(self.project_id, self.range.start, self.range.end)
        return [row for row in rows if self._is_wanted(row.agent_id)]

    @cached_property
    def _exact(self) -> list[Group]:
        rows = facts.exact(self.project_id, self.range.start, self.range.end)
        return [Group(*row) for row in rows if self._is_wanted(row.agent_id)]

    def _is_wanted(self, agent_id: str) -> bool:
        return self.agents is None or agent_id in self.agents


def _spans(hours: Sequence[datetime]) -> list[tuple[datetime, datetime]]:
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
