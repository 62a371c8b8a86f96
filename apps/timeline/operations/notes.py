"""Writing things down beside a history: for the next shift, for the post-mortem."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from apps.agents.scope import Scope
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.actors import Actor
from apps.core.errors import InvalidRequest
from apps.core.ids import new_id
from apps.timeline.ledger.drafts import Request, require_text
from apps.timeline.models import Note
from apps.timeline.versions import reading

MAX_NOTE = 10_000


@transaction.atomic
def add_note(
    *,
    scope: Scope,
    session_id: str,
    number: int | None = None,
    text: str,
    actor: Actor,
    now: datetime,
    request: Request,
) -> Note:
    """Write a note about a version, or without a number about the whole session.

    It is never changed. The record names it, not what it says.

    Raises: SessionNotFound, VersionNotFound, InvalidRequest.
    """
    require_text("text", text, MAX_NOTE)
    if not text.strip():
        raise InvalidRequest("A note says something.", param="text")
    version = reading.version(scope, session_id, number, now=now)
    note = Note(
        session_id=session_id,
        id=new_id("note", now=now),
        number=None if number is None else version.number,
        text=text,
        actor_kind=actor.kind,
        actor_id=actor.id,
        actor_label=actor.label,
        created_at=now,
    )
    note.save(force_insert=True)
    records = audit.record if actor.is_agent else audit.record_act
    records(
        stream_id=session_id,
        project_id=scope.project.id,
        action=Action.NOTE_ADDED,
        resource_type="note",
        resource_id=note.id,
        actor=actor,
        now=now,
        request_id=request.id,
        details={"version": note.number},
        number=note.number,
    )
    return note
