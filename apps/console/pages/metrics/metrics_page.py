"""What the page of metrics shows, put together: numbers, charts, tables, links."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any
from urllib.parse import urlencode

from apps.agents.models import Agent
from apps.console.pages.metrics import charts
from apps.metrics import zones
from apps.metrics.figures import MINIMUM_SAMPLE, Figures, Point
from apps.metrics.range_query import Reading
from apps.metrics.ranges import WINDOWS, Range
from apps.metrics.ranking import DEPTHS, SECONDS, breakdown, classes, worst_first

SHOWN_AGENTS = 20
SHOWN_VALUES = 10
NOT_TOLD, OTHERS = "not told", "others, by hour"
BY = {
    "reason": "Reasons",
    "actor": "Who rolled back",
    "release": "Releases",
    "model": "Models",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentRow:
    """One agent of the ranking."""

    id: str
    name: str
    figures: Figures
    path: str
    link: str
    is_small: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class ValueRow:
    """One value of a breakdown."""

    name: str
    # Not so for what was not told, and for others.
    is_named: bool
    figures: Figures
    # None for others, which no list can be asked for by name.
    link: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Breakdown:
    """The rates by release, model, reason or actor."""

    by: str
    title: str
    rows: list[ValueRow]
    n_more: int

    @property
    def is_told(self) -> bool:
        return any(row.is_named for row in self.rows)


@dataclass(frozen=True, kw_only=True, slots=True)
class ReleaseStep:
    """An agent's newest release beside the one before it."""

    agent: str
    before: str
    after: str
    was: Figures
    now: Figures

    @property
    def points(self) -> float | None:
        """How many percentage points the rate moved."""
        return self.now.points_from(self.was)


def shown(
    reading: Reading, here: str, agent: Agent | None, zone: tzinfo
) -> dict[str, Any]:
    """Return the context of the page; `here` is the address of the list behind.

    Days and hours are those of the zone.
    """
    mine = {"agent": agent.id} if agent else {}
    points = reading.series(zone)
    by_agent = reading.by_agent()
    totals = sum(by_agent.values(), Figures())
    groups = reading.groups("depth", "waited")
    names = _names(reading.project_id, by_agent)
    found = reading.range
    starts = zones.starts(found, zone)
    chart = charts.rate_chart(_by_start(points), starts, found.end, zone=zone)
    return {
        "range": found,
        "windows": list(WINDOWS),
        "totals": totals,
        "minimum": MINIMUM_SAMPLE,
        "chart": chart,
        "spots": [
            (spot, link(here, Range(start=spot.start, end=spot.end), **mine))
            for spot in chart.spots
        ],
        "agents": _agents(reading, by_agent, points, names, here),
        "more_agents": max(len(by_agent) - SHOWN_AGENTS, 0),
        "spark": (charts.SPARK_WIDTH, charts.SPARK_HEIGHT),
        "depths": charts.bars(
            [(_span(a, b), n) for a, b, n in classes(groups, "depth", DEPTHS)]
        ),
        "waits": charts.bars(
            [(_wait(a, b), n) for a, b, n in classes(groups, "waited", SECONDS)]
        ),
        "breakdowns": [_values(reading, by, here, mine) for by in BY],
        "releases": _release_steps(reading, names),
        "cells": charts.heat_map(reading.week(zone), zone),
        "days": list(enumerate(charts.DAYS)),
        "behind": link(here, found, **mine),
    }


def link(here: str, found: Range, **more: str) -> str:
    """Return the address of the rollbacks behind a number."""
    place = {"from": found.start.isoformat(), "to": found.end.isoformat()}
    return f"{here}?{urlencode(place | more)}"


def _agents(
    reading: Reading,
    by_agent: dict[str, Figures],
    points: Iterable[Point],
    names: dict[str, str],
    here: str,
) -> list[AgentRow]:
    lines: dict[str, dict[datetime, Figures]] = defaultdict(dict)
    for point in points:
        lines[point.agent_id][point.start] = _figures(point)
    found = reading.range
    return [
        AgentRow(
            id=agent_id,
            name=names.get(agent_id, agent_id),
            figures=figures,
            path=charts.sparkline(lines[agent_id], found.start, found.end),
            link=link(here, found, agent=agent_id),
            is_small=figures.sessions < MINIMUM_SAMPLE,
        )
        for agent_id, figures in worst_first(by_agent)[:SHOWN_AGENTS]
    ]


def _values(reading: Reading, by: str, here: str, mine: dict[str, str]) -> Breakdown:
    """Return the first values, then always what was not told and all others."""
    found = [
        (value, figures)
        for value, figures in breakdown(reading, by)
        if figures.rolled_back or by in ("release", "model")
    ]
    named = [one for one in found if one[0]]
    nameless = [one for one in found if not one[0]]
    return Breakdown(
        by=by,
        title=BY[by],
        rows=[
            ValueRow(
                name=value or (NOT_TOLD if value == "" else OTHERS),
                is_named=bool(value),
                figures=figures,
                link=None
                if value is None
                else link(here, reading.range, **mine, **{by: value}),
            )
            for value, figures in [*named[:SHOWN_VALUES], *nameless]
        ],
        n_more=max(len(named) - SHOWN_VALUES, 0),
    )


def _release_steps(reading: Reading, names: dict[str, str]) -> list[ReleaseStep]:
    """Compare each agent's newest release with the one before, by first appearance."""
    found: dict[tuple[str, str], Figures] = defaultdict(Figures)
    first: dict[tuple[str, str], datetime] = {}
    for group in reading.groups("release", "release_rolled_back"):
        if not group.value:  # what was not told is no release
            continue
        key = group.agent_id, group.value
        if group.measure == "release":
            found[key] += Figures(sessions=group.sessions)
            if group.first is not None:
                first[key] = group.first
        else:
            found[key] += Figures(rolled_back=group.sessions)
    steps = []
    for agent_id in {agent for agent, _ in first}:
        mine = sorted(
            (at, name) for (agent, name), at in first.items() if agent == agent_id
        )
        if len(mine) > 1:
            (_, before), (_, after) = mine[-2:]
            steps.append(
                ReleaseStep(
                    agent=names.get(agent_id, agent_id),
                    before=before,
                    after=after,
                    was=found[agent_id, before],
                    now=found[agent_id, after],
                )
            )
    return sorted(steps, key=lambda step: (-(step.points or 0), step.agent))[
        :SHOWN_AGENTS
    ]


def _by_start(points: Iterable[Point]) -> dict[datetime, Figures]:
    found: dict[datetime, Figures] = defaultdict(Figures)
    for point in points:
        found[point.start] += _figures(point)
    return dict(found)


def _figures(point: Point) -> Figures:
    return Figures(
        sessions=point.sessions,
        rolled_back=point.rolled_back,
        rollbacks=point.rollbacks,
    )


def _names(project_id: str, ids: Iterable[str]) -> dict[str, str]:
    known = Agent.objects.of_project(project_id).filter(id__in=list(ids))
    return dict(known.values_list("id", "external_id"))


def _span(begins: int, ends: int | None) -> str:
    if ends is None:
        return f"{begins} or more"
    return str(begins) if ends == begins + 1 else f"{begins} to {ends - 1}"


def _wait(begins: int, ends: int | None) -> str:
    if ends is None:
        return f"{_whole(begins)} or longer"
    return (
        f"below {_whole(ends)}" if not begins else f"{_whole(begins)} to {_whole(ends)}"
    )


def _whole(seconds: int) -> str:
    for size, name in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {name}"
    return f"{seconds} s"
