"""The chained record of what was done with a plan."""

from __future__ import annotations

from typing import Any

from apps.agents.acts import Act
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.plans.models import Plan


def record(
    action: Action, plan: Plan, act: Act, details: dict[str, Any] | None = None
) -> None:
    """Write the event and its record; call it last."""
    audit.record_act(
        stream_id=plan.project_id,
        project_id=plan.project_id,
        action=action,
        resource_type="plan",
        resource_id=plan.id,
        act=act,
        details={"kind": plan.kind, **(details or {})},
    )
