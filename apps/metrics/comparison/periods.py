"""The time that another one is compared with: as long, and just before."""

from __future__ import annotations

from apps.metrics.ranges import EARLIEST, Range


def period_before(range_: Range) -> Range | None:
    """Return the time of the same length that ends where the range begins.

    None where it would begin before anything can have happened.
    """
    start = range_.start - range_.length
    if start < EARLIEST:
        return None
    return Range(start=start, end=range_.start)
