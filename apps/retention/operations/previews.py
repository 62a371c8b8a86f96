"""Asking what a policy would take; the sweeping process counts it."""

from __future__ import annotations

from django.db import transaction

from apps.agents.acts import Act
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.ids import new_id
from apps.retention.models import Policy, Removal
from apps.retention.words import State


@transaction.atomic
def ask_preview(*, act: Act, policy_id: str) -> Removal:
    """Have it counted what a policy would take at this moment; nothing goes.

    Raises: PolicyNotFound.
    """
    policy = Policy.objects.of_project(act.project_id).one(policy_id)
    preview = Removal.objects.create(
        id=new_id("prev", now=act.now),
        project=act.project,
        policy=policy,
        is_preview=True,
        policy_digest=policy.digest,
        state=State.PREVIEWING,
        asked_by_label=act.actor.label,
        started_at=act.now,
    )
    audit.record_act(
        stream_id=act.project_id,
        project_id=act.project_id,
        action=Action.RETENTION_PREVIEWED,
        resource_type="retention_policy",
        resource_id=policy.id,
        act=act,
        details={"preview_id": preview.id},
    )
    return preview
