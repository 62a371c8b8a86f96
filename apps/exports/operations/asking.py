"""Asking for an export: the worker makes it from then on."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from apps.agents.acts import Act
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.ids import new_id
from apps.exports.models import Export
from apps.exports.words import Kind


@transaction.atomic
def ask(*, act: Act, kind: Kind, asked: dict[str, Any]) -> Export:
    """Have an export made with these filters; what is masked, the record says."""
    export = Export.objects.create(
        id=new_id("xprt", now=act.now),
        project=act.project,
        kind=kind,
        asked=asked,
        asked_by_label=act.actor.label,
        created_at=act.now,
    )
    audit.record_act(
        stream_id=act.project_id,
        project_id=act.project_id,
        action=Action.EXPORT_ASKED,
        resource_type="export",
        resource_id=export.id,
        act=act,
        details={"kind": export.kind, "unmasked": bool(asked.get("unmasked"))},
    )
    return export
