"""The one way to write to a session: read the head, build on it, append.

The SQL functions decide; this module calls them, turns their outcomes into errors and
retries what lost a race without having named a head. Nothing here holds a connection
while a state is merged, compared or compressed, except the last resort: a writer
that lost three times takes the session's row lock first, and cannot lose again.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from django.db import IntegrityError, connection, transaction

from apps.agents.acts import Act
from apps.agents.errors import AgentSuspended
from apps.core import gate, sql
from apps.core.errors import DomainError, IdempotencyKeyReused
from apps.timeline import bodies
from apps.timeline.errors import SessionNotFound, held
from apps.timeline.ledger import batches, conflicts, events, sealing
from apps.timeline.ledger.batches import EncodedBatch
from apps.timeline.ledger.commands import WriteCommand
from apps.timeline.ledger.drafts import ANY_HEAD, Build, Expected, Receipt
from apps.timeline.ledger.locking import lock_session
from apps.timeline.ledger.policies import Policy
from apps.timeline.ledger.written import written
from apps.timeline.versions import heads, reading
from apps.timeline.versions.reading import VersionRow

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


def append(
    *,
    act: Act,
    session_id: str,
    build: Build | tuple[Build, ...],
    expected: Expected = ANY_HEAD,
    policy: Policy,
) -> Receipt:
    """Store the write and return what it became; a repeated request, what it had.

    `build` makes it for a given head, anew when another writer came first; several
    are a batch, stored whole or not at all.

    Raises: SessionNotFound, IdempotencyKeyReused, AgentSuspended, SessionPaused,
    SessionClosed, VersionConflict, VersionMismatch, whatever `build` raises and, of a
    batch, ExternalIdTaken naming the item.
    """
    command = WriteCommand(
        act=act, session_id=session_id, build=build, expected=expected, policy=policy
    )
    known = _replayed(command)
    if known:
        return known
    command.request.require_sound()
    try:
        return _stored(command)
    except DomainError:
        # The same request, sent twice at once, may have been stored since the first
        # look: then what it did itself must not be told to it as a conflict.
        known = _replayed(command)
        if known is None:
            raise
        return known


def _stored(command: WriteCommand) -> Receipt:
    for _ in range(TRIES_WITHOUT_LOCK):
        receipt = _attempt_with_audit(command)
        if receipt:
            return receipt
    with transaction.atomic():
        lock_session(command.session_id)
        receipt = _attempt_with_audit(command)
    if receipt is None:
        raise RuntimeError("An append lost its race although it held the lock.")
    return receipt


def _attempt_with_audit(command: WriteCommand) -> Receipt | None:
    """Try once; what a person does is chained in the transaction that does it."""
    if command.act.actor.is_agent:
        return _attempt(command)
    with transaction.atomic():
        receipt = _attempt(command)
        if receipt and not receipt.is_replay:
            first = receipt.first_number or receipt.number
            events.chain(command.session_id, range(first, receipt.number + 1))
    return receipt


def _attempt(command: WriteCommand) -> Receipt | None:
    """Try once; None when another writer came first and no head was named."""
    head = heads.shown(command.act.scope, command.session_id, None, now=command.act.now)
    # Before the head is compared or built on: who is held back need not catch up.
    if head.hold in command.policy.refused:
        raise held(head.hold, head.number)
    if command.expected.number not in (None, head.number):
        raise conflicts.stale(command.expected, head)
    if isinstance(command.build, tuple):
        return _attempt_batch(command, command.build, head)
    sealed = sealing.seal_write(command.build(head), head=head, act=command.act)
    (outcome,) = sql.often(APPEND, _parameters(command, head, sealed))
    return _receipt_for_outcome(command, outcome, sealed, head)


def _attempt_batch(
    command: WriteCommand, builds: tuple[Build, ...], head: VersionRow
) -> Receipt | None:
    sealed = batches.seal(builds, head=head, act=command.act)
    try:
        with _undoable():
            (outcome,) = sql.often(APPEND_BATCH, _parameters(command, head, sealed))
    except IntegrityError as error:
        if getattr(error.__cause__, "sqlstate", None) != UNIQUE_VIOLATION:
            raise
        # It was rolled back whole: a name is taken, or a writer took a number
        # without the lock.
        conflicts.require_free_names(command.session_id, sealed.external_ids)
        _require_no_named_head(command)
        return None
    if outcome.outcome == "named":
        conflicts.require_free_names(command.session_id, sealed.external_ids)
    return _receipt_for_outcome(command, outcome, sealed, head)


def _undoable() -> AbstractContextManager[None]:
    """Keep a violation from ending the transaction, where one is open."""
    return transaction.atomic() if connection.in_atomic_block else nullcontext()


def _parameters(
    command: WriteCommand, head: VersionRow, sealed: sealing.EncodedWrite | EncodedBatch
) -> dict[str, Any]:
    return {
        "session": command.session_id,
        "project": command.act.project_id,
        "expected": head.number,
        "now": command.act.now,
        "key": command.request.key,
        "digest": command.request.digest,
        "refused": sorted(command.policy.refused),
        "suspends": command.policy.suspends,
        **sealed.parameters(),
    }


def _receipt_for_outcome(
    command: WriteCommand,
    outcome: Any,
    sealed: sealing.EncodedWrite | EncodedBatch,
    head: VersionRow,
) -> Receipt | None:
    if outcome.outcome == "stored":
        gate.excuse()
        if sealed.raw is not None:
            # Only once it is committed: a body that was rolled back would be shown
            # for the one that takes its number.
            key, raw = (command.session_id, outcome.number), sealed.raw
            transaction.on_commit(lambda: bodies.cache.put(key, raw))
        items = sealed.items if isinstance(sealed, EncodedBatch) else [sealed]
        made = written(items, head=head, created_at=outcome.created_at)
        return _receipt(command, outcome, made)
    if outcome.outcome == "replay":
        return _receipt(command, outcome)
    if outcome.outcome == "conflict":
        _require_no_named_head(command)
        return None
    raise _refusal(command, outcome)


def _require_no_named_head(command: WriteCommand) -> None:
    """Another writer came first: only who named no head may try again.

    Raises: VersionConflict, VersionMismatch.
    """
    if command.expected.number is not None:
        head = reading.head(command.act.scope, command.session_id, now=command.act.now)
        raise conflicts.stale(command.expected, head)


def _refusal(command: WriteCommand, outcome: Any) -> DomainError:
    match outcome.outcome:
        case "held":
            return held(outcome.hold, outcome.head_number)
        case "reused":
            return IdempotencyKeyReused(param="Idempotency-Key")
        case "suspended":
            return AgentSuspended()
        case "named":
            return conflicts.named(command.session_id)
        case _:
            return SessionNotFound()


def _replayed(command: WriteCommand) -> Receipt | None:
    """Look for the key before anything else is checked.

    The function looks again under the lock; this first look is what lets a repeated
    request be answered after the session was closed or moved on. (A deleted session
    answers 404 to all but the repeated delete.)
    """
    if command.request.key is None:
        return None
    found = sql.often(
        REPLAY,
        {
            "session": command.session_id,
            "key": command.request.key,
            "project": command.act.project_id,
            "agents": command.act.scope.agent_list,
        },
    )
    if not found:
        return None
    if bytes(found[0].request_digest) != command.request.digest:
        raise IdempotencyKeyReused(param="Idempotency-Key")
    return _receipt(command, found[0])


def _receipt(
    command: WriteCommand, row: Any, made: list[VersionRow] | None = None
) -> Receipt:
    """Return what was made now, or else what a replay made before."""
    return Receipt(
        session_id=command.session_id,
        number=row.number,
        turn_number=row.turn_number,
        first_number=row.first_number,
        is_replay=made is None,
        made=tuple(made or ()),
    )
