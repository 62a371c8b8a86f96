"""Sessions over time as bars, each a link to the sessions that began there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

WIDTH, HEIGHT = 1128, 84
LEFT, TOP, BOTTOM = 40, 4, 18
GAP = 2
# A bar is no wider, so that few of them do not look like many sessions; a week of six
# hours each fills the width.
WIDEST = 40
# What the names of two moments take beside each other.
BETWEEN = 180


@dataclass(frozen=True, kw_only=True, slots=True)
class Stretch:
    """One stretch of time; of how many was rolled back, or looks wrong, if known.

    Where nothing began there is no bar, and `url` may be empty.
    `both` counts those that were rolled back and look wrong all the same.
    """

    start: datetime
    end: datetime
    count: int
    rolled_back: int | None = None
    wrong: int | None = None
    both: int = 0
    url: str

    @property
    def words(self) -> str:
        said = [f"{self.count:,} session{'' if self.count == 1 else 's'}"]
        if self.rolled_back:
            said.append(f"{self.rolled_back:,} rolled back")
        if self.wrong:
            said.append(f"{self.wrong:,} look{'s' if self.wrong == 1 else ''} wrong")
        return ", ".join(said)


@dataclass(frozen=True, kw_only=True, slots=True)
class Bar:
    """A stretch as drawn: all of it, below what was rolled back, then what is wrong."""

    stretch: Stretch
    x: float
    y: float
    height: float
    aside_y: float
    aside_height: float
    wrong_y: float
    wrong_height: float
    when: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Tick:
    x: float
    text: str
    anchor: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Window:
    """The time that is asked for, among more."""

    x: float
    width: float

    @property
    def end(self) -> float:
        return round(self.x + self.width, 1)


@dataclass(frozen=True, kw_only=True, slots=True)
class Histogram:
    """Bars of one width, none where nothing began; `top` is the highest's count."""

    bars: Sequence[Bar]
    ticks: Sequence[Tick]
    top: int
    bar_width: float
    has_aside: bool
    has_wrong: bool
    # Whether it is known which were rolled back, and which look wrong.
    has_parts: bool
    slot: float
    window: Window | None
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    base: int = HEIGHT - BOTTOM
    upper: int = TOP


def histogram(
    stretches: Sequence[Stretch], window: tuple[datetime, datetime] | None = None
) -> Histogram:
    """Lay out the stretches, which follow each other, and mark the window."""
    top = max((one.count for one in stretches), default=0) or 1
    slot = min((WIDTH - LEFT) / len(stretches), WIDEST)
    form = _form(stretches)
    room = HEIGHT - BOTTOM - TOP
    return Histogram(
        bars=[
            _bar(one, round(LEFT + slot * place, 1), room / top, form)
            for place, one in enumerate(stretches)
            if one.count
        ],
        ticks=_ticks(stretches, form, LEFT + slot * len(stretches)),
        top=top,
        bar_width=round(max(1.0, slot - GAP), 1),
        has_aside=any(one.rolled_back for one in stretches),
        has_wrong=any(one.wrong for one in stretches),
        has_parts=any(one.rolled_back is not None for one in stretches),
        slot=round(slot, 1),
        window=None if window is None else _window(stretches, slot, *window),
    )


def _bar(stretch: Stretch, x: float, unit: float, form: str) -> Bar:
    base = HEIGHT - BOTTOM
    height = round(unit * stretch.count, 1)
    aside = round(unit * ((stretch.rolled_back or 0) - stretch.both), 1)
    wrong = round(unit * (stretch.wrong or 0), 1)
    return Bar(
        stretch=stretch,
        x=x,
        y=round(base - height, 1),
        height=height,
        aside_y=round(base - aside, 1),
        aside_height=aside,
        wrong_y=round(base - aside - wrong, 1),
        wrong_height=wrong,
        when=f"{stretch.start:{form}} to {stretch.end:{form}} UTC",
    )


def _window(
    stretches: Sequence[Stretch], slot: float, start: datetime, end: datetime
) -> Window:
    """Return where the window lies, as far as it is drawn."""
    first = stretches[0].start
    step = stretches[0].end - first
    places = [
        min(max((moment - first) / step, 0), len(stretches)) for moment in (start, end)
    ]
    left, right = (round(LEFT + slot * place, 1) for place in places)
    return Window(x=left, width=round(right - left, 1))


def _ticks(stretches: Sequence[Stretch], form: str, right: float) -> list[Tick]:
    """Name the beginning and the end, and the middle where there is room."""
    first, last = stretches[0].start, stretches[-1].end
    room = right - LEFT
    if room < BETWEEN:
        both = f"{first:{form}} to {last:{form}}"
        return [Tick(x=LEFT, text=both, anchor="start")]
    ticks = [
        Tick(x=LEFT, text=f"{first:{form}}", anchor="start"),
        Tick(x=round(right, 1), text=f"{last:{form}}", anchor="end"),
    ]
    if room < 2 * BETWEEN:
        return ticks
    middle = first + (last - first) / 2
    at = Tick(x=round(LEFT + room / 2, 1), text=f"{middle:{form}}", anchor="middle")
    return [ticks[0], at, ticks[1]]


def _form(stretches: Sequence[Stretch]) -> str:
    length = stretches[-1].end - stretches[0].start
    return "%-d %b %H:%M" if length <= timedelta(days=31) else "%Y-%m-%d"
