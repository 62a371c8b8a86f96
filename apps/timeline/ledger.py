"""The one way to write to a session: read the head, build on it, append.

The SQL functions decide; this module calls them, turns their outcomes into errors and
retries what lost a race without having named a head. Nothing here holds a connection
while a state is merged, compared or compressed, except the last resort: a writer
that lost three times takes the session's row lock first, and cannot lose again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from apps.agents.errors import AgentSuspended
from apps.agents.scope import Scope
from apps.core import sql
from apps.core.actors import Actor
from apps.core.errors import DomainError, IdempotencyKeyReused
from apps.timeline import bodies, conflicts, reading, sealing
from apps.timeline.drafts import Expected, Receipt, Request, Write
from apps.timeline.errors import (
    ExternalIdTaken,
    SessionClosed,
    SessionNotFound,
    SessionPaused,
)
from apps.timeline.reading import VersionRow
from apps.timeline.words import Hold

TRIES_WITHOUT_LOCK = 3

APPEND = """
SELECT * FROM timeline_append_v1(
    %(session)s, %(project)s, %(expected)s, %(now)s,
    %(key)s, %(digest)s, %(refused)s::text[], %(suspends)s,
    %(version)s::json, %(body)s::json, %(data)s, %(turn)s::json, %(turn_data)s,
    %(path_keys)s::bytea[], %(roles)s::smallint[], %(kinds)s::smallint[],
    %(value_keys)s::bytea[],
    %(facets)s::jsonb, %(events)s::json)
"""

# A turn that made a version has its key on both; the turn says more.
REPLAY = """
SELECT k.number, k.turn_number, k.request_digest
  FROM timeline_session s
  JOIN LATERAL (
       SELECT number, NULL::bigint AS turn_number, request_digest
         FROM timeline_version WHERE session_id = s.id AND request_key = %(key)s
        UNION ALL
       SELECT head_number, turn_number, request_digest
         FROM timeline_turn WHERE session_id = s.id AND request_key = %(key)s
       ) k ON true
 WHERE s.id = %(session)s AND s.project_id = %(project)s
 ORDER BY k.turn_number LIMIT 1
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Append:
    """One request to write to one session.

    `refused` are the holds of the head that stop this write, `suspends` says whether
    a suspended agent stops it, and `build` makes the write for a given head; it is
    called again when another writer came first.
    """

    scope: Scope
    session_id: str
    actor: Actor
    now: datetime
    request: Request
    expected: Expected
    refused: frozenset[Hold]
    suspends: bool
    build: Callable[[VersionRow], Write]


def append(job: Append) -> Receipt:
    """Store the write and return what it became; a repeated request, what it had.

    Raises: SessionNotFound, IdempotencyKeyReused, AgentSuspended, SessionPaused,
    SessionClosed, VersionConflict, VersionMismatch, and whatever `build` raises.
    """
    known = _replayed(job)
    if known:
        return known
    try:
        return _stored(job)
    except DomainError:
        # The same request, sent twice at once, may have been stored since the first
        # look: then what it did itself must not be told to it as a conflict.
        known = _replayed(job)
        if known is None:
            raise
        return known


def _stored(job: Append) -> Receipt:
    for _ in range(TRIES_WITHOUT_LOCK):
        receipt = _attempt(job)
        if receipt:
            return receipt
    with transaction.atomic():
        sql.rows(
            "SELECT 1 FROM timeline_session WHERE id = %s FOR NO KEY UPDATE",
            [job.session_id],
        )
        receipt = _attempt(job)
    if receipt is None:
        raise RuntimeError("An append lost its race although it held the lock.")
    return receipt


def _attempt(job: Append) -> Receipt | None:
    """Try once; None when another writer came first and no head was named."""
    head = reading.head(job.scope, job.session_id, now=job.now)
    if job.expected.number not in (None, head.number):
        raise conflicts.stale(job.expected, head)
    write = job.build(head)
    sealed = sealing.seal_write(
        write,
        head=head,
        project=job.scope.project,
        actor=job.actor,
        now=job.now,
        request=job.request,
    )
    (outcome,) = sql.rows(APPEND, _parameters(job, head, sealed))
    return _settled(job, outcome, sealed)


def _parameters(
    job: Append, head: VersionRow, sealed: sealing.Sealed
) -> dict[str, Any]:
    return {
        "session": job.session_id,
        "project": job.scope.project.id,
        "expected": head.number,
        "now": job.now,
        "key": job.request.key,
        "digest": job.request.digest,
        "refused": sorted(job.refused),
        "suspends": job.suspends,
        **sealed.parameters(),
    }


def _settled(job: Append, outcome: Any, sealed: sealing.Sealed) -> Receipt | None:
    if outcome.outcome == "stored":
        if sealed.raw is not None:
            bodies.cache.put((job.session_id, outcome.number), sealed.raw)
        return _receipt(job, outcome, is_replay=False)
    if outcome.outcome == "replay":
        return _receipt(job, outcome, is_replay=True)
    if outcome.outcome == "conflict" and job.expected.number is None:
        return None
    raise _refusal(job, outcome)


def _refusal(job: Append, outcome: Any) -> DomainError:
    match outcome.outcome:
        case "conflict":
            head = reading.head(job.scope, job.session_id, now=job.now)
            return conflicts.stale(job.expected, head)
        case "held" if outcome.hold == Hold.PAUSED:
            return SessionPaused(head=outcome.head_number)
        case "held":
            return SessionClosed(head=outcome.head_number)
        case "reused":
            return IdempotencyKeyReused(param="Idempotency-Key")
        case "suspended":
            return AgentSuspended()
        case "named":
            return ExternalIdTaken(
                "Another version of this session has that external id.",
                param="external_id",
                session_id=job.session_id,
            )
        case _:
            return SessionNotFound()


def _replayed(job: Append) -> Receipt | None:
    """Look for the key before anything else is checked.

    The function looks again under the lock; this first look is what lets a repeated
    request be answered after the session was closed, deleted or moved on.
    """
    if job.request.key is None:
        return None
    found = sql.rows(
        REPLAY,
        {
            "session": job.session_id,
            "key": job.request.key,
            "project": job.scope.project.id,
        },
    )
    if not found:
        return None
    if bytes(found[0].request_digest) != job.request.digest:
        raise IdempotencyKeyReused(param="Idempotency-Key")
    return _receipt(job, found[0], is_replay=True)


def _receipt(job: Append, row: Any, *, is_replay: bool) -> Receipt:
    return Receipt(
        session_id=job.session_id,
        number=row.number,
        turn_number=row.turn_number,
        is_replay=is_replay,
    )
