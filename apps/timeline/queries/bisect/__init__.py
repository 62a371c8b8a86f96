"""Bisect: which versions turned a check, along a session's history and its origins."""

from apps.timeline.queries.bisect.asking import MOST_FLIPS, Asked, Order, find_flips
from apps.timeline.queries.bisect.cursors import (
    LONGEST_CURSOR,
    read_cursor,
    write_cursor,
)
from apps.timeline.queries.bisect.history import Along, Place, Window
from apps.timeline.queries.bisect.telling import Bisection, End, Flip, Gone

__all__ = [
    "LONGEST_CURSOR",
    "MOST_FLIPS",
    "Along",
    "Asked",
    "Bisection",
    "End",
    "Flip",
    "Gone",
    "Order",
    "Place",
    "Window",
    "find_flips",
    "read_cursor",
    "write_cursor",
]
