"""The one way to write to a session: read the head, build on it, append.

The SQL functions decide; this module calls them, turns their outcomes into errors and
retries what lost a race without having named a head. Nothing here holds a connection
while a state is merged, compared or compressed, except the last resort: a writer
that lost three times takes the session's row lock first, and cannot lose again.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, connection, transaction

from apps.agents.errors import AgentSuspended
from apps.agents.scope import Scope
from apps.core import gate, sql
from apps.core.actors import Actor
from apps.core.errors import DomainError, IdempotencyKeyReused
from apps.timeline import bodies
from apps.timeline.errors import SessionNotFound, held
from apps.timeline.ledger import batches, conflicts, events, sealing
from apps.timeline.ledger.batches import Build, SealedBatch
from apps.timeline.ledger.drafts import Expected, Receipt, Request
from apps.timeline.ledger.locking import lock_session
from apps.timeline.ledger.written import written
from apps.timeline.versions import heads, reading
from apps.timeline.versions.reading import VersionRow
from apps.timeline.words import Hold

TRIES_WITHOUT_LOCK = 3
UNIQUE_VIOLATION = "23505"

APPEND = sql.Often("""
SELECT *, NULL::bigint AS first_number FROM timeline_append_v3(
    %(session)s, %(project)s, %(expected)s, %(now)s,
    %(key)s, %(digest)s, %(refused)s::text[], %(suspends)s,
    %(version)s::json, %(body)s::json, %(data)s, %(turn)s::json, %(turn_data)s,
    %(path_keys)s::bytea[], %(roles)s::smallint[], %(kinds)s::smallint[],
    %(value_keys)s::bytea[],
    %(facets)s::jsonb, %(events)s::json,
    %(term_keys)s::bytea[], %(term_values)s::bytea[], %(turn_text)s, %(waits)s)
""")
APPEND_BATCH = sql.Often("""
SELECT * FROM timeline_append_batch_v3(
    %(session)s, %(project)s, %(expected)s, %(now)s,
    %(key)s, %(digest)s, %(refused)s::text[], %(suspends)s,
    %(versions)s::json[], %(bodies)s::json[], %(data)s::bytea[], %(items)s::integer[],
    %(path_keys)s::bytea[], %(roles)s::smallint[], %(kinds)s::smallint[],
    %(value_keys)s::bytea[],
    %(facets)s::jsonb, %(events)s::json[],
    %(term_keys)s::bytea[], %(term_values)s::bytea[], %(waits)s::boolean[])
""")

# A turn that made a version has its key on both; the turn says more.
REPLAY = sql.Often("""
SELECT k.number, k.turn_number, k.request_digest, k.first_number
  FROM timeline_session s
  JOIN agents_agent a ON a.id = s.agent_id
  JOIN LATERAL (
       SELECT number, NULL::bigint AS turn_number, request_digest, first_number
         FROM timeline_version WHERE session_id = s.id AND request_key = %(key)s
        UNION ALL
       SELECT head_number, turn_number, request_digest, NULL
         FROM timeline_turn WHERE session_id = s.id AND request_key = %(key)s
       ) k ON true
 WHERE s.id = %(session)s AND s.project_id = %(project)s
   AND (%(agents)s::text[] IS NULL OR a.external_id = ANY (%(agents)s::text[]))
 ORDER BY k.turn_number LIMIT 1
""")


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """One request to write to one session.

    `refused` are the holds of the head that stop this write, and `suspends` says
    whether a suspended agent stops it.
    """

    scope: Scope
    session_id: str
    actor: Actor
    now: datetime
    request: Request
    expected: Expected
    refused: frozenset[Hold]
    suspends: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Append(Job):
    """One write: `build` makes it for a given head.

    It is called again when another writer came first.
    """

    build: Build


@dataclass(frozen=True, kw_only=True, slots=True)
class Batch(Job):
    """Several versions, all of them or none; each is built on the one before."""

    builds: tuple[Build, ...]


def append(job: Append | Batch) -> Receipt:
    """Store the write and return what it became; a repeated request, what it had.

    Raises: SessionNotFound, IdempotencyKeyReused, AgentSuspended, SessionPaused,
    SessionClosed, VersionConflict, VersionMismatch, and whatever `build` raises.
    """
    known = _replayed(job)
    if known:
        return known
    job.request.require_sound()
    try:
        return _stored(job)
    except DomainError:
        # The same request, sent twice at once, may have been stored since the first
        # look: then what it did itself must not be told to it as a conflict.
        known = _replayed(job)
        if known is None:
            raise
        return known


def _stored(job: Append | Batch) -> Receipt:
    for _ in range(TRIES_WITHOUT_LOCK):
        receipt = _attempt_recorded(job)
        if receipt:
            return receipt
    with transaction.atomic():
        lock_session(job.session_id)
        receipt = _attempt_recorded(job)
    if receipt is None:
        raise RuntimeError("An append lost its race although it held the lock.")
    return receipt


def _attempt_recorded(job: Append | Batch) -> Receipt | None:
    """Try once; what a person does is chained in the transaction that does it."""
    if job.actor.is_agent:
        return _attempt(job)
    with transaction.atomic():
        receipt = _attempt(job)
        if receipt and not receipt.is_replay:
            first = receipt.first_number or receipt.number
            events.chain(job.session_id, range(first, receipt.number + 1))
    return receipt


def _attempt(job: Append | Batch) -> Receipt | None:
    """Try once; None when another writer came first and no head was named."""
    head = heads.shown(job.scope, job.session_id, None, now=job.now)
    # Before the head is compared or built on: who is held back need not catch up.
    if head.hold in job.refused:
        raise held(head.hold, head.number)
    if job.expected.number not in (None, head.number):
        raise conflicts.stale(job.expected, head)
    if isinstance(job, Batch):
        return _attempt_batch(job, head)
    sealed = sealing.seal_write(job.build(head), head=head, **_stamp(job))
    (outcome,) = sql.often(APPEND, _parameters(job, head, sealed))
    return _settled(job, outcome, sealed, head)


def _attempt_batch(job: Batch, head: VersionRow) -> Receipt | None:
    sealed = batches.seal(job.builds, head=head, **_stamp(job))
    try:
        with _undoable():
            (outcome,) = sql.often(APPEND_BATCH, _parameters(job, head, sealed))
    except IntegrityError as error:
        if getattr(error.__cause__, "sqlstate", None) != UNIQUE_VIOLATION:
            raise
        # It was rolled back whole: a name is taken, or a writer took a number
        # without the lock.
        conflicts.require_free_names(job.session_id, sealed.external_ids)
        _require_no_named_head(job)
        return None
    if outcome.outcome == "named":
        conflicts.require_free_names(job.session_id, sealed.external_ids)
    return _settled(job, outcome, sealed, head)


def _undoable() -> AbstractContextManager[None]:
    """Keep a violation from ending the transaction, where one is open."""
    return transaction.atomic() if connection.in_atomic_block else nullcontext()


def _stamp(job: Job) -> dict[str, Any]:
    return {
        "project": job.scope.project,
        "actor": job.actor,
        "now": job.now,
        "request": job.request,
    }


def _parameters(
    job: Job, head: VersionRow, sealed: sealing.Sealed | SealedBatch
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


def _settled(
    job: Job, outcome: Any, sealed: sealing.Sealed | SealedBatch, head: VersionRow
) -> Receipt | None:
    if outcome.outcome == "stored":
        gate.excuse()
        if sealed.raw is not None:
            # Only once it is committed: a body that was rolled back would be shown
            # for the one that takes its number.
            key, raw = (job.session_id, outcome.number), sealed.raw
            transaction.on_commit(lambda: bodies.cache.put(key, raw))
        items = sealed.items if isinstance(sealed, SealedBatch) else [sealed]
        made = written(items, head=head, created_at=outcome.created_at)
        return _receipt(job, outcome, made)
    if outcome.outcome == "replay":
        return _receipt(job, outcome)
    if outcome.outcome == "conflict":
        _require_no_named_head(job)
        return None
    raise _refusal(job, outcome)


def _require_no_named_head(job: Job) -> None:
    """Another writer came first: only who named no head may try again.

    Raises: VersionConflict, VersionMismatch.
    """
    if job.expected.number is not None:
        head = reading.head(job.scope, job.session_id, now=job.now)
        raise conflicts.stale(job.expected, head)


def _refusal(job: Job, outcome: Any) -> DomainError:
    match outcome.outcome:
        case "held":
            return held(outcome.hold, outcome.head_number)
        case "reused":
            return IdempotencyKeyReused(param="Idempotency-Key")
        case "suspended":
            return AgentSuspended()
        case "named":
            return conflicts.named(job.session_id)
        case _:
            return SessionNotFound()


def _replayed(job: Job) -> Receipt | None:
    """Look for the key before anything else is checked.

    The function looks again under the lock; this first look is what lets a repeated
    request be answered after the session was closed or moved on. (A deleted session
    answers 404 to all but the repeated delete.)
    """
    if job.request.key is None:
        return None
    found = sql.often(
        REPLAY,
        {
            "session": job.session_id,
            "key": job.request.key,
            "project": job.scope.project.id,
            "agents": job.scope.agent_list,
        },
    )
    if not found:
        return None
    if bytes(found[0].request_digest) != job.request.digest:
        raise IdempotencyKeyReused(param="Idempotency-Key")
    return _receipt(job, found[0])


def _receipt(job: Job, row: Any, made: list[VersionRow] | None = None) -> Receipt:
    """Return what was made now, or else what a replay made before."""
    return Receipt(
        session_id=job.session_id,
        number=row.number,
        turn_number=row.turn_number,
        first_number=row.first_number,
        is_replay=made is None,
        made=tuple(made or ()),
    )
