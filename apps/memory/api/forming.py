"""Whether an agent's turns form memories, over REST."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import (
    OpenApiParameter,
    extend_schema,
    extend_schema_serializer,
)
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.models import Agent
from apps.core.http.input.fields import InputSerializer, TextField
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY
from apps.core.time.moments import utc_text
from apps.memory.api.base import READ_ERRORS, WRITE_ERRORS, MemoryView
from apps.memory.api.outputs import maybe_moment
from apps.memory.formation.endpoint import is_configured
from apps.memory.formation.settings import read_formation, set_formation
from apps.memory.models import Formation
from apps.timeline.api.outputs.common import Output, maybe_text, text

AGENT = OpenApiParameter(
    "agent", str, OpenApiParameter.PATH, description="Our id, or your name for it."
)


@extend_schema_serializer(component_name="SetFormation")
class FormationInput(InputSerializer):
    """How an agent's turns form memories."""

    mode = TextField(
        required=True,
        allow_null=False,
        help_text="off; tags: what the agent marks in its outputs is proposed; llm: "
        "what the server's chat endpoint makes of its turns, 400 where it has none.",
    )


@extend_schema_serializer(component_name="Formation")
class FormationOutput(Output):
    """How an agent's turns form memories."""

    object = text()
    agent_id = text("Your name of the agent.")
    mode = text("off, tags or llm.")
    endpoint = serializers.BooleanField(
        help_text="Whether the server has a chat endpoint, which llm needs."
    )
    given_up = serializers.IntegerField(
        help_text="Turns of which nothing was formed: calls failed too often, or the "
        "answer was of no use."
    )
    failed_at = maybe_moment("When that, or a call, failed last.")
    reason = maybe_text("Why; it quotes neither turn nor answer.")


class FormationView(MemoryView):
    """`/v1/memories/formation/{agent}`"""

    @extend_schema(
        operation_id="read_formation",
        parameters=[AGENT],
        responses={200: FormationOutput, **READ_ERRORS},
    )
    def get(self, request: Request, agent: str) -> Response:
        """Say whether an agent's turns form memories."""
        return Response(_told(*read_formation(act=self.act, reference=agent)))

    @extend_schema(
        operation_id="set_formation",
        parameters=[AGENT, IDEMPOTENCY_KEY],
        request=FormationInput,
        responses={200: FormationOutput, **WRITE_ERRORS},
    )
    def put(self, request: Request, agent: str) -> Response:
        """Set how an agent's turns form memories, from the next turn on."""
        mode = self.read(FormationInput).validated_data["mode"]
        return self.perform(
            lambda: _told(*set_formation(act=self.act, reference=agent, mode=mode))
        )


def _told(agent: Agent, formation: Formation) -> dict[str, Any]:
    return {
        "object": "formation",
        "agent_id": agent.external_id,
        "mode": str(formation.mode),
        "endpoint": is_configured(),
        "given_up": formation.given_up,
        "failed_at": utc_text(formation.failed_at),
        "reason": formation.reason or None,
    }
