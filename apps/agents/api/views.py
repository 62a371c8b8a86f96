"""Agents over REST: create, list, read, update, delete, suspend, activate.

The reference in a URL is our id or the caller's own name for the agent. Paths and
shapes are those of Anchor's clients, whose errors are read at the top of the body.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.access import Permission, may
from apps.accounts.models import Project
from apps.agents import operations as agents
from apps.agents.api.answers import act_of, answered
from apps.agents.api.base import AnchorView, caller_of, scope_of
from apps.agents.api.filters import (
    FILTERS,
    LIMIT,
    MAXIMUM_LIMIT,
    narrowed,
    start_of,
)
from apps.agents.api.serializers import (
    AgentAnswer,
    AgentInput,
    AgentListAnswer,
    AgentOutput,
    CreateAgentInput,
    DeletedAgentAnswer,
)
from apps.agents.hooks import counts_of
from apps.agents.models import Agent
from apps.core import json, paging
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY, errors


class AgentView(AnchorView):
    """What the views of agents have in common."""

    def perform(
        self,
        request: Request,
        verb: Callable[..., Agent],
        *,
        status: int = 200,
        answer: type[AgentAnswer] = AgentAnswer,
    ) -> Response:
        """Answer the agent that the verb returns, acting for the caller."""
        act = act_of(request)

        def perform() -> tuple[int, bytes]:
            agent = verb(act=act)
            return status, json.dumps(answer_of(act.project, agent, answer))

        return answered(request, scope=act.scope, perform=perform)


def answer_of(
    project: Project, agent: Agent, answer: type[AgentAnswer] = AgentAnswer
) -> Any:
    """Return an agent as an answer shows it."""
    return answer(agent, context={"counts": counts_of(project, [agent.id])}).data


def shown_of(project: Project, found: Sequence[Agent]) -> list[Any]:
    """Return agents as lists show them, counted in one go."""
    context = {"counts": counts_of(project, [agent.id for agent in found])}
    return [AgentOutput(agent, context=context).data for agent in found]


class AgentCollection(AgentView):
    """`/v1/agents`"""

    @extend_schema(
        operation_id="create_agent",
        parameters=[IDEMPOTENCY_KEY],
        request=CreateAgentInput,
        responses={201: AgentAnswer} | errors(400, 401, 403, 409, 413, 422),
    )
    def post(self, request: Request) -> Response:
        """Make an agent; an external id in use answers 409 with that agent's id."""
        said = self.read(CreateAgentInput)
        fields = dict(said.validated_data)
        external_id = fields.pop("external_id", None)
        verb = partial(agents.create, external_id=external_id, fields=fields)
        return self.perform(request, verb, status=201)

    @extend_schema(
        operation_id="list_agents",
        parameters=FILTERS,
        responses={200: AgentListAnswer} | errors(400, 401, 403),
    )
    def get(self, request: Request) -> Response:
        """List agents, the newest first, `limit` (50) at a time.

        Those that were deleted are listed where `status` asks for them.
        """
        limit = paging.limit_of(request, LIMIT, MAXIMUM_LIMIT)
        start = start_of(request)
        scope = scope_of(request)
        mine = narrowed(Agent.objects.visible_to(scope), request)
        rest = mine.older_than(paging.cursor_of(request, "agent")).newest_first()
        found = list(rest[start : start + limit + 1])
        shown = shown_of(scope.project, found[:limit])
        page = paging.page(found, limit, lambda agent: agent.id)
        return Response(
            page | {"data": shown, "agents": shown, "total": mine.counted()}
        )


class AgentDetail(AgentView):
    """`/v1/agents/{reference}`"""

    required_scope = {"DELETE": Permission.ADMIN}

    @extend_schema(
        operation_id="get_agent",
        responses={200: AgentAnswer} | errors(401, 403, 404),
    )
    def get(self, request: Request, reference: str) -> Response:
        """Return an agent, by our id or by the caller's own, also a deleted one."""
        scope = scope_of(request)
        agent = Agent.objects.visible_to(scope).one_named(reference)
        return Response(answer_of(scope.project, agent))

    @extend_schema(
        operation_id="update_agent",
        parameters=[IDEMPOTENCY_KEY],
        request=AgentInput,
        responses={200: AgentAnswer} | errors(400, 401, 403, 404, 413, 422),
    )
    def patch(self, request: Request, reference: str) -> Response:
        """Set what is said; metadata is merged key by key, null being a value there."""
        said = self.read(AgentInput)
        verb = partial(agents.update, reference=reference, fields=said.validated_data)
        return self.perform(request, verb)

    @extend_schema(
        operation_id="replace_agent",
        parameters=[IDEMPOTENCY_KEY],
        request=AgentInput,
        responses={200: AgentAnswer} | errors(400, 401, 403, 404, 413, 422),
    )
    def put(self, request: Request, reference: str) -> Response:
        """Set what is said, as PATCH does: what is left out stays."""
        return self.patch(request, reference)

    @extend_schema(
        operation_id="delete_agent",
        parameters=[
            OpenApiParameter(
                "preserve_audit",
                bool,
                description="Taken for Anchor's sake: the audit is always kept.",
            ),
            IDEMPOTENCY_KEY,
        ],
        responses={200: DeletedAgentAnswer} | errors(400, 401, 403, 404, 422),
    )
    def delete(self, request: Request, reference: str) -> Response:
        """Refuse the agent's writes and leave it out of lists.

        Nothing of it goes away: reading goes on, and `/activate` brings it back. For
        administrators' keys.
        """
        paging.flag_of(request, "preserve_audit")
        verb = partial(agents.delete, reference=reference)
        return self.perform(request, verb, answer=DeletedAgentAnswer)


class AgentSuspension(AgentView):
    """`/v1/agents/{reference}/suspend`"""

    @extend_schema(
        operation_id="suspend_agent",
        parameters=[IDEMPOTENCY_KEY],
        request=None,
        responses={200: AgentAnswer} | errors(400, 401, 403, 404, 422),
    )
    def post(self, request: Request, reference: str) -> Response:
        """Stop the agent's writes; what it wrote stays readable. Takes no body."""
        return self.perform(request, partial(agents.suspend, reference=reference))


class AgentActivation(AgentView):
    """`/v1/agents/{reference}/activate`"""

    @extend_schema(
        operation_id="activate_agent",
        parameters=[IDEMPOTENCY_KEY],
        request=None,
        responses={200: AgentAnswer} | errors(400, 401, 403, 404, 422),
    )
    def post(self, request: Request, reference: str) -> Response:
        """Let the agent write again; a deleted one with an administrator's key alone.

        Takes no body.
        """
        caller = caller_of(request)
        is_administrators = may(caller, Permission.ADMIN, caller.project)
        verb = partial(
            agents.activate, reference=reference, may_restore=is_administrators
        )
        return self.perform(request, verb)
