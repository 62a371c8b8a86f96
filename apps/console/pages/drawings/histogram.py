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
    """One stretch of time; `rolled_back` is None where that is not known."""

    start: datetime
    end: datetime
    count: int
    rolled_back: int | None
    url: str

    @property
    def words(self) -> str:
        counted = f"{self.count:,} session{'' if self.count == 1 else 's'}"
        if not self.rolled_back:
            return counted
        return f"{counted}, {self.rolled_back:,} rolled back"


@dataclass(frozen=True, kw_only=True, slots=True)
class Bar:
    """A stretch as drawn: all of it, and the part that was rolled back below."""

    stretch: Stretch
    x: float
    y: float
    height: float
    aside_y: float
    aside_height: float
    when: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Tick:
    x: float
    text: str
    anchor: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Histogram:
    """Bars of one width; `top` is what the highest stands for."""

    bars: Sequence[Bar]
    ticks: Sequence[Tick]
    top: int
    bar_width: float
    has_aside: bool
    slot: float
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    base: int = HEIGHT - BOTTOM
    upper: int = TOP


def histogram(stretches: Sequence[Stretch]) -> Histogram:
    """Lay out the stretches, which follow each other."""
    top = max((one.count for one in stretches), default=0) or 1
    slot = min((WIDTH - LEFT) / len(stretches), WIDEST)
    form = _form(stretches)
    room = HEIGHT - BOTTOM - TOP
    bars = []
    for place, one in enumerate(stretches):
        height = round(room * one.count / top, 1)
        aside = round(room * (one.rolled_back or 0) / top, 1)
        bars.append(
            Bar(
                stretch=one,
                x=round(LEFT + slot * place, 1),
                y=HEIGHT - BOTTOM - height,
                height=height,
                aside_y=HEIGHT - BOTTOM - aside,
                aside_height=aside,
                when=f"{one.start:{form}} to {one.end:{form}} UTC",
            )
        )
    return Histogram(
        bars=bars,
        ticks=_ticks(stretches, form, LEFT + slot * len(stretches)),
        top=top,
        bar_width=round(max(1.0, slot - GAP), 1),
        has_aside=any(one.rolled_back for one in stretches),
        slot=round(slot, 1),
    )


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
