"""What the page of metrics shows, put together: numbers, charts, tables, links."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any
from urllib.parse import urlencode

from apps.agents.models import Agent
from apps.console.pages.metrics import charts, heat_map, tables
from apps.console.pages.metrics.answer import answer, before_words
from apps.console.pages.metrics.frame import MOST_RELEASES, PAGE, Frame, Release
from apps.console.pages.metrics.rate_chart import RateChart, Spot, rate_chart
from apps.console.pages.metrics.tiles import Tile, latency_tile, tiles
from apps.metrics import zones
from apps.metrics.comparison import period_before, trend_of
from apps.metrics.figures import MINIMUM_SAMPLE, Figures, Point
from apps.metrics.range_query import Reading
from apps.metrics.ranges import Range
from apps.metrics.ranking import DEPTHS, FINE, SECONDS, classes, latency_within
from apps.metrics.spending import Spent, spent

# The share of turns within whose time the tile of latency tells.
SLOW = 0.95
MOST_MODELS = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """Whose numbers a page shows, when, and beside which ones before."""

    reading: Reading
    # Read whether or not it is shown: the first line is about it.
    earlier: Reading | None
    is_compared: bool
    agent: Agent | None
    zone: tzinfo

    @property
    def shown_before(self) -> Reading | None:
        return self.earlier if self.is_compared else None


def ask(
    project_id: str,
    range_: Range,
    *,
    agent: Agent | None,
    is_compared: bool,
    zone: tzinfo,
) -> Asked:
    """Return the readings of a time and of the one before."""
    agents = None if agent is None else [agent.id]
    before = period_before(range_)
    return Asked(
        reading=Reading(project_id, range_, agents),
        earlier=None if before is None else Reading(project_id, before, agents),
        is_compared=is_compared,
        agent=agent,
        zone=zone,
    )


def shown(asked: Asked, here: str) -> dict[str, Any]:
    """Return the context of the page; `here` is the address of the list behind.

    Days and hours are those of the zone.
    """
    reading, before = asked.reading, asked.shown_before
    mine = {"agent": asked.agent.id} if asked.agent else {}
    by_agent, found = reading.by_agent(), reading.range
    totals = sum(by_agent.values(), Figures())
    names = names_of(reading.project_id, by_agent)
    releases = _releases(asked, names)
    chart = chart_of(reading, before, asked.zone, releases=releases[-MOST_RELEASES:])
    rows = agent_rows(asked, names)
    steps = tables.release_steps(reading, names)
    return {
        "range": found,
        "before": before.range if before else None,
        "before_words": before_words(found),
        "answer": answer(trend_of(reading, asked.earlier), names, found),
        "totals": totals,
        "tiles": tiles_of(asked),
        "minimum": MINIMUM_SAMPLE,
        "chart": chart,
        "releases": releases,
        "spots": spots_of(chart, here, **mine),
        "agents": [
            (row, link(here, found, agent=row.id))
            for row in rows[: tables.SHOWN_AGENTS]
        ],
        "more_agents": max(len(rows) - tables.SHOWN_AGENTS, 0),
        "spark": (charts.SPARK_WIDTH, charts.SPARK_HEIGHT),
        "bars": bars_of(asked),
        "breakdowns": [_values(asked, by, here, mine) for by in tables.BY],
        "usage": used_by_model(reading),
        # Of whole hours, as what they used is: a short range has fewer.
        "turns": reading.turns_in_hours(),
        "steps": steps[: tables.SHOWN_AGENTS],
        "cells": heat_map.heat_map(reading.week(asked.zone), asked.zone),
        "legend": list(enumerate(heat_map.LEGEND)),
        "days": list(enumerate(heat_map.DAYS)),
        "behind": link(here, found, **mine),
    }


def used_by_model(reading: Reading) -> Spent | None:
    """Return tokens and costs by model, the most tokens first; None where none said."""
    found = spent(reading, "model")
    ranked = sorted(found.by.items(), key=lambda one: (-one[1].tokens, one[0]))
    shown = dict(ranked[:MOST_MODELS])
    return Spent(total=found.total, by=shown) if shown else None


def link(here: str, found: Range, **more: str) -> str:
    """Return the address of the rollbacks behind a number."""
    place = {"from": found.start.isoformat(), "to": found.end.isoformat()}
    return f"{here}?{urlencode(place | more)}"


def tiles_of(asked: Asked) -> list[Tile]:
    """Return the numbers of a time, the rate first."""
    now, before = asked.reading, asked.shown_before
    totals, was = now.totals(), before.totals() if before else None
    slow, slow_before = (
        latency_within(one.groups(FINE), SLOW) if one else None for one in (now, before)
    )
    return [*tiles(totals, was), latency_tile(totals, was, slow, slow_before)]


def chart_of(
    reading: Reading,
    before: Reading | None,
    zone: tzinfo,
    *,
    releases: Sequence[Release] = (),
    frame: Frame = PAGE,
) -> RateChart:
    """Return the rate over time, and over the time before where that is shown."""
    return rate_chart(
        _by_start(reading.series(zone)),
        zones.starts(reading.range, zone),
        reading.range.end,
        zone=zone,
        before=_by_start(before.series(zone)) if before else None,
        releases=releases,
        frame=frame,
    )


def spots_of(chart: RateChart, here: str, **more: str) -> list[tuple[Spot, str]]:
    """Return the points of a chart, each with the address of the rollbacks behind it.

    `here` is that of their list, which is narrowed to `more` as well.
    """
    return [
        (spot, link(here, Range(start=spot.start, end=spot.end), **more))
        for spot in chart.spots
    ]


def agent_rows(asked: Asked, names: dict[str, str]) -> list[tables.AgentRow]:
    """Return the agents of a time, the worst first."""
    before = asked.shown_before
    return tables.agent_rows(
        asked.reading,
        before.by_agent() if before else None,
        asked.reading.series(asked.zone),
        names,
    )


def bars_of(asked: Asked) -> list[tuple[str, str, str, list[charts.Bar]]]:
    """Return how deep and how late rollbacks were: name, title, first column, rows."""
    now = _classes(asked.reading)
    before = _classes(asked.shown_before) if asked.shown_before else None
    depths, waits = (
        charts.bars(now[at], before[at] if before else None) for at in (0, 1)
    )
    return [
        ("depth", "Depth of rollbacks", "Versions set aside", depths),
        ("time-to-rollback", "Time to rollback", "From the first bad version", waits),
    ]


def names_of(project_id: str, ids: Iterable[str]) -> dict[str, str]:
    """Return the names of agents by our ids."""
    known = Agent.objects.of_project(project_id).filter(id__in=list(ids))
    return dict(known.values_list("id", "external_id"))


def _releases(asked: Asked, names: dict[str, str]) -> list[Release]:
    if asked.earlier is None:
        return []
    return tables.new_releases(asked.reading, asked.earlier, names, asked.zone)


def _values(
    asked: Asked, by: str, here: str, mine: dict[str, str]
) -> tuple[tables.Breakdown, list[tuple[tables.ValueRow, str | None]]]:
    """Return a breakdown and its rows with the lists behind them.

    Others have none: no list can be asked for them by name.
    """
    rows = tables.value_rows(asked.reading, asked.shown_before, by)
    shown = tables.shown_values(rows, by)
    links = [
        None
        if row.value is None
        else link(here, asked.reading.range, **mine, **{by: row.value})
        for row in shown.rows
    ]
    return shown, list(zip(shown.rows, links, strict=True))


def _classes(reading: Reading) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    groups = reading.groups("depth", "waited")
    depths = classes(groups, "depth", DEPTHS)
    waits = classes(groups, "waited", SECONDS)
    return [(_span(a, b), n) for a, b, n in depths], [
        (_wait(a, b), n) for a, b, n in waits
    ]


def _by_start(points: Iterable[Point]) -> dict[datetime, Figures]:
    found: dict[datetime, Figures] = defaultdict(Figures)
    for point in points:
        found[point.start] += tables.figures_of(point)
    return dict(found)


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
