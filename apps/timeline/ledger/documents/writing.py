"""Call the SQL functions of keyed documents, and turn their outcomes into errors."""

from __future__ import annotations

from typing import Any

from apps.accounts.errors import AuthenticationFailed, Unusable
from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.core import sql
from apps.core.admission import gate
from apps.core.errors import DomainError, IdempotencyKeyReused
from apps.timeline.errors import DocumentHeld, DocumentNotFound
from apps.timeline.ledger.documents import calls
from apps.timeline.ledger.documents.sealing import keyless, seal
from apps.timeline.ledger.documents.values import Document, Told
from apps.timeline.words import Op

# What a document begins with: nothing.
NOTHING = b"{}"


def begin(act: Act, document: Document, told: Told) -> None:
    """Make the document with its version 0, unless it is there."""
    item = seal(keyless(act), document, op=Op.CREATE, body=NOTHING, told=told)
    given = calls.of_act(act, document) | item
    # Of nobody's document the row names no agent.
    given["act_agent_id"] = document.agent_id or None
    sql.run_prepared(calls.BEGIN, given)


def run(
    statement: sql.PreparedQuery, act: Act, document: Document, given: dict[str, Any]
) -> Any:
    """Call one of the functions; return its row, whatever the outcome that is its own.

    Raises: DocumentNotFound, AuthenticationFailed, IdempotencyKeyReused,
    AgentSuspended, AgentDeleted, DocumentHeld.
    """
    (row,) = sql.run_prepared(statement, given)
    refusal = _refusal(row.outcome, document)
    if refusal is not None:
        raise refusal
    if row.outcome == "stored":
        gate.exempt()
    return row


def _refusal(outcome: str, document: Document) -> DomainError | None:
    match outcome:
        case "missing":
            return DocumentNotFound()
        case "revoked" | "expired" | "unknown":
            return AuthenticationFailed.because(Unusable(outcome))
        case "reused":
            return IdempotencyKeyReused(param="Idempotency-Key")
        case "suspended":
            return Agent.objects.get(id=document.agent_id).refusal
        case "held":
            return DocumentHeld()
        case _:
            return None
