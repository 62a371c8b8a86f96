"""The policies of a project over REST, for administrators' keys for all agents."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_serializer
from orjson import Fragment
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.models import Project
from apps.agents.acts import Act
from apps.agents.api.administering import AdministratorView, Body
from apps.core import json
from apps.core.http.input.fields import InputSerializer, ObjectField
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY, errors
from apps.data import operations as data
from apps.timeline.api.outputs.common import open_object

POLICIES = "As in a config; see docs/policies.md. {} for none."


@extend_schema_serializer(component_name="SetProjectPolicies")
class FloorInput(InputSerializer):
    """The whole floor: what is left out holds no more."""

    policies = ObjectField(required=True, allow_null=False, help_text=POLICIES)


@extend_schema_serializer(component_name="ProjectPolicies")
class FloorOutput(serializers.Serializer[Any]):
    """Policies that hold for all agents of a project."""

    object = serializers.CharField()
    policies = open_object(POLICIES)


class ProjectPolicies(AdministratorView):
    """`/v1/project/policies`"""

    refusal = "This key is limited to some agents; the floor is the whole project's."

    @extend_schema(
        operation_id="get_project_policies",
        responses={200: FloorOutput} | errors(401, 403),
    )
    def get(self, request: Request) -> Response:
        """Return the floor below which no agent's config leads."""
        return Response(floor_object(self.caller.project))

    @extend_schema(
        operation_id="set_project_policies",
        parameters=[IDEMPOTENCY_KEY],
        request=FloorInput,
        responses={200: FloorOutput} | errors(400, 401, 403, 413, 422),
    )
    def put(self, request: Request) -> Response:
        """Set the whole floor; it holds from the next request on."""
        policies = self.read(FloorInput).validated_data["policies"]

        def perform(act: Act) -> Body:
            changed = data.set_floor(act=act, project=act.project, policies=policies)
            return 200, json.dumps(floor_object(changed))

        return self.perform(request, perform)


def floor_object(project: Project) -> dict[str, Any]:
    return {
        "object": "project_policies",
        "policies": Fragment(project.floor.encode()),
    }
