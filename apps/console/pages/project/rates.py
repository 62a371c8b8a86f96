"""How the last day went, for a project's first page: its rate, and its releases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from django.urls import reverse

from apps.accounts.models import Project
from apps.console.pages.metrics.frame import CARD
from apps.console.pages.metrics.metrics_page import chart_of, link, spots_of
from apps.console.pages.metrics.rate_chart import RateChart, Spot
from apps.metrics.figures import MINIMUM_SAMPLE, Figures
from apps.metrics.range_query import Reading
from apps.metrics.ranges import USUAL, Range, window
from apps.metrics.ranking import breakdown, worst_first

SHOWN_RELEASES = 6
# The bar of a rate is full from here on, so that single percents can be told apart.
FULL = 0.25
BAR_WIDTH = 80


@dataclass(frozen=True, kw_only=True, slots=True)
class ReleaseRate:
    """One release and its rate, drawn `width` of `BAR_WIDTH` wide."""

    name: str
    figures: Figures
    width: int
    url: str


@dataclass(frozen=True, kw_only=True, slots=True)
class DayRates:
    """The rollback rate of the last day beside the day before, releases worst first."""

    window: str
    figures: Figures
    before: Figures
    releases: Sequence[ReleaseRate]
    n_more: int
    url: str
    chart: RateChart
    # Each point, and the rollbacks that it leads to.
    spots: Sequence[tuple[Spot, str]]
    minimum: int = MINIMUM_SAMPLE
    bar_width: int = BAR_WIDTH

    @property
    def points(self) -> float | None:
        """How many percentage points the rate moved; None where one day has none."""
        return self.figures.points_from(self.before)


def of_last_day(project: Project, *, now: datetime, zone: tzinfo) -> DayRates:
    """Read the rates of the last day and of the one before, its hours by the zone."""
    day = window(USUAL, now=now)
    reading = Reading(project.id, day)
    before = Range(start=day.start - day.length, end=day.start)
    earlier = Reading(project.id, before)
    releases = _releases(reading, project)
    chart = chart_of(reading, earlier, zone, frame=CARD)
    behind = reverse("console:metrics_rollbacks", args=[project.slug])
    return DayRates(
        window=USUAL,
        figures=reading.totals(),
        before=earlier.totals(),
        releases=releases[:SHOWN_RELEASES],
        n_more=max(len(releases) - SHOWN_RELEASES, 0),
        url=reverse("console:metrics", args=[project.slug]),
        chart=chart,
        spots=spots_of(chart, behind),
    )


def _releases(reading: Reading, project: Project) -> list[ReleaseRate]:
    """Return named releases by rate; those of few sessions say little and come last."""
    found = {name: one for name, one in breakdown(reading, "release") if name}
    here = reverse("console:metrics_rollbacks", args=[project.slug])
    return [
        ReleaseRate(
            name=name,
            figures=figures,
            width=round(BAR_WIDTH * min((figures.rate or 0) / FULL, 1)),
            url=link(here, reading.range, release=name),
        )
        for name, figures in worst_first(found)
    ]
