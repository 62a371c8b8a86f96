"""What is told of a rule of approvals outside."""

from __future__ import annotations

from typing import Any

from apps.approvals.models import ApprovalRule
from apps.core.time.moments import utc_text


def rule_object(rule: ApprovalRule) -> dict[str, Any]:
    return {
        "object": "approval_rule",
        "id": rule.id,
        "agent_id": rule.agent_id,
        "tool": rule.tool,
        "class": rule.effect_class,
        "check": rule.check_text,
        "votes": rule.votes,
        "who": rule.who,
        "expires_in": rule.expires_in,
        "on_expiry": rule.on_expiry,
        "created_at": utc_text(rule.created_at),
        "created_by": rule.actor_label,
    }
