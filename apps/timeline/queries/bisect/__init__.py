"""Bisect: which versions turned a check, along a session's history and its origins."""

from apps.timeline.queries.bisect.asking import (
    MOST_FLIPS,
    Asked,
    Order,
    find_flips,
    tells_hidden,
)
from apps.timeline.queries.bisect.by_eye import Eyed, Said, Trial, look_between
from apps.timeline.queries.bisect.cursors import (
    LONGEST_CURSOR,
    read_cursor,
    write_cursor,
)
from apps.timeline.queries.bisect.history import Along, History, Place, Window
from apps.timeline.queries.bisect.telling import Bisection, End, Flip, Gone
from apps.timeline.queries.bisect.walking import FirstBad, find_first_bad

__all__ = [
    "LONGEST_CURSOR",
    "MOST_FLIPS",
    "Along",
    "Asked",
    "Bisection",
    "End",
    "Eyed",
    "FirstBad",
    "Flip",
    "Gone",
    "History",
    "Order",
    "Place",
    "Said",
    "Trial",
    "Window",
    "find_first_bad",
    "find_flips",
    "look_between",
    "read_cursor",
    "tells_hidden",
    "write_cursor",
]
