"""What stood at versions of a document, counted again from its entries.

Independent of the tally and the heads, which a checkpoint was counted by.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection
from datetime import datetime
from itertools import accumulate
from typing import Any, NamedTuple

from apps.core import sql
from apps.timeline.operations import Document

_STOOD = sql.of_session(sql.query("data", "verify_checkpoints"))
_CONFIGS = sql.of_session("""
SELECT e.number, e.ordinal FROM timeline_entry e
 WHERE e.session_id = %(session)s AND e.key = '' ORDER BY e.number
""")


class Point(NamedTuple):
    """A version, and the moment by which values had to have ended not to count."""

    number: int
    at: datetime


class Counted(NamedTuple):
    """What stood at a point."""

    keys: int
    bytes: int
    config_ordinal: int


def count(document: Document, wanted: Collection[Point]) -> dict[Point, Counted]:
    """Return what stood at each of these points, in one pass over the entries."""
    points = sorted(set(wanted))
    if not points:
        return {}
    moments = sorted({point.at for point in points})
    rank = {moment: place for place, moment in enumerate(moments)}
    found = sql.rows(
        _STOOD,
        {
            "session": document.id,
            "numbers": [point.number for point in points],
            "moments": moments,
        },
    )
    keys, sizes = _Sums(len(points)), _Sums(len(points))
    for row in found:
        if row.moments == len(moments):
            keys.add(row.first, row.behind, row.keys)
            sizes.add(row.first, row.behind, row.bytes)
            continue
        for place in range(row.first, row.behind):
            if rank[points[place].at] < row.moments:
                keys.add(place, place + 1, row.keys)
                sizes.add(place, place + 1, row.bytes)
    configs = sql.rows(_CONFIGS, {"session": document.id})
    counted = zip(keys.all(), sizes.all(), _ordinals(points, configs), strict=True)
    return {point: Counted(*one) for point, one in zip(points, counted, strict=True)}


def _ordinals(points: list[Point], configs: list[Any]) -> list[int]:
    """Return the config that stood at each point; 0: there was none."""
    numbers = [row.number for row in configs]
    places = (bisect_right(numbers, point.number) for point in points)
    return [configs[place - 1].ordinal if place else 0 for place in places]


class _Sums:
    """Sums at places, to which whole ranges of places are added."""

    def __init__(self, places: int) -> None:
        self._steps = [0] * (places + 1)

    def add(self, first: int, behind: int, amount: int) -> None:
        self._steps[first] += amount
        self._steps[behind] -= amount

    def all(self) -> list[int]:
        return list(accumulate(self._steps))[:-1]
