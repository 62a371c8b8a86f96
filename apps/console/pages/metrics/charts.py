"""Charts as geometry and words: a template draws them, a table repeats them.

Server-side SVG without a script: it prints, works under the strictest policy, and every
point says in words what it is. Colour is never the only sign: bands are named on their
axis, cells of a heat map have their number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from itertools import pairwise

from apps.metrics.facts import HOUR
from apps.metrics.figures import CRITICAL, WARNING, WATCH, Band, Figures

WIDTH, HEIGHT = 960, 240
LEFT, RIGHT, TOP, BOTTOM = 48, 72, 10, 26
SPARK_WIDTH, SPARK_HEIGHT = 96, 20
# Of an axis of time: about so many words, that do not touch each other.
TICKS, TICK_WIDTH = 8, 48
# The axis ends between these; a higher rate stands at its upper edge, in words.
LEAST_TOP, MOST_TOP = 0.12, 0.25
BANDS = (
    ("healthy", 0.0, WATCH),
    ("watch", WATCH, WARNING),
    ("warning", WARNING, CRITICAL),
    ("critical", CRITICAL, 1.0),
)
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
# Shades of a heat map, by where the thresholds lie.
SHADES = {Band.HEALTHY: 1, Band.WATCH: 2, Band.WARNING: 3, Band.CRITICAL: 4}


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
class Tick:
    x: float
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RateChart:
    """The rollback rate over time."""

    spots: list[Spot]
    path: str
    bands: list[BandArea]
    ticks: list[Tick]
    words: str
    zone: str
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    inner: int = WIDTH - RIGHT - LEFT
    base: int = HEIGHT - BOTTOM


@dataclass(frozen=True, kw_only=True, slots=True)
class Bar:
    """One row of a table that is also drawn; `width` is in percent of the longest."""

    name: str
    count: int
    width: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """One hour of one day of the week; shade 0 has nothing in it."""

    x: int
    y: int
    shade: int
    text: str
    words: str


def rate_chart(
    points: Mapping[datetime, Figures],
    starts: Sequence[datetime],
    end: datetime,
    *,
    zone: tzinfo,
) -> RateChart:
    """Lay out the rate of the hours or days that begin at `starts`, up to `end`.

    Those without sessions have no point.
    """
    highest = max((found.rate or 0 for found in points.values()), default=0)
    top = min(max(LEAST_TOP, highest), MOST_TOP)
    x_of = _scale(starts[0].timestamp(), end.timestamp(), LEFT, WIDTH - RIGHT)
    y_of = _scale(0, top, HEIGHT - BOTTOM, TOP)
    spots = [
        Spot(
            x=x_of(_middle(start, next_start)),
            y=y_of(min(found.rate, top)),
            start=start,
            end=next_start,
            when=when(start, zone),
            figures=found,
        )
        for start, next_start in pairwise([*starts, end])
        if (found := points.get(start)) is not None and found.rate is not None
    ]
    return RateChart(
        spots=spots,
        path=_path([(spot.x, spot.y) for spot in spots]),
        bands=_bands(top, y_of),
        ticks=_ticks(starts, x_of, zone),
        words=_rate_story(spots),
        zone=str(zone),
    )


def sparkline(
    points: Mapping[datetime, Figures], start: datetime, end: datetime
) -> str:
    """Return the path of an agent's rate; the same scale for all agents."""
    x_of = _scale(start.timestamp(), end.timestamp(), 1, SPARK_WIDTH - 1)
    y_of = _scale(0, LEAST_TOP * 2, SPARK_HEIGHT - 1, 1)
    return _path(
        [
            (x_of(at.timestamp()), max(y_of(found.rate), 1.0))
            for at, found in sorted(points.items())
            if found.rate is not None
        ]
    )


def bars(rows: Sequence[tuple[str, int]]) -> list[Bar]:
    """Return rows with their lengths, in steps of five percent: classes of CSS."""
    longest = max((count for _, count in rows), default=0)
    return [
        Bar(name=name, count=count, width=_step(count, longest)) for name, count in rows
    ]


def heat_map(week: Mapping[tuple[int, int], Figures], zone: tzinfo) -> list[Cell]:
    """Return a cell for each hour of the zone's week, Monday first."""
    return [
        _cell(day, hour, week.get((day, hour), Figures()), zone)
        for day in range(1, 8)
        for hour in range(24)
    ]


def when(at: datetime, zone: tzinfo) -> str:
    """Write a moment by a zone's clocks; an hour that comes twice is told apart."""
    local = at.astimezone(zone)
    return f"{local.day} {local:%b %Y, %H:%M %Z}"


def rate_words(found: Figures) -> str:
    return "no sessions" if found.rate is None else percent(found.rate)


def sample_words(found: Figures) -> str:
    return f"{found.rolled_back:,} of {found.sessions:,} sessions rolled back"


def percent(rate: float) -> str:
    return f"{rate * 100:.1f} %"


def duration(seconds: float) -> str:
    """Say how long, in the largest units that matter."""
    for size, name in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.1f} {name}"
    return f"{seconds:.0f} s"


def _cell(day: int, hour: int, found: Figures, zone: tzinfo) -> Cell:
    shade, text = 0, ""
    if found.rate is not None:
        shade = SHADES.get(found.band, 1 if not found.rolled_back else 2)
        text = f"{found.rate * 100:.0f}"
    return Cell(
        x=hour,
        y=day - 1,
        shade=shade,
        text=text,
        words=f"{DAYS[day - 1]} {hour:02}:00 {zone}: {rate_words(found)}, "
        f"{sample_words(found)}",
    )


def _middle(start: datetime, end: datetime) -> float:
    return (start.timestamp() + end.timestamp()) / 2


def _scale(
    low: float, high: float, begins: float, ends: float
) -> Callable[[float | None], float]:
    span = (high - low) or 1
    return lambda value: round(
        begins + ((value or 0) - low) / span * (ends - begins), 1
    )


def _path(places: Sequence[tuple[float, float]]) -> str:
    if len(places) == 1:
        ((x, y),) = places
        places = [(x - 2, y), (x + 2, y)]
    return " ".join(
        f"{'L' if at else 'M'}{x:g} {y:g}" for at, (x, y) in enumerate(places)
    )


def _bands(top: float, y_of: Callable[[float | None], float]) -> list[BandArea]:
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


def _ticks(
    starts: Sequence[datetime], x_of: Callable[[float | None], float], zone: tzinfo
) -> list[Tick]:
    """Return where some of the hours or days begin, evenly apart."""
    is_daily = len(starts) > 1 and starts[-1] - starts[-2] > HOUR
    chosen = starts[:: -(-len(starts) // TICKS)]
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
    """Say in words what the line shows."""
    rates = [spot.figures.rate or 0 for spot in spots]
    if not rates:
        return "No session was active in this time."
    above = sum(rate >= WATCH for rate in rates)
    return (
        f"Rollback rate between {percent(min(rates))} and {percent(max(rates))}, "
        f"at or above the 2 % threshold in {above} of {len(rates)} points."
    )


def _step(count: int, longest: int) -> int:
    return -(-count * 20 // longest) * 5 if longest else 0
