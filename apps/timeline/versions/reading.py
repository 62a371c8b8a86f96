"""Reads what the ledger holds: the head, any version, its parts, what is set aside.

Every read starts from the caller's scope, so a session that is not theirs, has
expired or was deleted looks like one that never was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction

from apps.agents.scope import Scope
from apps.core import json, sql
from apps.core.admission import gate
from apps.core.json import State
from apps.timeline import bodies
from apps.timeline.bodies import Part
from apps.timeline.errors import SessionNotFound, VersionNotFound
from apps.timeline.versions.deltas import chains
from apps.timeline.versions.rows import UNREAD, VERSION_COLUMNS, Rollback, VersionRow

__all__ = ["UNREAD", "VERSION_COLUMNS", "Rollback", "VersionRow"]

# What the caller may see. Deletion is read from the head's hold, never from the
# session's projection. A negative number counts back from the head: -1 is the one
# before it; NULL is the head itself.
FOUND = """
  FROM timeline_session s
  JOIN agents_agent a ON a.id = s.agent_id
  JOIN LATERAL (SELECT h.number, h.hold FROM timeline_version h
                 WHERE h.session_id = s.id ORDER BY h.number DESC LIMIT 1) head ON true
  LEFT JOIN timeline_version v ON v.session_id = s.id AND v.number =
       CASE WHEN %(number)s::bigint >= 0 THEN %(number)s::bigint
            ELSE head.number + coalesce(%(number)s::bigint, 0) END
  LEFT JOIN timeline_body b ON b.session_id = s.id AND b.number = v.body_number
"""
SEEN = """
 WHERE s.id = %(session)s AND s.project_id = %(project)s
   AND (%(agents)s::text[] IS NULL OR a.external_id = ANY (%(agents)s::text[]))
   AND (s.expires_at IS NULL OR s.expires_at > %(now)s)
   AND head.hold <> 'deleted'"""

VERSION = sql.PreparedQuery(
    f"SELECT head.number AS head_number, {VERSION_COLUMNS} {FOUND} {SEEN}"
)

# Versions of a session that was looked up already; clauses and an order are added.
VERSIONS = f"""
SELECT {VERSION_COLUMNS}
  FROM timeline_version v
  JOIN timeline_session s ON s.id = v.session_id
  JOIN timeline_body b ON b.session_id = v.session_id AND b.number = v.body_number
 WHERE v.session_id = %(session)s
"""

LAST_ROLLBACK = """
SELECT v.number, v.restored_number, v.created_at FROM timeline_version v
 WHERE v.session_id = %(session)s AND v.number <= %(number)s
   AND v.restored_number IS NOT NULL
 ORDER BY v.number DESC LIMIT 1
"""

# Bodies of several sessions at once, each with all bases it builds on.
CHAIN = chains(
    wanted="""
      JOIN unnest(%(sessions)s::varchar[], %(numbers)s::bigint[]) w (session_id, number)
        ON b.session_id = w.session_id AND b.number = w.number"""
)
HEADS = f"""
SELECT {VERSION_COLUMNS}
  FROM timeline_session s
  JOIN LATERAL (SELECT h.* FROM timeline_version h
                 WHERE h.session_id = s.id ORDER BY h.number DESC LIMIT 1) v ON true
  JOIN timeline_body b ON b.session_id = s.id AND b.number = v.body_number
 WHERE s.id = ANY (%s::varchar[])
"""
Body = tuple[str, int]


def version(
    scope: Scope, session_id: str, number: int | None, *, now: datetime
) -> VersionRow:
    """Return that version; None is the head, -1 the one before it.

    Raises: SessionNotFound, VersionNotFound (naming the head).
    """
    row = found(VERSION, scope, session_id, number, now)
    return VersionRow(**row)


def found(
    statement: sql.PreparedQuery,
    scope: Scope,
    session_id: str,
    number: int | None,
    now: datetime,
    known: Sequence[int] = (),
) -> dict[str, Any]:
    """Run a statement that begins with `head_number`; return the version's columns.

    Raises: SessionNotFound, VersionNotFound (naming the head).
    """
    rows = sql.run_prepared(
        statement,
        {
            "number": number,
            "session": session_id,
            "project": scope.project.id,
            "agents": scope.agent_list,
            "now": now,
            "known": list(known),
        },
    )
    if not rows:
        raise SessionNotFound
    row: dict[str, Any] = rows[0]._asdict()
    head_number = row.pop("head_number")
    if row["number"] is None:
        raise VersionNotFound(
            f"This session has no version {number}: its head is {head_number}.",
            param="version",
            head=head_number,
        )
    return row


def head(scope: Scope, session_id: str, *, now: datetime) -> VersionRow:
    """Return the last version.

    Raises: SessionNotFound.
    """
    return version(scope, session_id, None, now=now)


def parts(version: VersionRow) -> tuple[Part, ...]:
    """Return all parts that the version shows."""
    return bodies.unframe(_raw(version))


def state(version: VersionRow) -> bytes:
    """Return the version's state as JSON bytes, ready to be spliced into an answer."""
    return bytes(bodies.state_view(_raw(version)))


def state_view(version: VersionRow) -> memoryview:
    """Return those bytes where they stand, not copied."""
    return bodies.state_view(_raw(version))


def parsed(version: VersionRow) -> State:
    """Return the version's state as a value, not to be changed.

    It stays with the row: a write merges into it and is then compared with it.
    """
    value: State | None = version.parsed
    if value is None:
        value = json.parse_written(state(version))
        object.__setattr__(version, "parsed", value)
    return value


def parsed_pair(one: VersionRow, other: VersionRow) -> tuple[State, State]:
    """Return both states as values, as `parsed` does, read together.

    One statement for both; what both build on is decoded once.
    """
    fetch([one, other])
    return parsed(one), parsed(other)


def fetch(versions: Sequence[VersionRow]) -> None:
    """Read the bodies of all of these in one statement, for `parts` and `parsed`."""
    unread = [version for version in versions if version.raw is None]
    for version, raw in zip(unread, _raw_of(unread), strict=True):
        object.__setattr__(version, "raw", raw)


def states(versions: Sequence[VersionRow]) -> dict[tuple[str, int], bytes]:
    """Return the states by (session id, version number), in at most one query."""
    raw = _raw_bodies(versions)
    return {
        (version.session_id, version.number): bytes(
            bodies.state_view(raw[version.session_id, version.body_number])
        )
        for version in versions
    }


def bundles_of(
    versions: Sequence[VersionRow],
) -> dict[tuple[str, int], tuple[Part, ...]]:
    """Return all parts by (session id, version number), in at most one query."""
    raw = _raw_bodies(versions)
    return {
        (version.session_id, version.number): bodies.unframe(
            raw[version.session_id, version.body_number]
        )
        for version in versions
    }


def last_rollback(version: VersionRow) -> Rollback | None:
    """Return the newest rollback up to this version, read from its partial index."""
    if version.rollback is not UNREAD:
        return version.rollback
    if version.restored_number is not None:
        return Rollback(version.number, version.restored_number, version.created_at)
    asked = {"session": version.session_id, "number": version.number}
    found = sql.records(Rollback, LAST_ROLLBACK, asked)
    return found[0] if found else None


def heads(session_ids: Sequence[str]) -> dict[str, VersionRow]:
    """Return the heads of sessions that the caller may see, by session id."""
    found = sql.records(VersionRow, HEADS, [list(session_ids)])
    return {head.session_id: head for head in found}


def state_part(bundle: tuple[Part, ...]) -> bytes:
    return next(part.data for part in bundle if part.name == "state")


def base_of(version: VersionRow) -> bodies.Base:
    """Return the version's body as the base of the next one."""
    return bodies.Base(version.body_number, _raw(version), version.body_depth)


def _raw(version: VersionRow) -> bytes:
    # It stays with the row: a body too large for the cache, or not yet committed,
    # would be decoded anew for each of its parts.
    if version.raw is None:
        (raw,) = _raw_of([version])
        object.__setattr__(version, "raw", raw)
        return raw
    return version.raw


def _raw_of(versions: Sequence[VersionRow]) -> list[bytes]:
    raws = _raw_bodies(versions)
    return [raws[version.session_id, version.body_number] for version in versions]


def _raw_bodies(versions: Sequence[VersionRow]) -> dict[Body, bytes]:
    """Return the framed parts, cached or decoded along their deltas.

    Every decoded body that a version shows is held against its commitment.

    Raises: bodies.CorruptBody, Busy.
    """
    gate.enter(sum(v.body_size for v in versions if v.raw is None))
    found: dict[Body, bytes] = {}
    missing: dict[Body, bytes] = {}
    for version in versions:
        key = (version.session_id, version.body_number)
        raw = bodies.cache.get(key) if version.raw is None else version.raw
        if raw is None:
            missing[key] = version.commitment
        else:
            found[key] = raw
    return found | _decoded(missing) if missing else found


def _decoded(wanted: dict[Body, bytes]) -> dict[Body, bytes]:
    rows = sql.rows(
        CHAIN,
        {
            "sessions": [session_id for session_id, _ in wanted],
            "numbers": [number for _, number in wanted],
        },
    )
    # A base is let go with its last use: a chain of 32 large bodies would not fit.
    uses = Counter((row.session_id, row.base_number) for row in rows)
    raws: dict[Body, bytes] = {}
    for row in rows:
        key, base_key = (row.session_id, row.number), (row.session_id, row.base_number)
        # A base has a lower number than what builds on it, so it is decoded already.
        base = None if row.base_number is None else raws[base_key]
        raws[key] = bodies.decode(row.codec, row.data, row.size, base)
        if key in wanted:
            bodies.verify(raws[key], row.salt, wanted[key])
            # At once outside a transaction; inside one it may be the transaction's
            # own body, which a rollback takes back and another writer replaces.
            transaction.on_commit(partial(bodies.cache.put, key, raws[key]))
        uses[base_key] -= 1
        if not uses[base_key] and base_key not in wanted:
            raws.pop(base_key, None)
    return {key: raws[key] for key in wanted}
