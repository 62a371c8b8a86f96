"""Results that may answer reads again, of a session or an agent; forgetting them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.api.answers import Body, answered
from apps.agents.models import Agent
from apps.core import json, paging
from apps.timeline import operations as timeline
from apps.timeline.api import examples, outputs, parameters
from apps.timeline.api.base import TimelineView
from apps.timeline.api.effects.inputs import ForgetInput, ForgetSessionInput
from apps.timeline.api.effects.shapes import forgetting_object, result_object
from apps.timeline.api.effects.views import WRITE_ERRORS
from apps.timeline.api.states import READ_ERRORS
from apps.timeline.ledger.effects.values import LONGEST_TTL
from apps.timeline.queries.effects import agent_results, session_results

AGENT = OpenApiParameter(
    "agent",
    str,
    OpenApiParameter.PATH,
    description="Our id of the agent, or your name for it, if that has no slash.",
)
FILTERS = [
    parameters.text("tool", "Of this tool."),
    OpenApiParameter("ttl", int, description="Made in the last so many seconds."),
    parameters.limit(20),
    parameters.text("starting_after", "The `last_id` of the page before."),
]


class SessionResultsView(TimelineView):
    """`/v1/sessions/{session_id}/results`"""

    @extend_schema(
        operation_id="list_results",
        parameters=FILTERS,
        responses={200: outputs.ResultList, **READ_ERRORS},
    )
    def get(self, request: Request, session_id: str) -> Response:
        """List the session's own results that may answer its reads, newest first."""
        limit = paging.limit_of(request)
        asked = _filters(request, self.now)
        self.version(session_id, None)
        found = session_results(
            session_id,
            project_id=self.scope.project.id,
            now=self.now,
            limit=limit,
            **asked,
        )
        shown = [result_object(one) for one in found]
        return Response(paging.page(shown, limit, _id_of))


class AgentResultsView(TimelineView):
    """`/v1/agents/{agent}/results`"""

    @extend_schema(
        operation_id="list_agent_results",
        parameters=[AGENT, *FILTERS],
        responses={200: outputs.ResultList, **READ_ERRORS},
    )
    def get(self, request: Request, agent: str) -> Response:
        """List the results that an agent's sessions offer each other, newest first."""
        limit = paging.limit_of(request)
        asked = _filters(request, self.now)
        known = Agent.objects.visible_to(self.scope).one_named(agent)
        found, behind = agent_results(
            known.id,
            project_id=self.scope.project.id,
            now=self.now,
            limit=limit,
            **asked,
        )
        shown = [result_object(one) for one in found]
        page = paging.page(shown, limit, _id_of)
        if behind is not None:
            page |= {"has_more": True, "last_id": behind}
        return Response(page)


class ForgetSessionView(TimelineView):
    """`/v1/sessions/{session_id}/results/forget`"""

    @extend_schema(
        operation_id="forget_results",
        parameters=[parameters.IDEMPOTENCY_KEY],
        request=ForgetSessionInput,
        examples=examples.FORGET,
        responses={200: outputs.ResultsForgotten, **WRITE_ERRORS},
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Have reads run again: what was begun until now answers nobody.

        Nor is this session answered by such results of others. Nothing is deleted.
        """

        def perform() -> Body:
            forget = self.read(ForgetSessionInput).forget()
            made = timeline.forget_results(
                act=self.act, session_id=session_id, forget=forget
            )
            return 200, json.dumps(forgetting_object(made))

        return answered(request, scope=self.scope, perform=perform)


class ForgetAgentView(TimelineView):
    """`/v1/agents/{agent}/results/forget`"""

    @extend_schema(
        operation_id="forget_agent_results",
        parameters=[AGENT, parameters.IDEMPOTENCY_KEY],
        request=ForgetInput,
        examples=examples.FORGET,
        responses={200: outputs.ResultsForgotten, **WRITE_ERRORS},
    )
    def post(self, request: Request, agent: str) -> Response:
        """Have reads of all sessions of the agent run again. Nothing is deleted."""

        def perform() -> Body:
            forget = self.read(ForgetInput).forget()
            made = timeline.forget_agent_results(
                act=self.act, agent=agent, forget=forget
            )
            return 200, json.dumps(forgetting_object(made))

        return answered(request, scope=self.scope, perform=perform)


def _filters(request: Request, now: datetime) -> dict[str, Any]:
    """Raises: InvalidRequest."""
    longest = int(LONGEST_TTL.total_seconds())
    ttl = paging.integer_of(request, "ttl", minimum=1, maximum=longest)
    return {
        "tool": paging.text_of(request, "tool"),
        "since": None if ttl is None else now - timedelta(seconds=ttl),
        "before": paging.cursor_of(request, "eff"),
    }


def _id_of(item: dict[str, Any]) -> str:
    return str(item["id"])
