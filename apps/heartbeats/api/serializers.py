"""What the API of heartbeats takes and answers."""

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from apps.core.http.input.fields import InputSerializer, WholeNumberField
from apps.core.time.moments import utc_text
from apps.heartbeats.models import AgentHeartbeat, Heartbeat
from apps.timeline.api.outputs.common import Output, text


@extend_schema_serializer(component_name="ExpectHeartbeat")
class HeartbeatInput(InputSerializer):
    """How often something is expected to be written."""

    every = WholeNumberField(
        required=True,
        allow_null=False,
        help_text="Seconds from each version or turn to the next.",
    )


@extend_schema_serializer(component_name="Heartbeat")
class HeartbeatOutput(Output):
    """What is expected of a session."""

    object = text()
    session_id = text()
    every = serializers.IntegerField(help_text="Seconds.")
    due_at = serializers.DateTimeField(help_text="When it is looked at next.")
    silent_since = serializers.DateTimeField(
        allow_null=True, help_text="Its last write, once `session.silent` was told."
    )
    is_default = serializers.BooleanField(
        help_text="Whether its agent's default it is."
    )


@extend_schema_serializer(component_name="AgentHeartbeat")
class AgentHeartbeatOutput(Output):
    """What the sessions of an agent begin with."""

    object = text()
    agent_id = text("Your name of the agent.")
    every = serializers.IntegerField(help_text="Seconds.")


def heartbeat_object(one: Heartbeat) -> dict[str, Any]:
    return {
        "object": "heartbeat",
        "session_id": one.session_id,
        "every": one.every,
        "due_at": utc_text(one.due_at),
        "silent_since": one.silent_since and utc_text(one.silent_since),
        "is_default": one.is_default,
    }


def agent_heartbeat_object(one: AgentHeartbeat) -> dict[str, Any]:
    return {
        "object": "agent_heartbeat",
        "agent_id": one.agent.external_id,
        "every": one.every,
    }
