"""The one way to write to a session: read the head, build on it, append.

The SQL functions decide; this module calls them, turns their outcomes into errors and
retries what lost a race without having named a head. Nothing here holds a connection
while a state is merged, compared or compressed, except the last resort: a writer
that lost three times takes the session's row lock first, and cannot lose again.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from typing import Any

from django.db import IntegrityError, connection, transaction

from apps.agents.acts import Act
from apps.agents.remembered import remembered
from apps.audit import operations as audit
from apps.core import sql
from apps.core.admission import gate
from apps.core.errors import DomainError
from apps.diffs.readers import require_clear
from apps.timeline import bodies, hooks
from apps.timeline.hooks import Judging
from apps.timeline.ledger import conflicts, events
from apps.timeline.ledger.drafts import ANY_HEAD, Build, Expected, Receipt, WriteCommand
from apps.timeline.ledger.encoding import batches, calls, rows, turns
from apps.timeline.ledger.encoding.batches import EncodedBatch
from apps.timeline.ledger.encoding.values import EncodedWrite
from apps.timeline.ledger.encoding.writes import encode_write
from apps.timeline.ledger.judging import attempts
from apps.timeline.ledger.locking import lock_session
from apps.timeline.ledger.policies import Policy
from apps.timeline.ledger.replays import receipt_of, replayed
from apps.timeline.versions import fetching, heads
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
    kept: Mapping[str, Any] = audit.EMPTY,
) -> Receipt:
    """Store the write and return what it became; a repeated request, what it had.

    `build` makes it for a given head, anew when another came first; several are a
    batch, stored whole or not at all. What is `kept` the chained record keeps.

    Raises: SessionNotFound, IdempotencyKeyReused, AgentSuspended, AgentDeleted,
    SessionPaused, SessionClosed, VersionConflict, VersionMismatch, whatever `build`
    raises and, of a batch, ExternalIdTaken naming the item.
    """
    command = WriteCommand(
        act=act,
        session_id=session_id,
        build=build,
        expected=expected,
        policy=policy,
        kept=kept,
    )
    # On a head that is remembered the function looks the key up, in the same statement.
    remembered = act.request.key and heads.REMEMBERED.get(act.scope, session_id)
    if act.request.fault or (act.request.key and not remembered):
        if known := replayed(command):
            return known
        act.request.require_sound()
    try:
        return _stored(command)
    except DomainError:
        # The same request, sent twice at once, may have been stored since the first
        # look: then what it did itself must not be told to it as a conflict.
        if known := replayed(command):
            return known
        raise


def _stored(command: WriteCommand) -> Receipt:
    require_clear()
    is_chained = command.kept or not command.act.actor.is_agent
    attempt = _attempt_chained if is_chained else _attempt
    for _ in range(TRIES_WITHOUT_LOCK):
        receipt = attempt(command)
        if receipt:
            return receipt
    with transaction.atomic():
        lock_session(command.session_id)
        receipt = attempt(command)
    if receipt is None:
        raise RuntimeError("An append lost its race although it held the lock.")
    return receipt


def _attempt_chained(command: WriteCommand) -> Receipt | None:
    """Try once; what a person does is chained in the transaction that does it."""
    with transaction.atomic():
        receipt = _attempt(command)
        if receipt and not receipt.is_replay:
            if receipt.made:
                numbers = [one.number for one in receipt.made]
                events.chain(command.session_id, numbers, command.kept)
            else:
                events.chain_turn(command.session_id)
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


def _attempt_on(
    command: WriteCommand, head: VersionRow, judging: Judging | None = None
) -> Receipt | None:
    # Before the head is compared or built on: who is held back need not catch up.
    if head.hold in command.policy.refused:
        raise conflicts.refused_by(head)
    if command.expected.number not in (None, head.number):
        raise conflicts.stale(command.expected, head)
    if not command.is_guarded and remembered(head.agent_id).has_guards:
        guarding = replace(command, is_guarded=True)
        return attempts.attempt(guarding, head, _attempt_on)
    act = command.act
    encoded: EncodedWrite | EncodedBatch
    if isinstance(command.build, tuple):
        encoded = batches.encode(command.build, head=head, act=act, judging=judging)
    else:
        write = command.build(head)
        encoded = encode_write(write, head=head, act=act, judging=judging)
    if judging is not None:
        send = partial(_sent, command, head, encoded)
        return attempts.stored(judging, command.session_id, send)
    return _sent(command, head, encoded)


def _sent(
    command: WriteCommand, head: VersionRow, encoded: EncodedWrite | EncodedBatch
) -> Receipt | None:
    """Return what was stored, now or before; None to try again on a newer head.

    Raises: whatever the outcome refuses the write with.
    """
    if isinstance(encoded, EncodedBatch):
        outcome = _outcome_of_batch(command, head, encoded)
    else:
        given = rows.of_write(command, head, encoded)
        (outcome,) = sql.run_prepared(calls.APPEND, given)
    if outcome is None or outcome.outcome == "conflict":
        _require_no_named_head(command)
        return None
    if outcome.outcome == "stored":
        return _receipt_of_stored(command, outcome, encoded, head)
    if outcome.outcome == "replay":
        return receipt_of(command, outcome)
    if outcome.outcome == "watched":
        return _watched(command, head, encoded)
    raise conflicts.refusal(command, outcome, head)


def _outcome_of_batch(
    command: WriteCommand, head: VersionRow, encoded: EncodedBatch
) -> Any:
    """Return what became of a batch; None where a writer took a number of its own.

    Raises: ExternalIdTaken, naming the item.
    """
    try:
        with _undoable():
            (outcome,) = sql.run_prepared(
                calls.APPEND_BATCH,
                batches.of_batch(command, head, encoded.items),
            )
    except IntegrityError as error:
        if getattr(error.__cause__, "sqlstate", None) != UNIQUE_VIOLATION:
            raise
        # It was rolled back whole: a name is taken, or a writer took a number
        # without the lock.
        conflicts.require_free_names(command.session_id, encoded.external_ids)
        return None
    if outcome.outcome == "named":
        conflicts.require_free_names(command.session_id, encoded.external_ids)
    return outcome


def _undoable() -> AbstractContextManager[None]:
    """Keep a violation from ending the transaction, where one is open."""
    return transaction.atomic() if connection.in_atomic_block else nullcontext()


def _receipt_of_stored(
    command: WriteCommand,
    outcome: Any,
    encoded: EncodedWrite | EncodedBatch,
    head: VersionRow,
) -> Receipt:
    """Return what was stored, and remember its body and the new head once committed."""
    gate.exempt()
    if encoded.raw is not None:
        # Only once it is committed: a body that was rolled back would be shown
        # for the one that takes its number.
        key, raw = (command.session_id, outcome.number), encoded.raw
        transaction.on_commit(lambda: bodies.cache.put(key, raw))
    items = encoded.items if isinstance(encoded, EncodedBatch) else [encoded]
    act, at = command.act, outcome.created_at
    newest, made = head, []
    for item in items:
        if item.version is not None:
            newest = rows.following(newest, item, item.version, act=act, created_at=at)
            made.append(newest)
    is_clear = act.project.data_key is None
    transaction.on_commit(lambda: heads.REMEMBERED.put(newest, is_shared=is_clear))
    turn = items[-1].turn
    return Receipt(
        session_id=command.session_id,
        number=outcome.number,
        is_replay=False,
        turn_number=outcome.turn_number,
        first_number=outcome.first_number,
        made=tuple(made),
        turn=None
        if turn is None
        else turns.written_turn(
            turn, act=act, session_id=command.session_id, outcome=outcome
        ),
        built_on=head,
    )


def _watched(
    command: WriteCommand, head: VersionRow, encoded: EncodedWrite | EncodedBatch
) -> Receipt | None:
    """Store a turn of a watched session, and tell of it, in one transaction.

    It is what guards were shown: they are not asked again, and whoever sent it stores
    what they found.
    """
    with transaction.atomic():
        lock_session(command.session_id)
        receipt = _sent(replace(command, watches=True), head, encoded)
        if receipt is None or receipt.is_replay:
            return receipt
        hooks.tell_turn(
            hooks.TurnStored(
                act=command.act,
                session_id=command.session_id,
                agent_id=head.agent_id,
                turn=receipt.turn,
                began_at=head.session_created_at,
            )
        )
    return receipt


def _require_no_named_head(command: WriteCommand) -> None:
    """Another writer came first: only who named no head may try again.

    Raises: VersionConflict, VersionMismatch.
    """
    if command.expected.number is not None:
        head = fetching.head(command.act.scope, command.session_id, now=command.act.now)
        raise conflicts.stale(command.expected, head)
