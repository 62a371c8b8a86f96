"""What an administrator maps of an agent's states, for administrators' keys."""

from functools import partial
from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents import operations as agents
from apps.agents.acts import Act
from apps.agents.api.administering import AdministratorView, Body
from apps.agents.mapping import Mapping
from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.agents.waiting import DEFAULT
from apps.core import json
from apps.core.http.input.fields import InputSerializer, TextField
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY, errors

PLACE = "A JSON pointer to one value, such as `/user/id`; null: nothing is mapped."
RULES = (
    "Rules of what waits for a person: `/escalated = true`, or `/pending_action` for "
    "anything that is not empty. Null: the usual ones; empty: no state asks so."
)
NOISE = (
    "Pointers of what changes without saying much, as `/clock`; `*` stands for one key "
    "or index. The console folds such changes; diffs of this API stay whole."
)


@extend_schema_serializer(component_name="SetAgentMapping")
class MappingInput(InputSerializer):
    """All that is mapped: what is left out is mapped no more."""

    title = TextField(help_text=PLACE)
    user = TextField(help_text=PLACE)
    waiting = serializers.ListField(
        child=TextField(allow_null=False),
        required=False,
        allow_null=True,
        help_text=RULES,
    )
    noise = serializers.ListField(
        child=TextField(allow_null=False), required=False, help_text=NOISE
    )


@extend_schema_serializer(component_name="AgentMapping")
class MappingOutput(serializers.Serializer[Any]):
    """What is mapped of an agent's states, and the rules that follow from it."""

    object = serializers.CharField()
    agent_id = serializers.CharField()
    external_id = serializers.CharField()
    title = serializers.CharField(allow_null=True, help_text=PLACE)
    user = serializers.CharField(allow_null=True, help_text=PLACE)
    waiting = serializers.ListField(
        child=serializers.CharField(), allow_null=True, help_text=RULES
    )
    waiting_rules = serializers.ListField(
        child=serializers.CharField(), help_text="The rules in force, also the usual."
    )
    noise = serializers.ListField(child=serializers.CharField(), help_text=NOISE)
    is_rederiving = serializers.BooleanField(
        help_text="Whether the worker still derives anew what waits, by other rules."
    )


class MappingView(AdministratorView):
    """`/v1/agents/{reference}/mapping`"""

    refusal = "This key is limited to some agents; mappings are set up for the project."

    @extend_schema(
        operation_id="get_agent_mapping",
        responses={200: MappingOutput} | errors(401, 403, 404),
    )
    def get(self, request: Request, reference: str) -> Response:
        """Return what is mapped of an agent's states."""
        scope = Scope(self.caller.project)
        agent = Agent.objects.visible_to(scope).one_named(reference)
        return Response(shape(agent))

    @extend_schema(
        operation_id="set_agent_mapping",
        parameters=[IDEMPOTENCY_KEY],
        request=MappingInput,
        responses={200: MappingOutput} | errors(400, 401, 403, 404, 413, 422),
    )
    def put(self, request: Request, reference: str) -> Response:
        """Set all of it; writes follow in half a minute, old sessions after that."""
        said = self.read(MappingInput).validated_data
        return self.perform(request, partial(_mapped, reference, Mapping(**said)))


def shape(agent: Agent) -> dict[str, Any]:
    return {
        "object": "agent_mapping",
        "agent_id": agent.id,
        "external_id": agent.external_id,
        "title": agent.title_path,
        "user": agent.user_path,
        "waiting": agent.waiting,
        "waiting_rules": list(DEFAULT if agent.waiting is None else agent.waiting),
        "noise": agent.noise,
        "is_rederiving": agent.remap_after is not None,
    }


def _mapped(reference: str, mapping: Mapping, act: Act) -> Body:
    agent = agents.map_states(act=act, reference=reference, mapping=mapping)
    return 200, json.dumps(shape(agent))
