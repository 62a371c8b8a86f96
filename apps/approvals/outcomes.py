"""What is told of an approval: over the API, and where an effect waits for one."""

from __future__ import annotations

from typing import Any

from orjson import Fragment

from apps.approvals.models import Approval, Vote
from apps.approvals.standing import Standing
from apps.approvals.words import Status
from apps.core import json
from apps.core.time.moments import utc_text


def approval_object(approval: Approval, stands: Standing) -> dict[str, Any]:
    """Return an approval, its votes and what came of it."""
    return {
        "object": "approval",
        "id": approval.id,
        "session_id": approval.session_id,
        "agent_id": approval.agent.external_id,
        "version": approval.number,
        "key": approval.key,
        "tool": approval.tool,
        "class": approval.effect_class,
        "arguments": Fragment(bytes(approval.arguments)),
        "schema": _fragment(approval.schema),
        "reason": approval.reason,
        "depends_on": approval.depends_on,
        "votes_needed": approval.votes,
        "who": approval.who,
        "on_expiry": approval.on_expiry,
        "rule_id": approval.rule_id,
        "replaces": approval.replaces,
        "changes": _fragment(approval.changes),
        "status": stands.status.value,
        "escalated": stands.is_escalated,
        "requested_by": approval.actor_label,
        "created_at": utc_text(approval.created_at),
        "expires_at": utc_text(approval.expires_at),
        "votes": [_vote_object(one) for one in stands.votes],
        "outcome": _outcome(approval, stands),
    }


def allowed_arguments(approval: Approval, stands: Standing) -> dict[str, Any]:
    """Return the arguments that people allowed, of one that is approved."""
    return json.parse_object(bytes(_allowed(approval, stands)))


def _vote_object(vote: Vote) -> dict[str, Any]:
    return {
        "verdict": vote.verdict,
        "by": vote.actor_label,
        "comment": vote.comment,
        "late": vote.is_late,
        "at": utc_text(vote.created_at),
    }


def _outcome(approval: Approval, stands: Standing) -> dict[str, Any] | None:
    """What an agent goes on with; one that is void or expired allows nothing."""
    if stands.is_pending:
        return None
    ended = stands.ended
    is_approved = stands.status == Status.APPROVED
    edited = ended.arguments if ended is not None and is_approved else None
    return {
        "approved": is_approved,
        "comment": ended and ended.comment,
        "arguments": _fragment(_allowed(approval, stands)) if is_approved else None,
        "edited": edited is not None,
        "version": ended and ended.number,
        "decided_by": ended and ended.actor_label,
        "decided_at": utc_text(ended.created_at) if ended is not None else None,
    }


def _allowed(approval: Approval, stands: Standing) -> Any:
    ended = stands.ended
    if ended is None or ended.arguments is None:
        return approval.arguments
    return ended.arguments


def _fragment(stored: Any) -> Fragment | None:
    return None if stored is None else Fragment(bytes(stored))
