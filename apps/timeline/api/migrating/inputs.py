"""What callers may send to migrate a state."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_serializer

from apps.core.http.input.fields import TextField
from apps.timeline.api.inputs.states import HeadInput


@extend_schema_serializer(component_name="MigrateState")
class MigrateInput(HeadInput):
    """To which schema of the agent the state is migrated, and why."""

    refused = {"schema_version": "`to` says it."}

    to = TextField(
        required=True, allow_null=False, allow_blank=False, help_text="Its version."
    )
    reason = TextField(help_text="Another name for `reasoning`.")

    def get_fields(self) -> dict[str, Any]:
        """Add the field that Python has no name for; leave out what `to` says."""
        fields = super().get_fields()
        fields.pop("schema_version")
        return {
            **fields,
            "from": TextField(
                allow_blank=False,
                help_text="What a state is taken to be of that names no schema.",
            ),
        }
