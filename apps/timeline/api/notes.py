"""Notes on a session and on its versions, reviews and scores."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_serializer
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.api.answers import answered
from apps.core import json, paging
from apps.core.http.input.fields import (
    InputSerializer,
    NumberField,
    TextField,
    WholeNumberField,
)
from apps.core.http.openapi.schema import errors
from apps.core.time.moments import utc_text
from apps.timeline import operations as timeline
from apps.timeline.api import examples, outputs, parameters
from apps.timeline.api.base import TimelineView
from apps.timeline.api.states import READ_ERRORS
from apps.timeline.models import Note
from apps.timeline.operations import MAX_WHY
from apps.timeline.words import Outcome

JUDGING_ERRORS = errors(400, 401, 403, 404, 413, 415, 422, 429, 503)


@extend_schema_serializer(component_name="AddNote")
class NoteInput(InputSerializer):
    """A note on a version, or on the whole session."""

    text = TextField(required=True, allow_null=False, allow_blank=False)
    version = WholeNumberField(
        min_value=0, help_text="The version it is about; the session if unset."
    )


@extend_schema_serializer(component_name="ReviewSession")
class ReviewInput(InputSerializer):
    """How a session went."""

    outcome = TextField(
        required=True, allow_null=False, help_text=f"{' or '.join(Outcome)}."
    )
    why = TextField(help_text=f"In at most {MAX_WHY:,} characters.")


@extend_schema_serializer(component_name="ScoreSession")
class ScoreInput(InputSerializer):
    """A score of a session."""

    name = TextField(
        required=True,
        allow_null=False,
        help_text="What is scored, in at most 100 characters; below 0.5, `success` "
        "and `reward` mean that the session failed.",
    )
    value = NumberField(required=True, allow_null=False)


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
            after_id=paging.cursor_of(request, "note")
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


class ReviewView(TimelineView):
    """How a session went, as somebody says who has looked at it."""

    @extend_schema(
        operation_id="review_session",
        parameters=[parameters.IDEMPOTENCY_KEY],
        request=ReviewInput,
        examples=examples.REVIEW,
        responses={200: outputs.Review, **JUDGING_ERRORS},
    )
    def put(self, request: Request, session_id: str) -> Response:
        """Say how the session went; earlier reviews stay, the newest counts."""
        return answered(
            request,
            scope=self.scope,
            perform=lambda: (200, json.dumps(self._reviewed(session_id))),
        )

    def _reviewed(self, session_id: str) -> dict[str, Any]:
        given = self.read(ReviewInput).validated_data
        review = timeline.review(
            session_id=session_id,
            outcome=given["outcome"],
            why=given.get("why"),
            act=self.act,
        )
        return {
            "object": "review",
            "session_id": session_id,
            "outcome": review.outcome,
            "why": review.why,
            "created_at": utc_text(review.created_at),
            "created_by": review.actor_label,
        }


class ScoreView(TimelineView):
    """A number that an agent or evaluator gives a session."""

    @extend_schema(
        operation_id="score_session",
        parameters=[parameters.IDEMPOTENCY_KEY],
        request=ScoreInput,
        examples=examples.SCORE,
        responses={200: outputs.Score, **JUDGING_ERRORS},
    )
    def put(self, request: Request, session_id: str) -> Response:
        """Give the session a score; of each name the newest counts, all stay."""
        return answered(
            request,
            scope=self.scope,
            perform=lambda: (200, json.dumps(self._scored(session_id))),
        )

    def _scored(self, session_id: str) -> dict[str, Any]:
        given = self.read(ScoreInput).validated_data
        score = timeline.score(
            session_id=session_id,
            name=given["name"],
            value=given["value"],
            act=self.act,
        )
        return {
            "object": "score",
            "session_id": session_id,
            "name": score.name,
            "value": score.value,
            "created_at": utc_text(score.created_at),
            "created_by": score.actor_label,
        }


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
