"""Turn an outcome of the SQL functions into a receipt, another try or an error."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from apps.accounts.errors import AuthenticationFailed, Unusable
from apps.agents.errors import AgentSuspended
from apps.core.admission import gate
from apps.core.errors import DomainError, IdempotencyKeyReused
from apps.timeline import bodies
from apps.timeline.errors import SessionNotFound, held
from apps.timeline.ledger import conflicts
from apps.timeline.ledger.drafts import Receipt, WriteCommand
from apps.timeline.ledger.encoding.batches import EncodedBatch
from apps.timeline.ledger.encoding.values import EncodedWrite
from apps.timeline.ledger.encoding.written import written, written_turn
from apps.timeline.ledger.replays import receipt_of
from apps.timeline.versions import fetching, heads
from apps.timeline.versions.reading import VersionRow


def receipt_for_outcome(
    command: WriteCommand,
    outcome: Any,
    encoded: EncodedWrite | EncodedBatch,
    head: VersionRow,
) -> Receipt | None:
    """Return what was stored, now or before; None to try again on a newer head.

    Raises: whatever the outcome refuses the write with.
    """
    if outcome.outcome == "stored":
        return _stored(command, outcome, encoded, head)
    if outcome.outcome == "replay":
        return receipt_of(command, outcome)
    if outcome.outcome == "conflict":
        require_no_named_head(command)
        return None
    raise _refusal(command, outcome)


def _stored(
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
    made = written(items, head=head, act=command.act, created_at=outcome.created_at)
    newest = made[-1] if made else head
    transaction.on_commit(lambda: heads.REMEMBERED.put(newest))
    turn = written_turn(
        items[-1],
        act=command.act,
        session_id=command.session_id,
        outcome=outcome,
    )
    return Receipt(
        session_id=command.session_id,
        number=outcome.number,
        is_replay=False,
        turn_number=outcome.turn_number,
        first_number=outcome.first_number,
        made=tuple(made),
        turn=turn,
        built_on=head,
    )


def require_no_named_head(command: WriteCommand) -> None:
    """Another writer came first: only who named no head may try again.

    Raises: VersionConflict, VersionMismatch.
    """
    if command.expected.number is not None:
        head = fetching.head(command.act.scope, command.session_id, now=command.act.now)
        raise conflicts.stale(command.expected, head)


def _refusal(command: WriteCommand, outcome: Any) -> DomainError:
    match outcome.outcome:
        case "revoked" | "expired":
            return AuthenticationFailed.because(Unusable(outcome.outcome))
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
