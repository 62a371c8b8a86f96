"""Tasks and facts, as answered."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from apps.timeline.api.outputs.common import Output, text


class Progress(Output):
    """How many of a session's tasks are completed or skipped."""

    done = serializers.IntegerField()
    total = serializers.IntegerField()


@extend_schema_serializer(component_name="ChangedTask")
class ChangedTask(Output):
    """A task as a version has it, and the one to go on with."""

    object = text()
    session_id = text()
    version = serializers.IntegerField()
    task = serializers.JSONField(help_text="As the list has it.")
    next_task = serializers.JSONField(
        help_text="The first that is neither completed nor skipped; null: none."
    )
    progress = Progress(help_text="Skipped ones count as done.")
