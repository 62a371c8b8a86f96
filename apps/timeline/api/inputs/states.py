"""What callers may send of a state, and of the story around it."""

from __future__ import annotations

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from apps.core import json
from apps.core.http.input.fields import (
    InputSerializer,
    ListField,
    ObjectField,
    OpaqueField,
    TextField,
    WholeNumberField,
)
from apps.core.http.input.patches import OperationsField
from apps.timeline.bodies import bundles
from apps.timeline.versions.reading import Step

# Each removal from a list moves what stands behind it: a million of them, which fit
# into one request, would take hours.
MOST_REMOVALS = 1_000


class StateField(ObjectField):
    """A state, held to the rules of states here, where its own name is known."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        return json.check(data, at=f"/{self.field_name}")


@extend_schema_field({"type": "array", "items": {"type": "string"}})
class PointersField(ListField):
    """JSON pointers."""


class StoryInput(InputSerializer):
    """The story around a version."""

    synonyms = {"reason": "reasoning"}
    # Whether `external_id` names the version; on a create it names the session.
    names_version: ClassVar[bool] = False

    reasoning = TextField(help_text="Why this change was made.")
    reason = TextField(help_text="Another name for `reasoning`.")
    trace_id = TextField(help_text="Your trace id; ours is made without one.")
    step_number = WholeNumberField(min_value=0)
    parent_id = TextField(help_text="Your id of the step this one follows.")
    objective_status = TextField(
        help_text="e.g. In Progress, WAITING_FOR_APPROVAL; unset: the head's, unless "
        "that asks for a person."
    )
    schema_version = TextField(
        help_text="The version of your state's format; unset: the head's."
    )
    release = TextField(help_text="The release of your agent.")
    model = TextField(help_text="The model that decided.")

    def step(self) -> Step:
        """Return the step metadata that was sent."""
        given = self.validated_data
        return Step(
            reasoning=given.get("reasoning") or given.get("reason"),
            trace_id=given.get("trace_id") or None,
            external_id=given.get("external_id") if self.names_version else None,
            step_number=given.get("step_number"),
            step_parent_id=given.get("parent_id"),
            objective_status=given.get("objective_status"),
            schema_version=given.get("schema_version"),
            release=given.get("release"),
            model=given.get("model"),
        )


class StepInput(StoryInput):
    """The story around a state, and the other parts of a checkpoint."""

    refused = {
        "environment": "what an agent runs in is not kept; name it in `artifacts`.",
    }

    messages = ListField()
    tool_results = ObjectField(help_text="Results by tool call id.")
    model_params = ObjectField(help_text="model, version, temperature, seed, ...")
    tasks = ListField(help_text="Tasks with their status.")
    artifacts = ListField(help_text="References to files and blobs.")
    facts = ListField(
        help_text="What the agent remembers of the world: `key`, `value`, `source`, "
        "`observed_at`, `max_age` in seconds, `tolerance`."
    )
    opaque = OpaqueField()


class HeadInput(StoryInput):
    """What every version takes that is built on a head."""

    names_version = True

    external_id = TextField(help_text="Your id of this version, unique in the session.")
    expected_version = WholeNumberField(
        min_value=0, help_text="The head you built on; 409 if it has moved."
    )


class WriteInput(HeadInput, StepInput):
    """What every write of a state takes."""


@extend_schema_serializer(component_name="UpdateState")
class UpdateInput(WriteInput):
    """PATCH: keys to merge into the state, pointers to remove."""

    state = StateField(help_text="Top-level keys to set; null is stored as null.")
    updates = StateField(help_text="Another name for `state`.")
    remove = PointersField(help_text="JSON pointers to remove after the merge.")
    operations = OperationsField(
        help_text="A JSON Patch (RFC 6902), in place of these: all of it, or 409 "
        "`patch_failed` and nothing."
    )

    def validate_remove(self, value: list[Any] | None) -> list[Any] | None:
        if value is not None and not all(isinstance(one, str) for one in value):
            raise serializers.ValidationError("This must be a list of JSON pointers.")
        if value is not None and len(value) > MOST_REMOVALS:
            raise serializers.ValidationError(
                f"This takes at most {MOST_REMOVALS:,} pointers."
            )
        return value

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        merge, other = ("state", "updates", "remove"), ("opaque", *bundles.PART_SHAPES)
        if all(attrs.get(name) is None for name in (*merge, "operations", *other)):
            raise serializers.ValidationError({"state": "There is nothing to update."})
        both = [name for name in merge if attrs.get(name) is not None]
        if both and attrs.get("operations") is not None:
            message = "Give `operations` or the others: which came first is not said."
            raise serializers.ValidationError({both[0]: message})
        # Both names may be used, `state` wins.
        if updates := attrs.get("updates"):
            attrs["state"] = {**updates, **(attrs.get("state") or {})}
        return attrs


@extend_schema_serializer(component_name="ReplaceState")
class ReplaceInput(WriteInput):
    """PUT and POST: the state as a whole."""

    refused = {
        **WriteInput.refused,
        **dict.fromkeys(
            ("updates", "remove", "operations"),
            "PATCH merges; here send `state` whole.",
        ),
    }

    state = StateField(required=True, allow_null=False)
