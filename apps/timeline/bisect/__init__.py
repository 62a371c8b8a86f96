"""Bisect: which versions turned a check, along a session's history and its origins."""

from apps.timeline.bisect.ancestry import Ancestry, ancestry_of
from apps.timeline.bisect.asking import (
    MOST_FLIPS,
    Asked,
    Order,
    find_flips,
    tells_hidden,
)
from apps.timeline.bisect.by_eye import Eyed, Said, Trial, look_between
from apps.timeline.bisect.candidates import Along
from apps.timeline.bisect.cursors import (
    read_cursor,
    write_cursor,
)
from apps.timeline.bisect.history import History, Place, Window
from apps.timeline.bisect.telling import Bisection, End, Flip, Gone
from apps.timeline.bisect.walking import FirstBad, find_first_bad

__all__ = [
    "MOST_FLIPS",
    "Along",
    "Ancestry",
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
    "ancestry_of",
    "find_first_bad",
    "find_flips",
    "look_between",
    "read_cursor",
    "tells_hidden",
    "write_cursor",
]
