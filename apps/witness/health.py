"""Whether heads are signed, and in time: said where health is, and no part of it."""

from __future__ import annotations

from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.utils import timezone

from apps.core.monitoring.fresh import Fresh
from apps.core.monitoring.health import Probe
from apps.core.notes.reading import notes
from apps.timeline import projection
from apps.witness import heads
from apps.witness.witnesses import progress

NONE = "no signatures"
# There is news, and the signer has not come to it: it is away, refused, or stuck.
BEHIND = "behind"
# News is signed every five seconds; what waits longer than this waits for something.
LATE_SECONDS = 60.0


def ask_status() -> str:
    """Return what the notes and the events say: files and the database are asked.

    Raises: KeyRefused, NotesUnreadable, sqlite3.Error, DatabaseError.
    """
    with notes() as kept:
        if kept is None:
            return NONE
        if not kept.is_complete:
            return "unavailable"
    return BEHIND if _waiting_seconds() > LATE_SECONDS else "healthy"


PROBE = Probe(ask_status)
BROUGHT = Probe(progress.ask)
WITNESSES: Fresh[list[progress.Progress] | None] = Fresh(BROUGHT.answer, seconds=5.0)
STATUS: Fresh[str] = Fresh(lambda: PROBE.answer() or "unavailable", seconds=5.0)


def report() -> dict[str, Any]:
    """Return what the ready endpoint says: files are asked every few seconds.

    Of the witnesses it says how many notes the slowest lacks, and not where they are:
    anybody may ask.
    """
    found = WITNESSES.get()
    if found is None:
        return {"status": STATUS.get()}
    return {
        "status": STATUS.get(),
        "witnesses": len(found),
        "witnesses_failing": sum(bool(one.error) for one in found),
        "notes_behind": max((one.behind for one in found), default=0),
    }


def _waiting_seconds() -> float:
    """Return for how many seconds news has waited for the signer; 0 without any."""
    try:
        moments = heads.moved_since(), projection.waiting_since()
    finally:
        connections[DEFAULT_DB_ALIAS].close()
    waiting = [one for one in moments if one is not None]
    return (timezone.now() - min(waiting)).total_seconds() if waiting else 0.0
