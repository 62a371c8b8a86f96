"""What the verbs share: the webhook at hand, and the record of what was done."""

from __future__ import annotations

from typing import Any

from apps.accounts.models import Project
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.provenance import Provenance
from apps.webhooks.covered import WEBHOOK
from apps.webhooks.models import Subscription


def locked(project: Project, webhook_id: str) -> Subscription:
    mine = Subscription.objects.of_project(project.id)
    return mine.select_for_update(no_key=True).one(webhook_id)


def record(
    action: Action,
    webhook: Subscription,
    act: Provenance,
    details: dict[str, Any],
    *,
    is_removed: bool = False,
) -> None:
    row = (
        WEBHOOK.removed(webhook)
        if is_removed
        else WEBHOOK.left(webhook, webhook.project.index_key)
    )
    audit.record_act(
        stream_id=webhook.project_id,
        project_id=webhook.project_id,
        action=action,
        resource_type="webhook",
        resource_id=webhook.id,
        act=act,
        details=details | row.details(),
    )
