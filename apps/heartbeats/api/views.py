"""Heartbeats over REST: what is expected of a session, and of an agent's new ones."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.access import Permission
from apps.agents.api.answers import Body, act_of, answered
from apps.agents.models import Agent
from apps.core import json
from apps.core.http import ApiView
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY, errors
from apps.heartbeats import operations as heartbeats
from apps.heartbeats.api.serializers import (
    AgentHeartbeatOutput,
    HeartbeatInput,
    HeartbeatOutput,
    agent_heartbeat_object,
    heartbeat_object,
)
from apps.heartbeats.errors import HeartbeatNotFound
from apps.heartbeats.models import AgentHeartbeat, Heartbeat
from apps.timeline.versions import head_of

AGENT = OpenApiParameter(
    "agent",
    str,
    OpenApiParameter.PATH,
    description="Our id of the agent, or your name for it, if that has no slash.",
)
READ = errors(400, 401, 403, 404, 429, 503)
WRITE = errors(400, 401, 403, 404, 409, 413, 415, 422, 429, 503)
DELETE = errors(400, 401, 403, 404, 422, 429, 503)


class SessionHeartbeat(ApiView):
    """`/v1/sessions/{session_id}/heartbeat`"""

    @extend_schema(
        operation_id="expect_heartbeat",
        parameters=[IDEMPOTENCY_KEY],
        request=HeartbeatInput,
        responses={200: HeartbeatOutput} | WRITE,
    )
    def put(self, request: Request, session_id: str) -> Response:
        """Expect the session to write every so many seconds.

        Where it does not, `session.silent` tells so once, and `session.heard` once it
        has written again.
        """
        act = act_of(request)

        def perform() -> Body:
            every = self.read(HeartbeatInput).validated_data["every"]
            found = heartbeats.expect(act=act, session_id=session_id, every=every)
            return 200, json.dumps(heartbeat_object(found))

        return answered(request, scope=act.scope, perform=perform)

    @extend_schema(
        operation_id="read_heartbeat", responses={200: HeartbeatOutput} | READ
    )
    def get(self, request: Request, session_id: str) -> Response:
        """Return what is expected of the session, and since when it is silent."""
        act = act_of(request)
        head_of(act.scope, session_id, now=act.now)
        return Response(heartbeat_object(Heartbeat.objects.of_session(session_id)))

    @extend_schema(
        operation_id="stop_heartbeat",
        parameters=[IDEMPOTENCY_KEY],
        responses={204: None} | DELETE,
    )
    def delete(self, request: Request, session_id: str) -> Response:
        """Expect nothing of the session any more."""
        act = act_of(request)

        def perform() -> Body:
            heartbeats.expect_no_more(act=act, session_id=session_id)
            return 204, b""

        return answered(request, scope=act.scope, perform=perform)


class AgentDefault(ApiView):
    """`/v1/agents/{agent}/heartbeat`"""

    required_scope = {"PUT": Permission.ADMIN, "DELETE": Permission.ADMIN}

    @extend_schema(
        operation_id="expect_agent_heartbeat",
        parameters=[AGENT, IDEMPOTENCY_KEY],
        request=HeartbeatInput,
        responses={200: AgentHeartbeatOutput} | WRITE,
    )
    def put(self, request: Request, agent: str) -> Response:
        """Have sessions of the agent that begin from now on expected to write."""
        act = act_of(request)

        def perform() -> Body:
            every = self.read(HeartbeatInput).validated_data["every"]
            found = heartbeats.expect_of_agent(act=act, reference=agent, every=every)
            return 200, json.dumps(agent_heartbeat_object(found))

        return answered(request, scope=act.scope, perform=perform)

    @extend_schema(
        operation_id="read_agent_heartbeat",
        parameters=[AGENT],
        responses={200: AgentHeartbeatOutput} | READ,
    )
    def get(self, request: Request, agent: str) -> Response:
        """Return what the agent's new sessions begin with."""
        act = act_of(request)
        named = Agent.objects.visible_to(act.scope).one_named(agent)
        found = AgentHeartbeat.objects.filter(agent=named).select_related("agent")
        one = found.first()
        if one is None:
            raise HeartbeatNotFound
        return Response(agent_heartbeat_object(one))

    @extend_schema(
        operation_id="stop_agent_heartbeat",
        parameters=[AGENT, IDEMPOTENCY_KEY],
        responses={204: None} | DELETE,
    )
    def delete(self, request: Request, agent: str) -> Response:
        """Have new sessions begin without one; those there keep theirs."""
        act = act_of(request)

        def perform() -> Body:
            heartbeats.expect_no_more_of_agent(act=act, reference=agent)
            return 204, b""

        return answered(request, scope=act.scope, perform=perform)
