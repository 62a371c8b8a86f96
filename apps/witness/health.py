"""Whether heads are signed, and in time: said where health is, and no part of it."""

from __future__ import annotations

import sqlite3
from time import monotonic
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections

from apps.core.health import Probe
from apps.core.notes.errors import KeyRefused, NotesUnreadable
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
REMEMBERED_SECONDS = 5.0
_remembered: tuple[float, str] | None = None


def ask_waiting() -> float:
    """Return for how many seconds news has waited for the signer; 0 without any.

    Raises: KeyRefused, NotesUnreadable, sqlite3.Error.
    """
    with notes() as kept:
        index = None if kept is None else kept.index
        places = [index.progress(one) for one in PLACES] if index else []
    reached = max((int(one or 0) for one in places), default=0)
    connection = connections[DEFAULT_DB_ALIAS]
    try:
        with connection.cursor() as cursor:
            cursor.execute(WAITS, [str(reached)])
            found = cursor.fetchone()
    finally:
        connection.close()
    return float(found[0]) if found else 0.0


PROBE = Probe(ask_waiting)


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
            if not kept.is_complete:
                return "unavailable"
    except (KeyRefused, NotesUnreadable, sqlite3.Error):
        return "unavailable"
    seconds = PROBE.answer()
    if seconds is None:
        return "unavailable"
    return BEHIND if seconds > LATE_SECONDS else "healthy"
