"""Agents over REST: create, list, read, update, suspend, activate.

The reference in a URL is our id or the caller's own name for the agent. Paths and
shapes are those of Anchor's clients, whose errors are read at the top of the body.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import cast

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.access import Caller
from apps.agents import operations as agents
from apps.agents.api.answers import act_of, answered
from apps.agents.api.serializers import (
    AgentAnswer,
    AgentInput,
    AgentListAnswer,
    AgentOutput,
    CreateAgentInput,
)
from apps.agents.models import Agent, AgentStatus
from apps.agents.scope import Scope
from apps.core import json, paging
from apps.core.errors import InvalidRequest
from apps.core.http import ApiView
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY, errors

LIMIT = 50
MAXIMUM_LIMIT = 1000
# Rows before the offset are read and thrown away: deeper pages go by cursor.
MAXIMUM_OFFSET = 10_000

_AGENT_ID = re.compile(r"agent_[0-9a-z]{26}", re.ASCII)


class AgentView(ApiView):
    """What the views of agents have in common."""

    def handle_exception(self, exc: Exception) -> Response:
        """Repeat code, message and param at the top, where Anchor's clients look."""
        response = super().handle_exception(exc)
        error = response.data["error"]
        response.data |= {name: error[name] for name in ("code", "message", "param")}
        return response

    def perform(
        self, request: Request, verb: Callable[..., Agent], *, status: int = 200
    ) -> Response:
        """Answer the agent that the verb returns, acting for the caller."""
        act = act_of(request)

        def perform() -> tuple[int, bytes]:
            return status, json.dumps(AgentAnswer(verb(act=act)).data)

        return answered(request, scope=act.scope, perform=perform)


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
        parameters=[
            OpenApiParameter(
                "status",
                str,
                enum=AgentStatus.values,
                description="Whether the agent may write.",
            ),
            OpenApiParameter("owner", str, description="Who owns it, spelled alike."),
            OpenApiParameter("team", str, description="Whose it is, spelled alike."),
            OpenApiParameter("limit", int, description=f"1 to {MAXIMUM_LIMIT}."),
            OpenApiParameter(
                "starting_after", str, description="The `last_id` of the page before."
            ),
            OpenApiParameter(
                "offset",
                int,
                description=f"0 to {MAXIMUM_OFFSET}; `starting_after` has no limit.",
            ),
        ],
        responses={200: AgentListAnswer} | errors(400, 401, 403),
    )
    def get(self, request: Request) -> Response:
        """List agents, the newest first, `limit` (50) at a time."""
        limit = paging.limit_of(request, LIMIT, MAXIMUM_LIMIT)
        offset = paging.integer_of(request, "offset", minimum=0, maximum=MAXIMUM_OFFSET)
        start = offset or 0
        found = (
            Agent.objects.visible_to(scope_of(request))
            .with_status(status_of(request))
            .owned_by(paging.text_of(request, "owner"))
            .of_team(paging.text_of(request, "team"))
            .older_than(cursor_of(request))
            .newest_first()[start : start + limit + 1]
        )
        page = paging.page(
            list(found), limit, lambda agent: agent.id, lambda a: AgentOutput(a).data
        )
        return Response(page | {"agents": page["data"], "total": None})


class AgentDetail(AgentView):
    """`/v1/agents/{reference}`"""

    @extend_schema(
        operation_id="get_agent",
        responses={200: AgentAnswer} | errors(401, 403, 404),
    )
    def get(self, request: Request, reference: str) -> Response:
        """Return an agent, by our id or by the caller's own."""
        agent = Agent.objects.visible_to(scope_of(request)).one_named(reference)
        return Response(AgentAnswer(agent).data)

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
        """Let the agent write again. Takes no body."""
        return self.perform(request, partial(agents.activate, reference=reference))


def caller_of(request: Request) -> Caller:
    """Who came in by key; the permission has made sure that somebody did."""
    return cast(Caller, request.auth)


def scope_of(request: Request) -> Scope:
    """What part of the project the caller's key may touch."""
    caller = caller_of(request)
    return Scope(caller.project, caller.agents)


def status_of(request: Request) -> str | None:
    """Raises: InvalidRequest for a status that no agent can have."""
    status = paging.text_of(request, "status")
    if status is not None and status not in AgentStatus.values:
        raise InvalidRequest(
            f"status takes {' or '.join(AgentStatus.values)}.", param="status"
        )
    return status


def cursor_of(request: Request) -> str | None:
    """Raises: InvalidRequest for what is no id of an agent."""
    cursor = paging.text_of(request, "starting_after")
    if cursor is not None and not _AGENT_ID.fullmatch(cursor):
        raise InvalidRequest(
            "starting_after takes the last_id of a page.", param="starting_after"
        )
    return cursor
