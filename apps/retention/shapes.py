"""What is told of policies, previews, removals and legal holds outside."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from apps.core.time.moments import utc_text
from apps.retention.counts import Counts
from apps.retention.models import LegalHold, Policy, Removal
from apps.retention.operations.policies import PREVIEW_COUNTS
from apps.retention.words import HoldKind


def policy_object(policy: Policy) -> dict[str, Any]:
    return {
        "object": "retention_policy",
        "id": policy.id,
        "agent_id": None if policy.agent is None else policy.agent.external_id,
        "thin_days": policy.thin_days,
        "archive_days": policy.archive_days,
        "empty_days": policy.empty_days,
        "prune_days": policy.prune_days,
        "remove_days": policy.remove_days,
        "ended_days": policy.ended_days,
        "keep_last": policy.keep_last,
        "enabled": policy.is_enabled,
        "preview_id": policy.preview_id,
        "created_at": utc_text(policy.created_at),
        "created_by": policy.made_by_label,
        "enabled_at": utc_text(policy.enabled_at),
        "disabled_at": utc_text(policy.disabled_at),
        "swept_at": utc_text(policy.swept_at),
    }


def preview_object(preview: Removal) -> dict[str, Any]:
    until = preview.started_at + PREVIEW_COUNTS
    about = {"object": "retention_preview", **_counted(preview)}
    return about | {"usable_until": utc_text(until)}


def removal_object(removal: Removal) -> dict[str, Any]:
    return {"object": "retention_removal", **_counted(removal)}


def hold_object(hold: LegalHold, *, now: datetime) -> dict[str, Any]:
    return {
        "object": "legal_hold",
        "id": hold.id,
        "kind": hold.kind,
        "value": None if hold.kind == HoldKind.PROJECT else hold.value,
        "reason": hold.reason,
        "standing": hold.stands(now),
        "until": utc_text(hold.until),
        "created_at": utc_text(hold.created_at),
        "set_by": hold.set_by_label,
        "ended_at": utc_text(hold.ended_at),
        "ended_by": hold.ended_by_label,
        "end_reason": hold.end_reason,
    }


def _counted(one: Removal) -> dict[str, Any]:
    counts = Counts.of(one.counts)
    pinned = sorted(counts.pinned.items(), key=lambda found: (-found[1], found[0]))
    return {
        "id": one.id,
        "policy_id": one.policy_id,
        "state": one.state,
        "sessions_seen": counts.seen,
        "complete": one.is_complete,
        "counts": counts.listed(),
        "pinned": [{"why": why, "versions": n} for why, n in pinned],
        "held_sessions": counts.held,
        "documents_seen": counts.documents_seen,
        "held_documents": counts.documents_held,
        "error": one.error or None,
        "started_at": utc_text(one.started_at),
        "ended_at": utc_text(one.ended_at),
    }
