"""Summaries of a session's turns."""

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
from apps.timeline.api.states import READ_ERRORS
from apps.timeline.api.summaries.inputs import SummaryInput
from apps.timeline.errors import SummaryNotFound
from apps.timeline.models import Summary
from apps.timeline.queries.conversation import setting_aside
from apps.timeline.versions.lineage import Lineage


class SummariesView(TimelineView):
    """All summaries of a session."""

    @extend_schema(
        operation_id="list_summaries",
        parameters=[
            parameters.limit(20),
            parameters.text("starting_after", "The id of a summary."),
        ],
        responses={200: outputs.TurnSummaryList, **READ_ERRORS},
    )
    def get(self, request: Request, session_id: str) -> Response:
        """List the summaries of turns, newest first, those that count and others."""
        limit = paging.limit_of(request)
        lineage = Lineage(session_id, self.version(session_id, None).number)
        summaries = Summary.objects.of_session(session_id).newest_first(
            after_id=paging.cursor_of(request, "sum")
        )
        found = [summary_object(one, lineage) for one in summaries[: limit + 1]]
        return Response(paging.page(found, limit, lambda item: str(item["id"])))

    @extend_schema(
        operation_id="add_summary",
        parameters=[parameters.IDEMPOTENCY_KEY],
        request=SummaryInput,
        examples=examples.SUMMARY,
        responses={
            201: outputs.TurnSummary,
            **errors(400, 401, 403, 404, 413, 415, 422, 429, 503),
        },
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Tell shortly what was said from one turn to another; the turns stay."""
        return answered(
            request,
            scope=self.scope,
            perform=lambda: (201, json.dumps(self._added(session_id))),
        )

    def _added(self, session_id: str) -> dict[str, Any]:
        given = self.read(SummaryInput).validated_data
        summary = timeline.add_summary(
            session_id=session_id,
            first_turn=given["first_turn"],
            last_turn=given["last_turn"],
            text=given["text"],
            act=self.act,
        )
        head = self.version(session_id, None)
        return summary_object(summary, Lineage(session_id, head.number))


class SummaryView(TimelineView):
    """One summary."""

    @extend_schema(
        operation_id="read_summary", responses={200: outputs.TurnSummary, **READ_ERRORS}
    )
    def get(self, request: Request, session_id: str, summary_id: str) -> Response:
        """Read a summary, and whether it counts."""
        lineage = Lineage(session_id, self.version(session_id, None).number)
        found = Summary.objects.of_session(session_id).filter(id=summary_id).first()
        if found is None:
            raise SummaryNotFound
        return Response(summary_object(found, lineage))


def summary_object(summary: Summary, lineage: Lineage) -> dict[str, Any]:
    return {
        "object": "summary",
        "id": summary.id,
        "session_id": summary.session_id,
        "first_turn": summary.first_turn,
        "last_turn": summary.last_turn,
        "version": summary.head_number,
        "set_aside_by": setting_aside(summary, lineage),
        "text": summary.text,
        "created_at": utc_text(summary.created_at),
        "created_by": summary.actor_label,
    }
