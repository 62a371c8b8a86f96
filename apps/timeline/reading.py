"""Reads what the ledger holds: the head, any version, its parts, what is set aside.

Every read starts from the caller's scope, so a session that is not theirs, has
expired or was deleted looks like one that never was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.agents.scope import Scope
from apps.core import sql
from apps.timeline import bodies
from apps.timeline.bodies import Part
from apps.timeline.errors import SessionNotFound, VersionNotFound


@dataclass(frozen=True, kw_only=True, slots=True)
class VersionRow:
    """A version's row, with the facts of its session that answers need."""

    session_id: str
    number: int
    op: str
    restored_number: int | None
    undo_of: int | None
    reason_code: str | None
    parent_number: int | None
    body_number: int
    external_id: str | None
    actor_kind: str
    actor_id: str
    actor_label: str
    reasoning: str | None
    trace_id: str
    step_number: int | None
    step_parent_id: str | None
    objective_status: str | None
    schema_version: str | None
    release: str | None
    model: str | None
    size: int
    flags: list[str]
    hold: str
    changes: list[dict[str, Any]]
    change_count: int
    changes_truncated: bool
    request_key: str | None
    salt: bytes
    commitment: bytes
    leaf: bytes
    chain: bytes
    requested_at: datetime
    created_at: datetime
    body_depth: int
    body_salt: bytes
    session_created_at: datetime
    project_id: str
    agent_id: str


VERSION_COLUMNS = """
    v.session_id, v.number, v.op, v.restored_number, v.undo_of, v.reason_code,
    v.parent_number, v.body_number, v.external_id, v.actor_kind, v.actor_id,
    v.actor_label, v.reasoning, v.trace_id, v.step_number, v.step_parent_id,
    v.objective_status, v.schema_version, v.release, v.model, v.size, v.flags,
    v.hold, v.changes, v.change_count, v.changes_truncated, v.request_key, v.salt,
    v.commitment, v.leaf, v.chain, v.requested_at, v.created_at,
    b.depth AS body_depth, b.salt AS body_salt,
    s.created_at AS session_created_at, s.project_id, s.agent_id"""

# What the caller may see. Deletion is read from the head's hold, never from the
# session's projection. A negative number counts back from the head: -1 is the one
# before it; NULL is the head itself.
VISIBLE = """
  FROM timeline_session s
  JOIN agents_agent a ON a.id = s.agent_id
  JOIN LATERAL (SELECT h.number, h.hold FROM timeline_version h
                 WHERE h.session_id = s.id ORDER BY h.number DESC LIMIT 1) head ON true
  LEFT JOIN timeline_version v ON v.session_id = s.id AND v.number =
       CASE WHEN %(number)s::bigint >= 0 THEN %(number)s::bigint
            ELSE head.number + coalesce(%(number)s::bigint, 0) END
  LEFT JOIN timeline_body b ON b.session_id = s.id AND b.number = v.body_number
 WHERE s.id = %(session)s AND s.project_id = %(project)s
   AND (%(agents)s::text[] IS NULL OR a.external_id = ANY (%(agents)s::text[]))
   AND (s.expires_at IS NULL OR s.expires_at > %(now)s)
   AND head.hold <> 'deleted'"""


CHAIN = """
WITH RECURSIVE needed AS (
    SELECT b.* FROM timeline_body b
     WHERE b.session_id = %(session)s AND b.number = ANY (%(numbers)s::bigint[])
    UNION
    SELECT b.* FROM timeline_body b JOIN needed n
        ON b.session_id = %(session)s AND b.number = n.base_number)
SELECT number, base_number, depth, codec, salt, data, size
  FROM needed ORDER BY number
"""


def version(
    scope: Scope, session_id: str, number: int | None, *, now: datetime
) -> VersionRow:
    """Return that version; None is the head, -1 the one before it.

    Raises: SessionNotFound, VersionNotFound (naming the head).
    """
    found = sql.rows(
        f"SELECT head.number AS head_number, {VERSION_COLUMNS}" + VISIBLE,
        {
            "number": number,
            "session": session_id,
            "project": scope.project.id,
            "agents": scope.agent_list,
            "now": now,
        },
    )
    if not found:
        raise SessionNotFound
    row = found[0]._asdict()
    head_number = row.pop("head_number")
    if row["number"] is None:
        raise VersionNotFound(
            f"This session has no version {number}: its head is {head_number}.",
            param="version",
            head=head_number,
        )
    return VersionRow(**row)


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
    return state_part(parts(version))


def states(versions: Sequence[VersionRow]) -> dict[int, bytes]:
    """Return the states of versions of one session by number, in one query."""
    raw = _raw_bodies(versions)
    return {
        version.number: state_part(bodies.unframe(raw[version.body_number]))
        for version in versions
    }


def state_part(bundle: tuple[Part, ...]) -> bytes:
    return next(part.data for part in bundle if part.name == "state")


def base_of(version: VersionRow) -> bodies.Base:
    """Return the version's body as the base of the next one."""
    return bodies.Base(version.body_number, _raw(version), version.body_depth)


def _raw(version: VersionRow) -> bytes:
    return _raw_bodies([version])[version.body_number]


def _raw_bodies(versions: Sequence[VersionRow]) -> dict[int, bytes]:
    """Return the framed parts by body number, cached or decoded along their deltas.

    Every decoded body that a version shows is held against its commitment.

    Raises: bodies.CorruptBody.
    """
    found: dict[int, bytes] = {}
    missing: dict[int, bytes] = {}
    for version in versions:
        raw = bodies.cache.get((version.session_id, version.body_number))
        if raw is None:
            missing[version.body_number] = version.commitment
        else:
            found[version.body_number] = raw
    if missing:
        found |= _decoded(versions[0].session_id, missing)
    return found


def _decoded(session_id: str, wanted: dict[int, bytes]) -> dict[int, bytes]:
    raws: dict[int, bytes] = {}
    for row in sql.rows(CHAIN, {"session": session_id, "numbers": list(wanted)}):
        # A base has a lower number than what builds on it, so it is decoded already.
        base = None if row.base_number is None else raws[row.base_number]
        raws[row.number] = bodies.decode(row.codec, row.data, row.size, base)
        if row.number in wanted:
            bodies.verify(raws[row.number], row.salt, wanted[row.number])
            bodies.cache.put((session_id, row.number), raws[row.number])
    return {number: raws[number] for number in wanted}
