"""Blame: which version, and who, set the value at a pointer, back along its history."""

from apps.timeline.blame.cursors import LONGEST_CURSOR, read_cursor, write_cursor
from apps.timeline.blame.setters import Blame, NotBefore, Setter, TurnFacts, blame
from apps.timeline.blame.tracked_path import change_key
from apps.timeline.blame.walk import Cursor

__all__ = [
    "LONGEST_CURSOR",
    "Blame",
    "Cursor",
    "NotBefore",
    "Setter",
    "TurnFacts",
    "blame",
    "change_key",
    "read_cursor",
    "write_cursor",
]
