"""The tables of the page: agents and values worst first, releases before and after."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo

from apps.console.pages.metrics import charts
from apps.console.pages.metrics.frame import Release
from apps.console.pages.metrics.tiles import Change, points
from apps.metrics.comparison import releases_of
from apps.metrics.figures import MINIMUM_SAMPLE, Figures, Point
from apps.metrics.range_query import Reading
from apps.metrics.ranking import breakdown, worst_first

SHOWN_AGENTS = 20
SHOWN_VALUES = 10
NOT_TOLD, OTHERS = "not told", "others, by hour"
BY = {
    "reason": "Reasons",
    "actor": "Who rolled back",
    "release": "Releases",
    "model": "Models",
}
# Of these the sessions differ from row to row; the others are of all sessions.
WITH_RATES = ("release", "model")


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentRow:
    """One agent of the ranking."""

    id: str
    name: str
    figures: Figures
    change: Change | None
    path: str

    @property
    def is_small(self) -> bool:
        return self.figures.sessions < MINIMUM_SAMPLE


@dataclass(frozen=True, kw_only=True, slots=True)
class ValueRow:
    """One value of a breakdown; None stands for the others, that have no name."""

    value: str | None
    figures: Figures
    change: Change | None
    is_small: bool

    @property
    def name(self) -> str:
        return self.value or (NOT_TOLD if self.value == "" else OTHERS)


@dataclass(frozen=True, kw_only=True, slots=True)
class Breakdown:
    """The rates by release, model, reason or actor."""

    by: str
    title: str
    rows: list[ValueRow]
    n_more: int

    @property
    def is_told(self) -> bool:
        return any(row.value for row in self.rows)


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

    @property
    def is_small(self) -> bool:
        return min(self.was.sessions, self.now.sessions) < MINIMUM_SAMPLE


def agent_rows(
    reading: Reading,
    before: Mapping[str, Figures] | None,
    series: Iterable[Point],
    names: Mapping[str, str],
) -> list[AgentRow]:
    """Return all agents that did something, the worst first and small samples last."""
    lines: dict[str, dict[datetime, Figures]] = defaultdict(dict)
    for point in series:
        lines[point.agent_id][point.start] = figures_of(point)
    found = reading.range
    return [
        AgentRow(
            id=agent_id,
            name=names.get(agent_id, agent_id),
            figures=figures,
            change=points(figures, _before(before, agent_id)),
            path=charts.sparkline(lines[agent_id], found.start, found.end),
        )
        for agent_id, figures in worst_first(reading.by_agent())
    ]


def value_rows(reading: Reading, earlier: Reading | None, by: str) -> list[ValueRow]:
    """Return every value that has something to say.

    Releases and models with enough sessions stand first, by their rate; what was not
    told and what has no name of its own stand at the end.
    """
    before = dict(breakdown(earlier, by)) if earlier else None
    rows = [
        ValueRow(
            value=value,
            figures=figures,
            change=None
            if before is None
            else points(figures, before.get(value, Figures())),
            is_small=figures.sessions < MINIMUM_SAMPLE,
        )
        for value, figures in breakdown(reading, by)
        if figures.rolled_back or by in WITH_RATES
    ]
    return sorted(rows, key=lambda row: _place(row, by))


def shown_values(rows: list[ValueRow], by: str) -> Breakdown:
    """Return the first values, then always what was not told and all others."""
    named = [row for row in rows if row.value]
    nameless = [row for row in rows if not row.value]
    return Breakdown(
        by=by,
        title=BY[by],
        rows=[*named[:SHOWN_VALUES], *nameless],
        n_more=max(len(named) - SHOWN_VALUES, 0),
    )


def release_steps(reading: Reading, names: Mapping[str, str]) -> list[ReleaseStep]:
    """Compare each agent's newest release with the one before, by first appearance."""
    first, found = first_seen(reading), releases_of(reading)
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
                    was=found[agent_id][before],
                    now=found[agent_id][after],
                )
            )
    return sorted(
        steps, key=lambda step: (step.is_small, -(step.points or 0), step.agent)
    )


def new_releases(
    reading: Reading, earlier: Reading, names: Mapping[str, str], zone: tzinfo
) -> list[Release]:
    """Return the releases of this time that the time before had not, oldest first."""
    known = set(first_seen(earlier))
    return sorted(
        (
            Release(
                agent=names.get(agent_id, agent_id),
                name=name,
                at=at,
                when=charts.when(at, zone),
            )
            for (agent_id, name), at in first_seen(reading).items()
            if (agent_id, name) not in known
        ),
        key=lambda one: (one.at, one.agent, one.name),
    )


def first_seen(reading: Reading) -> dict[tuple[str, str], datetime]:
    """Return the first hour of the range that has each agent's release."""
    return {
        (group.agent_id, group.value): group.first
        for group in reading.groups("release", "release_rolled_back")
        if group.measure == "release" and group.value and group.first is not None
    }


def figures_of(point: Point) -> Figures:
    return Figures(
        sessions=point.sessions,
        rolled_back=point.rolled_back,
        rollbacks=point.rollbacks,
    )


def _before(before: Mapping[str, Figures] | None, agent_id: str) -> Figures | None:
    return None if before is None else before.get(agent_id, Figures())


def _place(row: ValueRow, by: str) -> tuple[bool, bool, float, int, int, str]:
    figures = row.figures
    rate = (figures.rate or 0) if by in WITH_RATES else 0.0
    return (
        not row.value,
        row.is_small,
        -rate,
        -figures.rolled_back,
        -figures.sessions,
        row.value or "",
    )
