"""What callers may send to pause, resume and close."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_serializer

from apps.core.http.input.fields import WholeNumberField
from apps.timeline.api.inputs.states import StoryInput


@extend_schema_serializer(component_name="Hold")
class HoldInput(StoryInput):
    """Pause, resume and close take a reason."""

    expected_version = WholeNumberField(min_value=0)
