"""The one way to write to a session: read the head, build on it, append.

The SQL functions decide; this module calls them, turns their outcomes into errors and
retries what lost a race without having named a head. Nothing here holds a connection
while a state is merged, compared or compressed, except the last resort: a writer
that lost three times takes the session's row lock first, and cannot lose again.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext, suppress

from django.db import IntegrityError, connection, transaction

from apps.agents.acts import Act
from apps.core import sql
from apps.core.errors import DomainError
from apps.timeline.errors import held
from apps.timeline.ledger import conflicts, events
from apps.timeline.ledger.drafts import ANY_HEAD, Build, Expected, Receipt, WriteCommand
from apps.timeline.ledger.encoding import batches, calls, parameters
from apps.timeline.ledger.encoding.writes import encode_write
from apps.timeline.ledger.locking import lock_session
from apps.timeline.ledger.outcomes import (
    receipt_for_outcome,
    require_no_named_head,
)
from apps.timeline.ledger.policies import Policy
from apps.timeline.ledger.replays import replayed
from apps.timeline.versions import heads
from apps.timeline.versions.reading import VersionRow

TRIES_WITHOUT_LOCK = 3
UNIQUE_VIOLATION = "23505"


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
    # On a head that is remembered the function looks the key up, in the same statement.
    if _needs_first_look(command):
        known = replayed(command)
        if known:
            return known
        command.act.request.require_sound()
    try:
        return _stored(command)
    except DomainError:
        # The same request, sent twice at once, may have been stored since the first
        # look: then what it did itself must not be told to it as a conflict.
        known = replayed(command)
        if known is None:
            raise
        return known


def _needs_first_look(command: WriteCommand) -> bool:
    if command.act.request.fault is not None:
        return True
    if command.act.request.key is None:
        return False
    return heads.REMEMBERED.get(command.act.scope, command.session_id) is None


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
    act = command.act
    guess = heads.REMEMBERED.get(act.scope, command.session_id)
    if guess is not None:
        # A refusal has to be of the head that is there, so this one counts for nothing.
        with suppress(DomainError):
            receipt = _attempt_on(command, guess)
            if receipt is not None:
                return receipt
        heads.REMEMBERED.forget(command.session_id)
    head = heads.shown(act.scope, command.session_id, None, now=act.now)
    return _attempt_on(command, head)


def _attempt_on(command: WriteCommand, head: VersionRow) -> Receipt | None:
    # Before the head is compared or built on: who is held back need not catch up.
    if head.hold in command.policy.refused:
        raise held(head.hold, head.number)
    if command.expected.number not in (None, head.number):
        raise conflicts.stale(command.expected, head)
    if isinstance(command.build, tuple):
        return _attempt_batch(command, command.build, head)
    encoded = encode_write(command.build(head), head=head, act=command.act)
    (outcome,) = sql.run_prepared(
        calls.APPEND, parameters.of_write(command, head, encoded)
    )
    return receipt_for_outcome(command, outcome, encoded, head)


def _attempt_batch(
    command: WriteCommand, builds: tuple[Build, ...], head: VersionRow
) -> Receipt | None:
    encoded = batches.encode(builds, head=head, act=command.act)
    try:
        with _undoable():
            (outcome,) = sql.run_prepared(
                calls.APPEND_BATCH,
                parameters.of_batch(command, head, encoded.items),
            )
    except IntegrityError as error:
        if getattr(error.__cause__, "sqlstate", None) != UNIQUE_VIOLATION:
            raise
        # It was rolled back whole: a name is taken, or a writer took a number
        # without the lock.
        conflicts.require_free_names(command.session_id, encoded.external_ids)
        require_no_named_head(command)
        return None
    if outcome.outcome == "named":
        conflicts.require_free_names(command.session_id, encoded.external_ids)
    return receipt_for_outcome(command, outcome, encoded, head)


def _undoable() -> AbstractContextManager[None]:
    """Keep a violation from ending the transaction, where one is open."""
    return transaction.atomic() if connection.in_atomic_block else nullcontext()
