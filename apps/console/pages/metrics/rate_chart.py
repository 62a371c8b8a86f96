"""The rollback rate over time as geometry and words, beside the time before.

A point of few sessions is hollow and in no count of what lies above a threshold: one
session of one is 100 %, and says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from itertools import pairwise
from math import ceil

from apps.console.pages.metrics.charts import (
    path,
    percent,
    rate_words,
    sample_words,
    scale,
    when,
)
from apps.console.pages.metrics.frame import (
    PAGE,
    Axis,
    Frame,
    Release,
    Tick,
    release_lines,
)
from apps.metrics.facts import HOUR
from apps.metrics.figures import CRITICAL, MINIMUM_SAMPLE, WARNING, WATCH, Figures

# Words on the axis of time do not touch each other.
TICK_WIDTH = 48
# The axis ends between these; a higher rate stands at its upper edge, in words.
LEAST_TOP, MOST_TOP = 0.12, 0.25
BANDS = (
    ("healthy", 0.0, WATCH),
    ("watch", WATCH, WARNING),
    ("warning", WARNING, CRITICAL),
    ("critical", CRITICAL, 1.0),
)
Points = Mapping[datetime, Figures]


@dataclass(frozen=True, kw_only=True, slots=True)
class Spot:
    """One point of the rate, with what it says and where it leads."""

    x: float
    y: float
    start: datetime
    end: datetime
    # When it starts, by the reader's clocks.
    when: str
    figures: Figures

    @property
    def is_few(self) -> bool:
        return self.figures.sessions < MINIMUM_SAMPLE

    @property
    def words(self) -> str:
        return f"{rate_words(self.figures)}: {sample_words(self.figures)}"


@dataclass(frozen=True, kw_only=True, slots=True)
class BandArea:
    """One band, as far as the axis shows it."""

    name: str
    y: float
    height: float
    label_y: float
    threshold: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RateChart:
    """The rollback rate over time."""

    spots: list[Spot]
    path: str
    before: str
    bands: list[BandArea]
    ticks: list[Tick]
    releases: list[Tick]
    today: Tick | None
    top: str
    last: Tick | None
    words: str
    zone: str
    frame: Frame


def rate_chart(
    points: Points,
    starts: Sequence[datetime],
    end: datetime,
    *,
    zone: tzinfo,
    before: Points | None = None,
    releases: Sequence[Release] = (),
    frame: Frame = PAGE,
) -> RateChart:
    """Lay out the rate of the hours or days that begin at `starts`, up to `end`.

    Those without sessions have no point. `before` are the points of the time before,
    drawn where they would be had they happened so much later.
    """
    frame = frame.below(len(releases))
    top = _top([*points.values(), *(before or {}).values()])
    x_of = scale(starts[0].timestamp(), end.timestamp(), frame.left, frame.right)
    y_of = scale(0, top, frame.base, frame.roof)
    spots = _spots(points, [*starts, end], x_of, y_of, top, zone)
    later = end - starts[0]
    half = (starts[-1] - starts[-2]) / 2 if len(starts) > 1 else later / 2
    return RateChart(
        spots=spots,
        path=path([(spot.x, spot.y) for spot in spots]),
        before=path(
            [
                (min(x_of((at + later + half).timestamp()), frame.right), y)
                for at, found in sorted((before or {}).items())
                if found.rate is not None and (y := y_of(min(found.rate, top)))
            ]
        ),
        bands=_bands(top, y_of),
        ticks=_ticks(starts, x_of, zone, frame.ticks),
        releases=release_lines(releases, x_of, frame),
        today=_today(starts, end, x_of, zone, frame),
        top=f"{top * 100:.0f} %",
        last=_last(spots, frame),
        words=_rate_story(spots),
        zone=str(zone),
        frame=frame,
    )


def _top(points: Sequence[Figures]) -> float:
    """Return where the axis ends: a whole percent, and no height of a few sessions."""
    rates = [found.rate or 0 for found in points if found.sessions >= MINIMUM_SAMPLE]
    highest = ceil(max(rates, default=0) * 100) / 100
    return min(max(LEAST_TOP, highest), MOST_TOP)


def _spots(
    points: Points,
    bounds: Sequence[datetime],
    x_of: Axis,
    y_of: Axis,
    top: float,
    zone: tzinfo,
) -> list[Spot]:
    return [
        Spot(
            x=x_of(_middle(start, next_start)),
            y=y_of(min(found.rate, top)),
            start=start,
            end=next_start,
            when=when(start, zone),
            figures=found,
        )
        for start, next_start in pairwise(bounds)
        if (found := points.get(start)) is not None and found.rate is not None
    ]


def _middle(start: datetime, end: datetime) -> float:
    return (start.timestamp() + end.timestamp()) / 2


def _today(
    starts: Sequence[datetime], end: datetime, x_of: Axis, zone: tzinfo, frame: Frame
) -> Tick | None:
    """Return the last midnight of the zone, where the points are hours."""
    if _is_daily(starts):
        return None
    local = end.astimezone(zone) - timedelta(microseconds=1)
    midnight = local.replace(hour=0, minute=0, second=0, microsecond=0)
    if not starts[0] < midnight < end:
        return None
    x = x_of(midnight.timestamp())
    # Right of the plot stand the names of the bands.
    anchor = "start" if frame.right - x > TICK_WIDTH else "end"
    return Tick(x=x, text=f"{midnight:%a} {midnight.day}", anchor=anchor)


def _last(spots: Sequence[Spot], frame: Frame) -> Tick | None:
    """Return what is written at the last point that says something."""
    if not spots or spots[-1].is_few:
        return None
    last = spots[-1]
    # Below a point that has no room above it.
    y = last.y - 10 if last.y > frame.roof + 24 else last.y + 20
    return Tick(x=last.x, y=y, text=rate_words(last.figures), anchor="end")


def _bands(top: float, y_of: Axis) -> list[BandArea]:
    return [
        BandArea(
            name=name,
            y=y_of(min(ends, top)),
            height=round(y_of(begins) - y_of(min(ends, top)), 1),
            label_y=round(y_of(begins) - 4, 1),
            threshold=f"{begins * 100:.0f} %",
        )
        for name, begins, ends in BANDS
        if begins < top
    ]


def _is_daily(starts: Sequence[datetime]) -> bool:
    return len(starts) > 1 and starts[-1] - starts[-2] > HOUR


def _ticks(
    starts: Sequence[datetime], x_of: Axis, zone: tzinfo, most: int
) -> list[Tick]:
    """Return where some of the hours or days begin, evenly apart."""
    is_daily = _is_daily(starts)
    chosen = starts[:: -(-len(starts) // most)]
    ticks = [
        Tick(x=x_of(at.timestamp()), text=_tick_text(at.astimezone(zone), is_daily))
        for at in chosen
    ]
    # The first may begin late in its day.
    is_crowded = len(ticks) > 1 and ticks[1].x - ticks[0].x < TICK_WIDTH
    return ticks[1:] if is_crowded else ticks


def _tick_text(local: datetime, is_daily: bool) -> str:
    return f"{local.day} {local:%b}" if is_daily else f"{local:%H:%M}"


def _rate_story(spots: Sequence[Spot]) -> str:
    """Say in words what the line shows, of points with enough sessions to say it."""
    if not spots:
        return "No session was active in this time."
    rates = [spot.figures.rate or 0 for spot in spots if not spot.is_few]
    if not rates:
        return (
            f"No point has {MINIMUM_SAMPLE} sessions or more: each alone says little."
        )
    above = sum(rate >= WATCH for rate in rates)
    few = len(spots) - len(rates)
    return (
        f"Rollback rate between {percent(min(rates))} and {percent(max(rates))}, "
        f"at or above the 2 % threshold in {above} of {len(rates)} points"
        + (f"; {few} more have under {MINIMUM_SAMPLE} sessions." if few else ".")
    )
