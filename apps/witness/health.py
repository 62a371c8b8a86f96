"""Whether heads are signed: said where health is, and no part of it."""

from __future__ import annotations

from time import monotonic
from typing import Any

from apps.core.notes.errors import KeyRefused, NotesUnreadable
from apps.core.notes.reading import notes

NONE = "no signatures"
REMEMBERED_SECONDS = 5.0
_remembered: tuple[float, str] | None = None


def report() -> dict[str, Any]:
    """Return what the ready endpoint tells: files are asked every few seconds."""
    global _remembered
    known = _remembered
    if known is None or monotonic() - known[0] > REMEMBERED_SECONDS:
        known = _remembered = monotonic(), _status()
    return {"status": known[1]}


def _status() -> str:
    try:
        with notes() as kept:
            if kept is None:
                return NONE
            return "healthy" if kept.is_complete else "unavailable"
    except (KeyRefused, NotesUnreadable):
        return "unavailable"
