"""Recognise a repeated request by its idempotency key; return what it had stored."""

from __future__ import annotations

from typing import Any

from apps.core import sql
from apps.core.errors import IdempotencyKeyReused
from apps.timeline.ledger.drafts import Receipt, WriteCommand

REPLAY = sql.PreparedQuery(sql.of_session(sql.query("timeline", "replayed_request")))


def replayed(command: WriteCommand) -> Receipt | None:
    """Look for the key before anything else is checked.

    The function looks again under the lock; this first look is what lets a repeated
    request be answered after the session was closed or moved on. (A deleted session
    answers 404 to all but the repeated delete.)
    """
    if command.act.request.key is None:
        return None
    found = sql.run_prepared(
        REPLAY,
        {
            "session": command.session_id,
            "key": command.act.request.key,
            "project": command.act.project_id,
            "agents": command.act.scope.agent_list,
            "kind": command.act.scope.kind,
        },
    )
    if not found:
        return None
    if bytes(found[0].request_digest) != command.act.request.digest:
        raise IdempotencyKeyReused(param="Idempotency-Key")
    return receipt_of(command, found[0])


def receipt_of(command: WriteCommand, row: Any) -> Receipt:
    """Return what a repeated request had made before."""
    return Receipt(
        session_id=command.session_id,
        number=row.number,
        turn_number=row.turn_number,
        first_number=row.first_number,
        is_replay=True,
    )
