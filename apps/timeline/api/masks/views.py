"""The masks of a project over REST, for administrators' keys for all agents."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import (
    extend_schema,
    extend_schema_field,
    extend_schema_serializer,
)
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts import masks
from apps.accounts import operations as accounts
from apps.accounts.masks import LONGEST_POINTER, Pattern, Style
from apps.accounts.models import Project
from apps.agents.acts import Act
from apps.agents.api.administering import AdministratorView, Body
from apps.core import json
from apps.core.http.input.fields import InputSerializer, ListField, TextField
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY, errors
from apps.timeline.api.outputs.common import Output, maybe_text, text

STYLES = [one.value for one in Style]
PATTERNS = [one.value for one in Pattern]
POINTER = "A place in states: a JSON pointer, `*` for one member, `**` for any depth."
PATTERN = "Texts that are masked wherever they stand, in place of a pointer."
WORDS = "Of the pattern `words`, in upper or lower case."
STYLE = "What stands in place of a value: nothing of it, its last four, or a digest."


@extend_schema_field({"type": "array", "items": {"type": "string"}})
class WordsField(ListField):
    """A list of texts."""


@extend_schema_serializer(component_name="SetMask")
class MaskInput(InputSerializer):
    """A mask at a place, or of a pattern."""

    pointer = TextField(
        required=False,
        allow_null=True,
        max_length=LONGEST_POINTER,
        help_text=POINTER,
    )
    pattern = serializers.ChoiceField(
        choices=PATTERNS, required=False, allow_null=True, help_text=PATTERN
    )
    words = WordsField(help_text=WORDS)
    style = serializers.ChoiceField(  # type: ignore[assignment]
        choices=STYLES, help_text=STYLE
    )


@extend_schema_field(MaskInput(many=True))
class MasksField(ListField):
    """The masks, each read on its own so that a refusal can name it."""

    holds = MaskInput


@extend_schema_serializer(component_name="SetMasks")
class MasksInput(InputSerializer):
    """All masks of the project: what is left out masks no more."""

    masks = MasksField(required=True, allow_null=False)


@extend_schema_serializer(component_name="Mask")
class MaskOutput(Output):
    """A mask at a place, or of a pattern."""

    pointer = maybe_text(POINTER)
    pattern = serializers.ChoiceField(
        choices=PATTERNS, allow_null=True, help_text=PATTERN
    )
    words = serializers.ListField(child=serializers.CharField(), help_text=WORDS)
    style = serializers.ChoiceField(  # type: ignore[assignment]
        choices=STYLES, help_text=STYLE
    )


@extend_schema_serializer(component_name="Masks")
class MasksOutput(Output):
    """All masks of the project."""

    object = text()
    masks = MaskOutput(many=True)


class MasksView(AdministratorView):
    """`/v1/masks`"""

    refusal = "This key is limited to some agents; masks are of the whole project."

    @extend_schema(
        operation_id="get_masks",
        responses={200: MasksOutput} | errors(401, 403),
    )
    def get(self, request: Request) -> Response:
        """Return what masked keys are not shown."""
        return Response(masks_object(self.caller.project))

    @extend_schema(
        operation_id="set_masks",
        parameters=[IDEMPOTENCY_KEY],
        request=MasksInput,
        responses={200: MasksOutput} | errors(400, 401, 403, 413, 422),
    )
    def put(self, request: Request) -> Response:
        """Set all masks; they count from the next request of a masked key on."""
        said = self.read(MasksInput).validated_data["masks"]
        wanted = masks.masks_of(said)

        def perform(act: Act) -> Body:
            changed = accounts.set_masks(act=act, project=act.project, masks=wanted)
            return 200, json.dumps(masks_object(changed))

        return self.perform(request, perform)


def masks_object(project: Project) -> dict[str, Any]:
    found = masks.stored(project.masks)
    return {"object": "masks", "masks": [mask.said() for mask in found]}
