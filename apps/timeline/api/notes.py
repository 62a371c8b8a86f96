"""Notes: what people and agents write down beside a session."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.api.answers import answered
from apps.core import json, paging
from apps.core.http.openapi.schema import errors
from apps.core.time.moments import utc_text
from apps.timeline import operations as timeline
from apps.timeline.api import examples, outputs, parameters
from apps.timeline.api.base import TimelineView
from apps.timeline.api.inputs import NoteInput
from apps.timeline.api.states import READ_ERRORS
from apps.timeline.models import Note


class NotesView(TimelineView):
    """All notes of a session."""

    @extend_schema(
        operation_id="list_notes",
        parameters=[
            parameters.limit(20),
            parameters.text("starting_after", "The id of a note."),
        ],
        responses={200: outputs.NoteList, **READ_ERRORS},
    )
    def get(self, request: Request, session_id: str) -> Response:
        """List what was written about the session and its versions, newest first."""
        limit = paging.limit_of(request)
        self.version(session_id, None)
        notes = Note.objects.of_session(session_id).newest_first(
            after_id=paging.text_of(request, "starting_after")
        )
        found = [note_object(note) for note in notes[: limit + 1]]
        return Response(paging.page(found, limit, lambda item: str(item["id"])))

    @extend_schema(
        operation_id="add_note",
        parameters=[parameters.IDEMPOTENCY_KEY],
        request=NoteInput,
        examples=examples.NOTE,
        responses={
            201: outputs.Note,
            **errors(400, 401, 403, 404, 413, 415, 422, 429, 503),
        },
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Write a note about a version, or about the whole session; it stays."""
        return answered(
            request,
            scope=self.scope,
            perform=lambda: (201, json.dumps(self._added(session_id))),
        )

    def _added(self, session_id: str) -> dict[str, Any]:
        given = self.read(NoteInput).validated_data
        note = timeline.add_note(
            session_id=session_id,
            number=given.get("version"),
            text=given["text"],
            act=self.act,
        )
        return note_object(note)


def note_object(note: Note) -> dict[str, Any]:
    return {
        "object": "note",
        "id": note.id,
        "session_id": note.session_id,
        "version": note.number,
        "text": note.text,
        "created_at": utc_text(note.created_at),
        "created_by": note.actor_label,
    }
