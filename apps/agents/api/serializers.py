"""What the agents' API takes and answers, for Anchor's clients and our own.

Answers have every name that a published client reads: `id` and `agent_id`, `metadata`
and `config`, the agent at the top and once more under `agent`. Nulls in requests mean
"not said".
"""

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from apps.agents.hooks import Counts
from apps.agents.models import Agent, AgentStatus
from apps.agents.operations import (
    LONGEST_DESCRIPTION,
    LONGEST_NAME,
    LONGEST_TAG,
    MOST_TAGS,
)
from apps.agents.querysets import COUNTED
from apps.core.http.input.fields import ObjectField, TextField

KEPT = "The agent is deleted and can be brought back; its audit is always kept."


@extend_schema_serializer(component_name="UpdateAgent")
class AgentInput(serializers.Serializer[Any]):
    """What may be said about an agent."""

    synonyms = {"config": "metadata"}
    refused = {
        "status": "the address's /suspend and /activate change it.",
        **dict.fromkeys(
            ("memory_policy", "memoryPolicy", "model_policy", "modelPolicy"),
            "this server keeps no such policy.",
        ),
    }

    name = TextField(allow_blank=False, max_length=LONGEST_NAME)
    description = TextField(
        required=False,
        allow_null=True,
        allow_blank=True,
        max_length=LONGEST_DESCRIPTION,
    )
    owner = TextField(
        required=False, allow_null=True, allow_blank=True, max_length=LONGEST_NAME
    )
    team = TextField(
        required=False, allow_null=True, allow_blank=True, max_length=LONGEST_NAME
    )
    tags = serializers.ListField(
        child=TextField(max_length=LONGEST_TAG, allow_null=False, allow_blank=False),
        required=False,
        allow_null=True,
        max_length=MOST_TAGS,
    )
    metadata = ObjectField(
        required=False,
        allow_null=True,
        help_text="In an update its keys are set one by one; others stay.",
    )
    config = ObjectField(
        required=False, allow_null=True, help_text="Another name for `metadata`."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Drop what was not said, and give metadata one name."""
        said = {name: value for name, value in attrs.items() if value is not None}
        if "config" in said:
            said["metadata"] = said.pop("config")
        return said


@extend_schema_serializer(component_name="CreateAgent")
class CreateAgentInput(AgentInput):
    """A new agent has a name, an external id, or both."""

    external_id = TextField(
        required=False,
        allow_null=True,
        max_length=LONGEST_NAME,
        help_text="What the caller's own code calls it; else our id is used.",
    )

    def validate_external_id(self, external_id: str | None) -> str | None:
        if external_id is not None and not external_id.strip():
            raise serializers.ValidationError("This is blank.")
        return external_id

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        said = super().validate(attrs)
        if not {"name", "external_id"} & said.keys():
            raise serializers.ValidationError({"name": "An agent needs a name."})
        return said


@extend_schema_serializer(component_name="Agent")
class AgentOutput(serializers.Serializer[Agent]):
    """An agent, under every name that a client reads.

    Its counts come in the context, read once for all agents of an answer.
    """

    object = serializers.SerializerMethodField()
    id = serializers.CharField()
    agent_id = serializers.CharField(source="id")
    external_id = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField()
    owner = serializers.CharField()
    team = serializers.CharField()
    tags = serializers.ListField(child=serializers.CharField())
    status = serializers.ChoiceField(source="standing", choices=AgentStatus.choices)
    metadata = ObjectField(required=True, allow_null=False)
    config = ObjectField(source="metadata", required=True, allow_null=False)
    config_version = serializers.SerializerMethodField()
    version = serializers.SerializerMethodField()
    data_count = serializers.SerializerMethodField()
    checkpoint_count = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    deleted_at = serializers.DateTimeField(allow_null=True)

    def get_object(self, agent: Agent) -> str:
        return "agent"

    def get_config_version(self, agent: Agent) -> str | None:
        """The version of its config, as `v3`; null without one."""
        number = self._counts(agent).config_version
        return f"v{number}" if number else None

    def get_version(self, agent: Agent) -> str | None:
        """The same, under another name."""
        return self.get_config_version(agent)

    def get_data_count(self, agent: Agent) -> int:
        """How many keys it has."""
        return self._counts(agent).data

    def get_checkpoint_count(self, agent: Agent) -> int:
        """How many checkpoints it has."""
        return self._counts(agent).checkpoints

    def _counts(self, agent: Agent) -> Counts:
        counts: Counts = self.context["counts"][agent.id]
        return counts


@extend_schema_serializer(component_name="AgentAnswer")
class AgentAnswer(AgentOutput):
    """The agent at the top, where the SDK reads, and under `agent`, as documented."""

    agent = AgentOutput(source="*")


@extend_schema_serializer(component_name="DeletedAgent")
class DeletedAgentAnswer(AgentAnswer):
    """The deleted agent, and what its deletion left."""

    success = serializers.SerializerMethodField()
    audit_preserved = serializers.SerializerMethodField()
    message = serializers.SerializerMethodField()

    def get_success(self, agent: Agent) -> bool:
        """Always true."""
        return True

    def get_audit_preserved(self, agent: Agent) -> bool:
        """Always true, whatever `preserve_audit` asks for."""
        return True

    def get_message(self, agent: Agent) -> str:
        return KEPT


@extend_schema_serializer(component_name="AgentList")
class AgentListAnswer(serializers.Serializer[Any]):
    """A page of agents, the newest first."""

    object = serializers.CharField()
    data = AgentOutput(many=True)  # type: ignore[assignment]
    agents = AgentOutput(many=True, help_text="The same list.")
    has_more = serializers.BooleanField()
    first_id = serializers.CharField(allow_null=True)
    last_id = serializers.CharField(allow_null=True)
    total = serializers.IntegerField(
        allow_null=True,
        help_text=f"How many there are on all pages; null for more than {COUNTED:,}.",
    )
