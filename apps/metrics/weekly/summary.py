"""What a week says: its rate beside the one before, the worst, and what changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from apps.accounts.models import Project
from apps.agents.models import Agent
from apps.audit.actions import Action
from apps.audit.models import Event
from apps.core.ids import first_id
from apps.metrics.comparison import Trend, releases_of, trend_of
from apps.metrics.figures import MINIMUM_SAMPLE, Figures
from apps.metrics.models import Rule
from apps.metrics.range_query import Reading
from apps.metrics.ranges import Range

WEEK = timedelta(days=7)
# Of each list; more are counted.
LISTED = 3
MOST_EVENTS = 1_000
# An agent's name, and its release if it is about one.
Whose = tuple[str, str | None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """A week of a project; names are those that agents gave themselves."""

    week: Range
    trend: Trend
    cause: Whose | None
    worst_agents: list[tuple[Whose, Figures]]
    worst_releases: list[tuple[Whose, Figures]]
    new_releases: list[Whose]
    # How often each alert fired, by its name, the most often first.
    fired: list[tuple[str, int]]
    # How many fire still.
    firing: int


def summary_of(project: Project, start: datetime) -> Summary:
    """Return what the week that begins at `start` says of a project."""
    week = Range(start=start, end=start + WEEK)
    reading = Reading(project.id, week)
    earlier = Reading(project.id, Range(start=start - WEEK, end=start))
    trend = trend_of(reading, earlier)
    names = _names(project, [reading, earlier])
    cause = trend.cause
    found = releases_of(reading)
    known = releases_of(earlier)
    return Summary(
        week=week,
        trend=trend,
        cause=(names[cause.agent_id], cause.release) if cause else None,
        worst_agents=_worst(
            {(names[one], None): of for one, of in reading.by_agent().items()}
        ),
        worst_releases=_worst(
            {
                (names[one], release): of
                for one, mine in found.items()
                for release, of in mine.items()
                if release
            }
        ),
        new_releases=sorted(
            (names[one], release)
            for one, mine in found.items()
            for release in mine.keys() - known.get(one, {}).keys()
            if release
        ),
        fired=_fired(project, week),
        firing=Rule.objects.of_project(project.id).firing().count(),
    )


def _worst(found: Mapping[Whose, Figures]) -> list[tuple[Whose, Figures]]:
    """Return those of which enough says that they were rolled back, worst first."""
    told = [
        (name, of)
        for name, of in found.items()
        if of.rolled_back and of.sessions >= MINIMUM_SAMPLE
    ]
    told.sort(key=lambda one: (-(one[1].rate or 0), -one[1].rolled_back, one[0]))
    return told[:LISTED]


def _names(project: Project, readings: Iterable[Reading]) -> dict[str, str]:
    """Return what the agents of some readings are called, by our id."""
    ids = {agent_id for reading in readings for agent_id in reading.by_agent()}
    mine = Agent.objects.of_project(project.id).filter(id__in=ids)
    return dict.fromkeys(ids, "") | dict(mine.values_list("id", "external_id"))


def _fired(project: Project, week: Range) -> list[tuple[str, int]]:
    told = (
        Event.objects.for_project(project.id)
        .with_action([Action.ALERT_FIRING])
        .filter(id__gte=first_id("trace", week.start))
        .filter(id__lt=first_id("trace", week.end))
        .order_by("-id")[:MOST_EVENTS]
    )
    names = Counter(
        str(one.details.get("name", one.resource_id))
        for one in told
        if not one.details.get("is_test")
    )
    return sorted(names.items(), key=lambda one: (-one[1], one[0]))
