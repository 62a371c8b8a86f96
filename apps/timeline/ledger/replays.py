"""Recognise a repeated request by its idempotency key; return what it had stored."""

from __future__ import annotations

from typing import Any

from apps.core import sql
from apps.core.errors import IdempotencyKeyReused
from apps.timeline.ledger.commands import WriteCommand
from apps.timeline.ledger.drafts import Receipt

# A turn that made a version has its key on both; the turn says more.
REPLAY = sql.PreparedQuery("""
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


def replayed(command: WriteCommand) -> Receipt | None:
    """Look for the key before anything else is checked.

    The function looks again under the lock; this first look is what lets a repeated
    request be answered after the session was closed or moved on. (A deleted session
    answers 404 to all but the repeated delete.)
    """
    if command.request.key is None:
        return None
    found = sql.run_prepared(
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
