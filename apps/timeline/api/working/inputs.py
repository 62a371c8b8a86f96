"""What may be sent of tasks and facts."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from apps.core.http.input.fields import (
    InputSerializer,
    ListField,
    ObjectField,
    TextField,
)
from apps.timeline.api.inputs.states import HeadInput
from apps.timeline.bodies.facts import MOST, require_past
from apps.timeline.bodies.tasks import STATUSES
from apps.timeline.operations import TaskChange

LONGEST = 2_000
# The fields of a task that are set in this way.
FIELDS = ("status", "title", "note")


@extend_schema_serializer(component_name="UpdateTask")
class TaskInput(HeadInput):
    """What a task becomes; what is not said stays."""

    status = serializers.ChoiceField(
        choices=STATUSES, required=False, allow_null=True, help_text="How it stands."
    )
    title = TextField(max_length=LONGEST)
    note = TextField(max_length=LONGEST, help_text="What came of it, or why it failed.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if all(attrs.get(name) is None for name in FIELDS):
            message = f"Give one of {', '.join(FIELDS)}."
            raise serializers.ValidationError({"status": message})
        return attrs

    def change(self) -> TaskChange:
        said = self.validated_data
        return TaskChange(
            fields={name: said[name] for name in FIELDS if said.get(name) is not None}
        )


@extend_schema_field({"type": "array", "items": {"type": "string"}})
class KeysField(ListField):
    """Keys of facts."""

    def to_internal_value(self, data: Any) -> list[str]:
        found = super().to_internal_value(data)
        if len(found) > MOST or not all(isinstance(one, str) for one in found):
            raise serializers.ValidationError(
                f"This must be a list of at most {MOST:,} keys."
            )
        return found


@extend_schema_serializer(component_name="CheckFacts")
class FactsInput(InputSerializer):
    """What is so, to be held against what the session remembers."""

    values = ObjectField(
        required=True, allow_null=False, help_text="Live values, by the facts' keys."
    )
    only = KeysField(
        help_text="Check these, and those with a live value; all facts if unset."
    )
    observed_at = TextField(help_text="When the live values were seen; now if unset.")

    def seen_at(self) -> datetime | None:
        """Raises: UnacceptableFact for what is no time, or is still to come."""
        said = self.validated_data.get("observed_at")
        return require_past(said, timezone.now(), "observed_at")
