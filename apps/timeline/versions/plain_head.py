"""Reads the head of a session for the holder of a key, by one statement, or not at all.

It is the ordinary case and nothing else: a key that lives, sees every agent and was
noted as used within the minute; a session of its project that is there. Whatever is
not so gives None, and the ordinary reads (`accounts.authentication`, `heads`) find out
what it was. So they alone hold the rules; this may know fewer cases, never more.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from psycopg import Connection

from apps.accounts.masks import ProjectMasks
from apps.core.admission.gate import GATED_BYTES
from apps.core.database import values as written
from apps.core.database.kinds import of_session
from apps.core.database.prepared import Prepared
from apps.core.database.values import BYTES, MOMENT, NUMBER, TEXT
from apps.timeline import bodies
from apps.timeline.versions.deltas import chain
from apps.timeline.versions.reading import Rollback

# $1 digest of the secret, $2 session, $3 now, $4 uses before it are noted anew; a state
# of more than 1 MiB (`gate.GATED_BYTES`) need not be fetched to be passed on.
HEAD = Prepared(
    "plain_head",
    of_session("""
SELECT k.secret_hash, k.id, k.scope, k.rate_limit::bigint,
       v.number, v.body_number, v.commitment, v.trace_id, v.hold, v.created_at,
       s.created_at, r.number, r.restored_number, r.created_at
  FROM accounts_apikey k
  JOIN timeline_session s ON s.project_id = k.project_id
  JOIN LATERAL (
       SELECT h.number, h.body_number, h.commitment, h.trace_id, h.hold, h.created_at,
              h.size
         FROM timeline_version h
        WHERE h.session_id = $2 ORDER BY h.number DESC LIMIT 1) v ON true
  LEFT JOIN LATERAL (
       SELECT o.number, o.restored_number, o.created_at FROM timeline_version o
        WHERE o.session_id = $2 AND o.restored_number IS NOT NULL
        ORDER BY o.number DESC LIMIT 1) r ON true
 WHERE k.secret_hash = $1 AND s.id = $2
   AND s.kind = 'session'
   AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $3)
   AND k.agents IS NULL AND k.last_used_at > $4
   AND (s.expires_at IS NULL OR s.expires_at > $3)
   AND v.hold <> 'deleted' AND v.size <= 1048576
"""),
    [BYTES, TEXT, MOMENT, MOMENT],
)
# $1 key. Asked for masked keys alone, so that others pay nothing, and after the head: a
# mask that was set before the state was read is among them.
MASKS = Prepared(
    "plain_masks",
    """
SELECT p.id, p.masks, p.index_key
  FROM accounts_apikey k JOIN accounts_project p ON p.id = k.project_id
 WHERE k.id = $1
""",
    [TEXT],
)
# $1 session, $2 body, $3 a body that is decoded already.
BODIES = Prepared(
    "plain_head_bodies",
    of_session(
        chain(session="$1", wanted="b.number = $2", known="ARRAY[$3]")
        + "SELECT * FROM needed ORDER BY number"
    ),
    [TEXT, NUMBER, NUMBER],
)


@dataclass(frozen=True, kw_only=True, slots=True)
class PlainHead:
    """What is told of a head, and whose key asked."""

    secret_hash: bytes
    key_id: str
    scope: str
    rate_limit: int | None
    session_id: str
    number: int
    body_number: int
    commitment: bytes
    trace_id: str
    hold: str
    created_at: datetime
    session_created_at: datetime
    last_rollback: Rollback | None


@dataclass(frozen=True, slots=True)
class _Stored:
    number: int
    base_number: int | None
    codec: int
    data: bytes
    size: int
    salt: bytes


def read(
    connection: Connection[Any],
    *,
    digest: bytes,
    session_id: str,
    now: datetime,
    stale: datetime,
) -> PlainHead | None:
    """Return the head, or None where anything about it is out of the ordinary."""
    asked = [digest, session_id.encode(), written.from_moment(now)]
    rows = HEAD.rows(connection, [*asked, written.from_moment(stale)])
    if not rows:
        return None
    row = rows[0]
    rate_limit, rollback_number = row[3], row[11]
    # What no column above can be null is; only a limit and a rollback may be missing.
    values = cast(list[bytes], row)
    return PlainHead(
        secret_hash=values[0],
        key_id=values[1].decode(),
        scope=values[2].decode(),
        rate_limit=None if rate_limit is None else written.to_number(rate_limit),
        session_id=session_id,
        number=written.to_number(values[4]),
        body_number=written.to_number(values[5]),
        commitment=values[6],
        trace_id=values[7].decode(),
        hold=values[8].decode(),
        created_at=written.to_moment(values[9]),
        session_created_at=written.to_moment(values[10]),
        last_rollback=None if rollback_number is None else _rollback(values[11:]),
    )


def state(connection: Connection[Any], head: PlainHead) -> bytes | None:
    """Return the head's state as JSON bytes, or None where it cannot be read here.

    That is so of a large body, too: the ordinary view waits at the gate for it.

    Raises: bodies.CorruptBody.
    """
    key = (head.session_id, head.body_number)
    raw = bodies.cache.get(key)
    if raw is None:
        raw = _decoded(connection, head)
        if raw is None:
            return None
        bodies.cache.put(key, raw)
    if len(raw) > GATED_BYTES:
        return None
    return bytes(bodies.state_view(raw))


def masks(connection: Connection[Any], head: PlainHead) -> ProjectMasks | None:
    """Return what the masks of the key's project say by now."""
    rows = MASKS.rows(connection, [head.key_id.encode()])
    if not rows:
        return None
    project_id, said, secret = cast(list[bytes], rows[0])
    return ProjectMasks(
        project_id=project_id.decode(), said=said.decode(), secret=secret
    )


def _decoded(connection: Connection[Any], head: PlainHead) -> bytes | None:
    known = bodies.cache.newest(head.session_id, 1)
    number, raw = next(iter(known.items()), (-1, None))
    asked = map(written.from_number, (head.body_number, number))
    rows = BODIES.rows(connection, [head.session_id.encode(), *asked])
    if not rows:
        return None
    stored = [_stored(row) for row in rows]
    if max(row.size for row in stored) > GATED_BYTES:
        return None
    if not all(bodies.is_at_hand(row.codec, row.data) for row in stored):
        return None
    return bodies.reconstruct(
        stored,
        session_id=head.session_id,
        base_raw=raw,
        expected=head.commitment,
    )


def _stored(row: list[bytes | None]) -> _Stored:
    base = row[2]
    _, number, _, codec, data, size, salt = cast(list[bytes], row)
    return _Stored(
        number=written.to_number(number),
        base_number=None if base is None else written.to_number(base),
        codec=written.to_number(codec),
        data=data,
        size=written.to_number(size),
        salt=salt,
    )


def _rollback(values: list[bytes]) -> Rollback:
    number, restored_number = map(written.to_number, values[:2])
    return Rollback(number, restored_number, written.to_moment(values[2]))
