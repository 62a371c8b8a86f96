"""Who a key is, as Anchor's clients ask: its workspace is the project.

Names are spelled as Anchor's console backend spells them. A key is nobody's account,
so there is no user; people sign in to the console.
"""

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.models import ApiKey, KeyMark, Project, Scope
from apps.agents.api.base import AnchorView, caller_of
from apps.core.http.openapi.schema import errors


@extend_schema_serializer(component_name="Workspace")
class WorkspaceOutput(serializers.Serializer[Project]):
    """A project, as Anchor calls it."""

    id = serializers.CharField()
    workspaceId = serializers.CharField(source="id")
    name = serializers.CharField()
    slug = serializers.CharField()
    createdAt = serializers.DateTimeField(source="created_at")


@extend_schema_serializer(component_name="WorkspaceList")
class WorkspaceListAnswer(serializers.Serializer[Any]):
    """The one workspace that a key is of."""

    object = serializers.CharField()
    data = WorkspaceOutput(many=True)  # type: ignore[assignment]
    workspaces = WorkspaceOutput(many=True, help_text="The same list.")
    has_more = serializers.BooleanField()
    total = serializers.IntegerField()


@extend_schema_serializer(component_name="OwnKey")
class OwnKeyOutput(serializers.Serializer[ApiKey]):
    """The key that asks, without its secret."""

    id = serializers.CharField()
    name = serializers.CharField()
    prefix = serializers.CharField(
        help_text=f"Its first characters: {' or '.join(KeyMark.values)}, and 8 more."
    )
    scope = serializers.ChoiceField(choices=Scope.choices)
    agents = serializers.ListField(child=serializers.CharField(), allow_null=True)
    workspaceId = serializers.CharField(source="project_id")
    createdAt = serializers.DateTimeField(source="created_at")
    lastUsedAt = serializers.DateTimeField(source="last_used_at", allow_null=True)
    expiresAt = serializers.DateTimeField(source="expires_at", allow_null=True)


@extend_schema_serializer(component_name="Me")
class MeAnswer(serializers.Serializer[Any]):
    """Who asks."""

    object = serializers.CharField()
    user = serializers.CharField(
        allow_null=True, help_text="Always null: a key is nobody's account."
    )
    workspace = WorkspaceOutput()
    apiKey = OwnKeyOutput()


class WorkspacesView(AnchorView):
    """`/v1/workspaces`"""

    @extend_schema(
        operation_id="list_workspaces",
        responses={200: WorkspaceListAnswer} | errors(401, 403),
    )
    def get(self, request: Request) -> Response:
        """List the key's project, which is all that it sees."""
        mine = [WorkspaceOutput(caller_of(request).project).data]
        page = {"object": "list", "data": mine, "workspaces": mine}
        return Response(page | {"has_more": False, "total": len(mine)})


class MeView(AnchorView):
    """`/v1/auth/me`"""

    @extend_schema(operation_id="get_me", responses={200: MeAnswer} | errors(401, 403))
    def get(self, request: Request) -> Response:
        """Return the key that asks, and its project."""
        caller = caller_of(request)
        key = ApiKey.objects.in_project(caller.project.id).get(id=caller.key_id)
        mine = WorkspaceOutput(caller.project).data
        told = {"workspace": mine, "apiKey": OwnKeyOutput(key).data}
        return Response({"object": "me", "user": None} | told)
