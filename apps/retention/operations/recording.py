"""The chained records of what was done with policies and legal holds."""

from __future__ import annotations

from typing import Any

from apps.agents.acts import Act
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.retention.covered import LEGAL_HOLD, POLICY
from apps.retention.models import LegalHold, Policy


def record_policy(
    action: Action, policy: Policy, act: Act, details: dict[str, Any] | None = None
) -> None:
    """Write the event and its record; call it last."""
    row = POLICY.left(policy, act.project.index_key)
    audit.record_act(
        stream_id=policy.project_id,
        project_id=policy.project_id,
        action=action,
        resource_type="retention_policy",
        resource_id=policy.id,
        act=act,
        details=(details or {}) | row.details(),
    )


def record_hold(
    action: Action, hold: LegalHold, act: Act, details: dict[str, Any]
) -> None:
    """As `record_policy`; who is meant by it, the record of a person does not say."""
    row = LEGAL_HOLD.left(hold, act.project.index_key)
    audit.record_act(
        stream_id=hold.project_id,
        project_id=hold.project_id,
        action=action,
        resource_type="legal_hold",
        resource_id=hold.id,
        act=act,
        details={"kind": hold.kind} | details | row.details(),
    )
