"""The rate by hour and weekday: cells with their numbers, and a legend."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo

from apps.console.pages.metrics.charts import rate_words, sample_words
from apps.metrics.figures import MINIMUM_SAMPLE, Band, Figures

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
# What fills a cell, by where the thresholds lie; few sessions are grey.
SHADES = {
    Band.UNKNOWN: "few",
    Band.HEALTHY: "1",
    Band.WATCH: "2",
    Band.WARNING: "3",
    Band.CRITICAL: "4",
}
LEGEND = (
    ("few", f"under {MINIMUM_SAMPLE} sessions"),
    ("1", "below 2 %"),
    ("2", "from 2 %"),
    ("3", "from 5 %"),
    ("4", "from 10 %"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """One hour of one day of the week; without a shade nothing happened in it."""

    x: int
    y: int
    shade: str
    text: str
    words: str
    figures: Figures


def heat_map(week: Mapping[tuple[int, int], Figures], zone: tzinfo) -> list[Cell]:
    """Return a cell for each hour of the zone's week, Monday first."""
    return [
        _cell(day, hour, week.get((day, hour), Figures()), zone)
        for day in range(1, 8)
        for hour in range(24)
    ]


def _cell(day: int, hour: int, found: Figures, zone: tzinfo) -> Cell:
    is_empty = found.rate is None
    return Cell(
        x=hour,
        y=day - 1,
        shade="" if is_empty else SHADES[found.band],
        text="" if is_empty else f"{(found.rate or 0) * 100:.0f}",
        words=f"{DAYS[day - 1]} {hour:02}:00 {zone}: {rate_words(found)}, "
        f"{sample_words(found)}",
        figures=found,
    )
