"""The project of a key, and its settings, for administrators' keys."""

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts import operations as accounts
from apps.accounts.models import Project
from apps.agents.acts import Act
from apps.agents.api.administering import AdministratorView, Body
from apps.core import json
from apps.core.handling import Handling
from apps.core.http.input.fields import FlagField, InputSerializer
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY, errors

HANDLINGS = [one.value for one in Handling]
HANDLING = (
    "What becomes of unknown input where a request does not say: strict refuses it, "
    "lenient has the answer name it."
)
BY_MEANING = (
    "Whether reasoning and changes of versions are embedded, so that old states are "
    "found by their meaning."
)

ROLLBACK_REASON = (
    "Whether a rollback has to say why: without `reasoning` it is refused. An undo "
    "needs none."
)


@extend_schema_serializer(component_name="UpdateProject")
class ProjectInput(InputSerializer):
    """What may be changed about a project."""

    handling = serializers.ChoiceField(
        choices=HANDLINGS, required=False, allow_null=True, help_text=HANDLING
    )
    search_by_meaning = FlagField(help_text=BY_MEANING)
    needs_rollback_reason = FlagField(help_text=ROLLBACK_REASON)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if all(value is None for value in attrs.values()):
            message = "There is nothing to change."
            raise serializers.ValidationError({"handling": message})
        return attrs


@extend_schema_serializer(component_name="Project")
class ProjectOutput(serializers.Serializer[Any]):
    """A project and its settings."""

    object = serializers.CharField()
    id = serializers.CharField()
    slug = serializers.CharField()
    name = serializers.CharField()
    handling = serializers.ChoiceField(choices=HANDLINGS, help_text=HANDLING)
    search_by_meaning = serializers.BooleanField(help_text=BY_MEANING)
    needs_rollback_reason = serializers.BooleanField(help_text=ROLLBACK_REASON)
    created_at = serializers.DateTimeField()


class ProjectView(AdministratorView):
    """`/v1/project`"""

    refusal = "This key is limited to some agents; settings are of the whole project."

    @extend_schema(
        operation_id="get_project",
        responses={200: ProjectOutput} | errors(401, 403),
    )
    def get(self, request: Request) -> Response:
        """Return the key's project and its settings."""
        return Response(shape(self.caller.project))

    @extend_schema(
        operation_id="update_project",
        parameters=[IDEMPOTENCY_KEY],
        request=ProjectInput,
        responses={200: ProjectOutput} | errors(400, 401, 403, 413, 422),
    )
    def patch(self, request: Request) -> Response:
        """Change the settings; they hold from the next request on."""
        given = self.read(ProjectInput).validated_data

        def perform(act: Act) -> Body:
            changed = act.project
            if given.get("handling") is not None:
                handling = Handling(given["handling"])
                changed = accounts.set_handling(
                    handling=handling, project=changed, act=act
                )
            if given.get("search_by_meaning") is not None:
                changed = accounts.set_search_by_meaning(
                    is_on=given["search_by_meaning"], project=changed, act=act
                )
            if given.get("needs_rollback_reason") is not None:
                changed = accounts.require_rollback_reason(
                    is_required=given["needs_rollback_reason"], project=changed, act=act
                )
            return 200, json.dumps(shape(changed))

        return self.perform(request, perform)


def shape(project: Project) -> dict[str, Any]:
    return {
        "object": "project",
        "id": project.id,
        "slug": project.slug,
        "name": project.name,
        "handling": project.handling,
        "search_by_meaning": project.search_by_meaning,
        "needs_rollback_reason": project.needs_rollback_reason,
        "created_at": project.created_at,
    }
