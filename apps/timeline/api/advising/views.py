"""Advice on how an agent makes its versions."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.models import Agent
from apps.timeline.api.advising.outputs import CheckpointAdvice, advice_object
from apps.timeline.api.base import TimelineView
from apps.timeline.api.effects.results import AGENT
from apps.timeline.api.states import READ_ERRORS
from apps.timeline.queries.advising import advise


class AdviceView(TimelineView):
    """`/v1/agents/{agent}/advice`"""

    @extend_schema(
        operation_id="advise_checkpoints",
        parameters=[AGENT],
        responses={200: CheckpointAdvice, **READ_ERRORS},
    )
    def get(self, request: Request, agent: str) -> Response:
        """Tell how an agent makes its versions, by its newest sessions.

        `looked_at` says how far was looked. What another policy would cost is an
        estimate from the same sessions.
        """
        known = Agent.objects.visible_to(self.scope).one_named(agent)
        found = advise(self.scope.project.id, known.id, now=self.now)
        return Response(advice_object(known.external_id, found))
