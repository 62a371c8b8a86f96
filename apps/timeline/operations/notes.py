"""Writing things down beside a history: for the next shift, for the post-mortem."""

from __future__ import annotations

from django.db import transaction

from apps.agents.acts import Act
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.errors import InvalidRequest
from apps.core.ids import new_id
from apps.timeline.covered import NOTE
from apps.timeline.models import Note
from apps.timeline.versions import fetching
from apps.timeline.versions.reading import require_text

MAX_NOTE = 10_000


@transaction.atomic
def add_note(
    *,
    act: Act,
    session_id: str,
    number: int | None = None,
    text: str,
) -> Note:
    """Write a note about a version, or without a number about the whole session.

    It is never changed. The record names it, not what it says.

    Raises: SessionNotFound, VersionNotFound, InvalidRequest.
    """
    require_text("text", text, MAX_NOTE)
    if not text.strip():
        raise InvalidRequest("A note says something.", param="text")
    version = fetching.version(act.scope, session_id, number, now=act.now)
    note = Note(
        session_id=session_id,
        id=new_id("note", now=act.now),
        number=None if number is None else version.number,
        text=text,
        actor_kind=act.actor.kind,
        actor_id=act.actor.id,
        actor_label=act.actor.label,
        created_at=act.now,
    )
    note.save(force_insert=True)
    audit.record_act(
        stream_id=session_id,
        project_id=act.project_id,
        action=Action.NOTE_ADDED,
        resource_type="note",
        resource_id=note.id,
        act=act,
        details={"version": note.number}
        | NOTE.left(note, act.project.index_key).details(),
        number=note.number,
    )
    return note
