"""Whether heads are signed, and in time: said where health is, and no part of it."""

from __future__ import annotations

from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections

from apps.core.monitoring.fresh import Fresh
from apps.core.monitoring.health import Probe
from apps.core.notes.reading import notes

NONE = "no signatures"
# There is news, and the signer has not come to it: it is away, refused, or stuck.
BEHIND = "behind"
# News is signed every five seconds; what waits longer than this waits for something.
LATE_SECONDS = 60.0
# How far the signer has looked, by the numbers of transactions.
PLACES = ("followed", "ahead")
WAITS = """
SELECT extract(epoch FROM now() - e.created_at)::float8
  FROM audit_event e WHERE e.xid >= %s::text::xid8 ORDER BY e.xid LIMIT 1
"""


def ask_status() -> str:
    """Return what the notes and the events say: files and the database are asked.

    Raises: KeyRefused, NotesUnreadable, sqlite3.Error, DatabaseError.
    """
    with notes() as kept:
        if kept is None:
            return NONE
        if not kept.is_complete:
            return "unavailable"
        reached = max(int(kept.index.progress(one) or 0) for one in PLACES)
    return BEHIND if _waiting_since(reached) > LATE_SECONDS else "healthy"


PROBE = Probe(ask_status)
STATUS: Fresh[str] = Fresh(lambda: PROBE.answer() or "unavailable", seconds=5.0)


def report() -> dict[str, Any]:
    """Return what the ready endpoint says: files are asked every few seconds."""
    return {"status": STATUS.get()}


def _waiting_since(reached: int) -> float:
    """Return for how many seconds news has waited for the signer; 0 without any."""
    connection = connections[DEFAULT_DB_ALIAS]
    try:
        with connection.cursor() as cursor:
            cursor.execute(WAITS, [str(reached)])
            found = cursor.fetchone()
    finally:
        connection.close()
    return float(found[0]) if found else 0.0
