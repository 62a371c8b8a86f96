"""What charts are made of: scales and paths, bars, lines in a row, and words.

Server-side SVG without a script: it prints, works under the strictest policy, and every
point says in words what it is. Colour is never the only sign: bands are named on their
axis, cells of a heat map have their number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from apps.metrics.figures import Figures

SPARK_WIDTH, SPARK_HEIGHT = 96, 20
# The axis of lines in a row ends here: the same for all of them.
SPARK_TOP = 0.24


@dataclass(frozen=True, kw_only=True, slots=True)
class Bar:
    """One row of a table that is also drawn; `width` is in percent of the longest."""

    name: str
    count: int
    width: int
    # What it was in the time before, where that is compared with.
    before: int | None


def sparkline(
    points: Mapping[datetime, Figures], start: datetime, end: datetime
) -> str:
    """Return the path of an agent's rate; the same scale for all agents."""
    x_of = scale(start.timestamp(), end.timestamp(), 1, SPARK_WIDTH - 1)
    y_of = scale(0, SPARK_TOP, SPARK_HEIGHT - 1, 1)
    return path(
        [
            (x_of(at.timestamp()), max(y_of(found.rate), 1.0))
            for at, found in sorted(points.items())
            if found.rate is not None
        ]
    )


def bars(
    rows: Sequence[tuple[str, int]], before: Sequence[tuple[str, int]] | None = None
) -> list[Bar]:
    """Return rows with their lengths, in steps of five percent: classes of CSS."""
    longest = max((count for _, count in rows), default=0)
    earlier = dict(before) if before is not None else {}
    return [
        Bar(
            name=name,
            count=count,
            width=_step(count, longest),
            before=earlier.get(name),
        )
        for name, count in rows
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


def scale(
    low: float, high: float, begins: float, ends: float
) -> Callable[[float | None], float]:
    """Return the function that lays a stretch of values out along an axis."""
    span = (high - low) or 1
    return lambda value: round(
        begins + ((value or 0) - low) / span * (ends - begins), 1
    )


def path(places: Sequence[tuple[float, float]]) -> str:
    """Return the line through these places; of one alone, a dash."""
    if len(places) == 1:
        ((x, y),) = places
        places = [(x - 2, y), (x + 2, y)]
    return " ".join(
        f"{'L' if at else 'M'}{x:g} {y:g}" for at, (x, y) in enumerate(places)
    )


def _step(count: int, longest: int) -> int:
    return -(-count * 20 // longest) * 5 if longest else 0
