"""The frame of a chart, and what stands around its plot: ticks, lines of releases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from apps.diffs import text

# Lines of releases: more than these are in the table alone, and each label has a row
# above the plot. A letter is about so wide.
MOST_RELEASES, LABEL_HEIGHT, LETTER_WIDTH = 4, 16, 7
Axis = Callable[[float | None], float]


@dataclass(frozen=True, kw_only=True, slots=True)
class Frame:
    """The place of a chart: its size, the sides of the plot in it, words on its axis.

    About as wide as it is shown, so that its letters are as large as those around it.
    """

    width: int
    height: int
    left: int
    right: int
    roof: int
    base: int
    ticks: int

    @property
    def inner(self) -> int:
        return self.right - self.left

    def below(self, rows: int) -> Frame:
        """Return the frame with so many rows of labels above the plot."""
        room = rows * LABEL_HEIGHT
        return replace(
            self,
            height=self.height + room,
            roof=self.roof + room,
            base=self.base + room,
        )


PAGE = Frame(width=1000, height=256, left=48, right=928, roof=14, base=230, ticks=8)
CARD = Frame(width=368, height=176, left=40, right=304, roof=12, base=150, ticks=5)


@dataclass(frozen=True, kw_only=True, slots=True)
class Tick:
    """A word on the axis of time, or a line across the chart with its label."""

    x: float
    text: str
    y: float = 0.0
    # The side of the line on which there is more room.
    anchor: str = "start"


@dataclass(frozen=True, kw_only=True, slots=True)
class Release:
    """A release that was first seen in the time: whose, and in which hour."""

    agent: str
    name: str
    at: datetime
    when: str


def release_lines(releases: Sequence[Release], x_of: Axis, frame: Frame) -> list[Tick]:
    """Return the releases, each label left of its line while there is room.

    The newest has the highest row: a line begins at its label, so it runs through none
    of those below it that stand to its left.
    """
    newest_first = sorted(releases, key=lambda one: one.at, reverse=True)
    return [
        _line(one, row, x_of(one.at.timestamp()), frame)
        for row, one in enumerate(newest_first)
    ]


def _line(release: Release, row: int, x: float, frame: Frame) -> Tick:
    label = text.shorten_middle(f"{release.agent} {release.name}", 40)
    has_room = x - frame.left > len(label) * LETTER_WIDTH
    return Tick(
        x=x,
        text=label,
        y=12 + row * LABEL_HEIGHT,
        anchor="end" if has_room else "start",
    )
