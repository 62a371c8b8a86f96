"""Charts as geometry and words: a template draws them, a table repeats them.

Server-side SVG without a script: it prints, works under the strictest policy, and every
point says in words what it is. Colour is never the only sign: bands are named on their
axis, cells of a heat map have their number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from apps.metrics.figures import CRITICAL, WARNING, WATCH, Band, Figures

WIDTH, HEIGHT = 960, 240
LEFT, RIGHT, TOP, BOTTOM = 48, 72, 10, 26
SPARK_WIDTH, SPARK_HEIGHT = 96, 20
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
    at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class RateChart:
    """The rollback rate over time."""

    spots: list[Spot]
    path: str
    bands: list[BandArea]
    ticks: list[Tick]
    is_daily: bool
    words: str
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
    points: Mapping[datetime, Figures], start: datetime, end: datetime, step: timedelta
) -> RateChart:
    """Lay out the rate between two moments; steps without sessions have no point."""
    highest = max((found.rate or 0 for found in points.values()), default=0)
    top = min(max(LEAST_TOP, highest), MOST_TOP)
    x_of = _scale(start.timestamp(), end.timestamp(), LEFT, WIDTH - RIGHT)
    y_of = _scale(0, top, HEIGHT - BOTTOM, TOP)
    spots = [
        Spot(
            x=x_of(_middle(max(at, start), min(at + step, end))),
            y=y_of(min(found.rate, top)),
            start=max(at, start),
            end=min(at + step, end),
            figures=found,
        )
        for at, found in sorted(points.items())
        if found.rate is not None
    ]
    return RateChart(
        spots=spots,
        path=_path([(spot.x, spot.y) for spot in spots]),
        bands=_bands(top, y_of),
        ticks=_ticks(start, end, x_of),
        is_daily=step > timedelta(hours=1),
        words=_rate_story(spots),
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


def heat_map(week: Mapping[tuple[int, int], Figures]) -> list[Cell]:
    """Return a cell for each hour of the week, Monday first, hours of UTC."""
    return [
        _cell(day, hour, week.get((day, hour), Figures()))
        for day in range(1, 8)
        for hour in range(24)
    ]


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


def _cell(day: int, hour: int, found: Figures) -> Cell:
    shade, text = 0, ""
    if found.rate is not None:
        shade = SHADES.get(found.band, 1 if not found.rolled_back else 2)
        text = f"{found.rate * 100:.0f}"
    return Cell(
        x=hour,
        y=day - 1,
        shade=shade,
        text=text,
        words=f"{DAYS[day - 1]} {hour:02}:00 UTC: {rate_words(found)}, "
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
    start: datetime, end: datetime, x_of: Callable[[float | None], float]
) -> list[Tick]:
    """Return about seven moments, evenly apart."""
    hours = max(int((end - start).total_seconds() // 3_600), 1)
    apart = max(hours // 7, 1)
    return [
        Tick(x=x_of(at.timestamp()), at=at)
        for at in (start + timedelta(hours=n) for n in range(0, hours + 1, apart))
    ]


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
