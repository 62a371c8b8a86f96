"""Reads, under the lock, what a removal is about: headers, turns, bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from apps.core import sql
from apps.timeline import bodies
from apps.timeline.versions.decoding.bodies import decoded
from apps.timeline.versions.deltas import stored_chains

_HEADERS = sql.of_session("""
SELECT v.number, v.body_number, v.restored_number, v.undo_of, v.leaf, v.chain
  FROM timeline_version v
 WHERE v.session_id = %(session)s AND v.number BETWEEN %(first)s AND %(last)s
 ORDER BY v.number LIMIT %(limit)s
""")
_HEADERS_OF = sql.of_session("""
SELECT v.number, v.body_number, v.restored_number, v.undo_of, v.leaf, v.chain
  FROM timeline_version v
 WHERE v.session_id = %(session)s AND v.number = ANY (%(numbers)s::bigint[])
 ORDER BY v.number
""")
_HEAD = sql.of_session("""
SELECT v.number, v.body_number, v.restored_number, v.undo_of, v.leaf, v.chain
  FROM timeline_version v
 WHERE v.session_id = %(session)s ORDER BY v.number DESC LIMIT 1
""")
_TURNS = sql.of_session("""
SELECT t.turn_number, t.head_number, t.leaf, t.chain FROM timeline_turn t
 WHERE t.session_id = %(session)s AND t.head_number BETWEEN %(first)s AND %(last)s
 ORDER BY t.turn_number
""")
_BODIES = sql.of_session(sql.query("timeline", "keeping_bodies"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Header:
    """What of a version decides whether it may go, and stands for it afterwards."""

    number: int
    body_number: int
    restored_number: int | None
    undo_of: int | None
    leaf: bytes
    chain: bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class Moved:
    """A body that kept versions need, as a key frame, and where it stands from now."""

    number: int
    place: int
    stored: bodies.Stored


def headers(session_id: str, first: int, last: int, limit: int) -> list[Header]:
    asked = {"session": session_id, "first": first, "last": last, "limit": limit}
    return sql.records(Header, _HEADERS, asked)


def headers_of(session_id: str, numbers: Sequence[int]) -> list[Header]:
    asked = {"session": session_id, "numbers": list(numbers)}
    return sql.records(Header, _HEADERS_OF, asked)


def head(session_id: str) -> Header | None:
    found = sql.records(Header, _HEAD, {"session": session_id})
    return found[0] if found else None


def turns(session_id: str, first: int, last: int) -> list[Any]:
    """Return the turns that left one of these versions as the head, in order."""
    return sql.rows(_TURNS, {"session": session_id, "first": first, "last": last})


def needed(session_id: str, numbers: Sequence[int]) -> list[Moved]:
    """Return what kept versions need of the bodies that go, encoded anew.

    Commitments are over decoded bytes, so they stay. What is decoded is held against
    them first: what is broken is evidence.

    Raises: bodies.CorruptBody.
    """
    found = sql.rows(_BODIES, {"session": session_id, "numbers": list(numbers)})
    rows = {
        row.number: row
        for row in stored_chains([(session_id, one.number) for one in found])
    }
    made, spans = [], bodies.Spans()
    for one in found:
        key = (session_id, one.number)
        bodies.cache.forget(session_id, one.number)
        raw = decoded({key: bytes(one.commitment)}, size=0)[key]
        row = rows[one.number]
        salt = bytes(row.salt)
        stored = bodies.encode(raw, number=one.place, base=None, salt=salt)
        codec, data = spans.brought(row.codec, row.data, session_id)
        sealer = bodies.sealer_of(session_id, codec, data)
        made.append(
            Moved(
                number=one.number,
                place=one.place,
                stored=bodies.sealed(stored, sealer),
            )
        )
    return made
