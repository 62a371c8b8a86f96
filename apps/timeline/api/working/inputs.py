"""What may be sent of tasks and facts."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from apps.core.http.input.fields import TextField
from apps.timeline.api.inputs import HeadInput
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
