"""What is owed for effects that a rollback has crossed: list it, and say of it."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.api.answers import Body, answered
from apps.core import json, paging
from apps.timeline import operations as timeline
from apps.timeline.api import examples, outputs, parameters
from apps.timeline.api.base import TimelineView
from apps.timeline.api.effects.inputs import CompensationInput
from apps.timeline.api.effects.shapes import compensation_object
from apps.timeline.api.effects.views import WRITE_ERRORS, choice
from apps.timeline.api.states import READ_ERRORS
from apps.timeline.queries.effects import compensations, count_still_owed
from apps.timeline.versions.lineage import live_ranges
from apps.timeline.words import CompensationStatus


class CompensationsView(TimelineView):
    """What is owed in a session."""

    @extend_schema(
        operation_id="list_compensations",
        parameters=[
            OpenApiParameter(
                "status",
                str,
                enum=CompensationStatus.values,
                description="What became of them.",
            ),
            parameters.limit(20),
            parameters.text("starting_after", "The id of an effect."),
        ],
        responses={200: outputs.CompensationList, **READ_ERRORS},
    )
    def get(self, request: Request, session_id: str) -> Response:
        """List effects that rollbacks have crossed, the oldest first."""
        limit = paging.limit_of(request)
        status = choice(request, "status", CompensationStatus.values)
        after = paging.cursor_of(request, "eff")
        head = self.version(session_id, None)
        found = compensations(
            session_id, now=self.now, status=status, after=after, limit=limit
        )
        shown = [compensation_object(session_id, one) for one in found]
        envelope = paging.page(shown, limit, lambda item: str(item["id"]))
        live = live_ranges(session_id, head.number)
        may_differ = count_still_owed(head, live) > 0
        return Response(envelope | {"outside_may_differ": may_differ})


class CompensationView(TimelineView):
    """What is owed for one effect."""

    @extend_schema(
        operation_id="change_compensation",
        parameters=[parameters.IDEMPOTENCY_KEY],
        request=CompensationInput,
        examples=examples.COMPENSATION,
        responses={200: outputs.Compensation, **WRITE_ERRORS},
    )
    def post(self, request: Request, session_id: str, effect_id: str) -> Response:
        """Ask to put an effect right, or say what came of it; no tool is called."""
        return answered(
            request,
            scope=self.scope,
            perform=lambda: self._changed(session_id, effect_id),
        )

    def _changed(self, session_id: str, effect_id: str) -> Body:
        given = self.read(CompensationInput).validated_data
        found = timeline.change_compensation(
            act=self.act,
            session_id=session_id,
            effect_id=effect_id,
            status=given["status"],
            reason=given.get("reason"),
        )
        return 200, json.dumps(compensation_object(session_id, found))
