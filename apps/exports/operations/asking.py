"""Asking for an export: the worker makes it from then on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.ids import new_id
from apps.exports.asked import checked
from apps.exports.models import Export
from apps.exports.words import Kind
from apps.timeline.errors import SessionNotFound
from apps.timeline.models import Session


@transaction.atomic
def ask(*, act: Act, kind: Kind, asked: Mapping[str, Any]) -> Export:
    """Have an export made with these filters; what is unmasked, the record says.

    The record says neither whose data it is nor by which words it was found.

    Raises: UnacceptableExport, SessionNotFound, AgentNotFound.
    """
    said = checked(kind, asked)
    _require_there(act, kind, said)
    export = Export.objects.create(
        id=new_id("xprt", now=act.now),
        project=act.project,
        kind=kind,
        asked=said,
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
        details={"kind": export.kind, "unmasked": bool(said.get("unmasked"))},
    )
    return export


def _require_there(act: Act, kind: Kind, said: Mapping[str, Any]) -> None:
    """Raises: SessionNotFound, AgentNotFound."""
    if kind is Kind.SESSION:
        mine = Session.objects.of_project(act.project_id)
        if not mine.filter(id=said["session_id"]).exists():
            raise SessionNotFound
    if kind is Kind.AUDIT and "agent" in said:
        Agent.objects.visible_to(act.scope).one_named(said["agent"])
