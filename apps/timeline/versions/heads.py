"""Reads a version together with its state: what every write and most reads begin with.

One statement where `reading` takes three, because each costs 0.25 ms of the two
processors together, whatever it asks.
"""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction

from apps.agents.scope import Scope
from apps.core import sql
from apps.core.admission import gate
from apps.timeline import bodies
from apps.timeline.versions.deltas import chain
from apps.timeline.versions.reading import (
    FOUND,
    SEEN,
    VERSION_COLUMNS,
    Rollback,
    VersionRow,
    found,
)

ROLLBACK_COLUMNS = ("rollback_number", "rollback_restored_number", "rollback_at")
STORED_COLUMNS = ("numbers", "bases", "codecs", "data", "sizes")

# Which bodies a process says it has: a head shows, or builds on, one of the newest.
KNOWN = 8

DELTAS = chain(
    session="s.id",
    wanted="b.number = v.body_number AND b.number <> ALL (%(known)s::bigint[])",
    known="%(known)s",
)
# The version, the newest rollback up to it, and the stored bytes of its state: those
# that build on one of the bodies `known`, which are decoded already, or all from the
# key frame on.
STORED = f"""
SELECT head.number AS head_number, {VERSION_COLUMNS},
       r.number AS rollback_number, r.restored_number AS rollback_restored_number,
       r.created_at AS rollback_at,
       n.numbers, n.bases, n.codecs, n.data, n.sizes
{FOUND}
  LEFT JOIN LATERAL (
       SELECT o.number, o.restored_number, o.created_at FROM timeline_version o
        WHERE o.session_id = s.id AND o.number <= v.number
          AND o.restored_number IS NOT NULL
        ORDER BY o.number DESC LIMIT 1) r ON true
  LEFT JOIN LATERAL (
       {DELTAS}
       SELECT array_agg(n.number ORDER BY n.number) AS numbers,
              array_agg(n.base_number ORDER BY n.number) AS bases,
              array_agg(n.codec ORDER BY n.number) AS codecs,
              array_agg(n.data ORDER BY n.number) AS data,
              array_agg(n.size ORDER BY n.number) AS sizes
         FROM needed n) n ON true
"""
SHOWN = sql.PreparedQuery(f"{STORED}{SEEN}")
# For people: what expired or was deleted is evidence.
KEPT = sql.PreparedQuery(
    f"{STORED} WHERE s.id = %(session)s AND s.project_id = %(project)s"
)


def shown(
    scope: Scope, session_id: str, number: int | None, *, now: datetime
) -> VersionRow:
    """Return that version with its state and the last rollback; None is the head.

    Raises: SessionNotFound, VersionNotFound, bodies.CorruptBody.
    """
    return _read(SHOWN, scope, session_id, number, now)


def kept(
    scope: Scope, session_id: str, number: int | None, *, now: datetime
) -> VersionRow:
    """As `shown`, of a session that expired or was deleted too: people may see it.

    Raises: SessionNotFound, VersionNotFound, bodies.CorruptBody.
    """
    return _read(KEPT, scope, session_id, number, now)


def _read(
    statement: sql.PreparedQuery,
    scope: Scope,
    session_id: str,
    number: int | None,
    now: datetime,
) -> VersionRow:
    known = bodies.cache.newest(session_id, KNOWN)
    row = found(statement, scope, session_id, number, now, list(known))
    rollback = [row.pop(name) for name in ROLLBACK_COLUMNS]
    stored = [row.pop(name) for name in STORED_COLUMNS]
    version = VersionRow(
        **row, rollback=None if rollback[0] is None else Rollback(*rollback)
    )
    object.__setattr__(version, "raw", _shown_raw(version, stored, known))
    return version


def _shown_raw(
    version: VersionRow, stored: list[list[Any] | None], raws: dict[int, bytes]
) -> bytes:
    """Decode what was read with the version, on top of what was known."""
    gate.enter(version.body_size)
    columns = [column or [] for column in stored]
    for number, base_number, codec, data, size in zip(*columns, strict=True):
        # A base has a lower number than what builds on it, and no other use here.
        base = None if base_number is None else raws.pop(base_number)
        raws[number] = bodies.decode(codec, data, size, base)
    raw = raws[version.body_number]
    key = (version.session_id, version.body_number)
    if not columns[0]:
        bodies.cache.get(key)  # it was used
    else:
        bodies.verify(raw, version.body_salt, version.commitment)
        transaction.on_commit(partial(bodies.cache.put, key, raw))
    return raw
