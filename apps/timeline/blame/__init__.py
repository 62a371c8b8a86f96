"""Blame: which version, and who, set the value at a pointer, back along its history."""

from apps.timeline.blame.setters import Blame, Setter, TurnFacts, blame
from apps.timeline.blame.walk import Cursor

__all__ = ["Blame", "Cursor", "Setter", "TurnFacts", "blame"]
