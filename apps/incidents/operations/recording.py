"""The history of an incident, and the chained record of what was done with it."""

from __future__ import annotations

from typing import Any

from apps.agents.acts import Act
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.ids import new_id
from apps.incidents.models import Entry, Incident
from apps.incidents.words import Deed


def append_entry(
    incident: Incident,
    act: Act,
    deed: Deed,
    *,
    text: str | None = None,
    session_id: str | None = None,
    place: int = 0,
) -> Entry:
    """Append to the history of an incident; `place` orders what one act does."""
    return Entry.objects.create(
        project_id=incident.project_id,
        incident=incident,
        id=new_id("inct", now=act.now, sequence=place),
        deed=deed,
        text=text,
        session_id=session_id,
        actor_kind=act.actor.kind.value,
        actor_id=act.actor.id,
        actor_label=act.actor.label,
        created_at=act.now,
    )


def record(action: Action, incident: Incident, act: Act, details: Any) -> None:
    """Write the event and its record; call it last.

    What people wrote is in the history alone, which an erasure can empty.
    """
    audit.record_act(
        stream_id=act.project_id,
        project_id=act.project_id,
        action=action,
        resource_type="incident",
        resource_id=incident.id,
        act=act,
        details=details,
    )
