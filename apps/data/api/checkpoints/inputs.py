"""What routes of checkpoints take; nulls mean "not said"."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_serializer

from apps.core.http.input.fields import (
    FlagField,
    InputSerializer,
    ObjectField,
    TextField,
    WholeNumberField,
)
from apps.data.api.inputs import REASONING
from apps.data.checkpoints.moments import LONGEST
from apps.data.operations import NewCheckpoint, RestoreWanted
from apps.data.operations.checkpoints import MAX_DESCRIPTION, MAX_LABEL


@extend_schema_serializer(component_name="NewAgentCheckpoint")
class CheckpointInput(InputSerializer):
    """What a checkpoint is called."""

    label = TextField(  # type: ignore[assignment]
        max_length=MAX_LABEL, help_text='What it is before, as "pre-batch-import".'
    )
    description = TextField(max_length=MAX_DESCRIPTION)
    metadata = ObjectField(help_text="At most 16 KiB.")

    def said(self) -> NewCheckpoint:
        said = self.validated_data
        return NewCheckpoint(
            label=said.get("label"),
            description=said.get("description"),
            metadata=said.get("metadata") or {},
        )


@extend_schema_serializer(component_name="RestoreAgentCheckpoint")
class RestoreInput(InputSerializer):
    """Which parts to restore; both, unless it is said otherwise."""

    restore_config = FlagField()
    restore_data = FlagField()
    dry_run = FlagField(help_text="Say what it would do, and write nothing.")
    expected_version = WholeNumberField(
        min_value=0,
        help_text="The `number` that you saw; another head answers 409, so that "
        "nobody's newer writes are undone unseen.",
    )
    reasoning = TextField(max_length=32_768, help_text=REASONING)

    @property
    def is_dry_run(self) -> bool:
        return bool(self.validated_data.get("dry_run"))

    def wanted(self) -> RestoreWanted:
        said = self.validated_data
        return RestoreWanted(
            config=said.get("restore_config") is not False,
            data=said.get("restore_data") is not False,
            expected=said.get("expected_version"),
            reasoning=said.get("reasoning"),
        )


@extend_schema_serializer(component_name="AgentCheckpointSchedule")
class ScheduleInput(InputSerializer):
    """When checkpoints are made; without a schedule they are not."""

    schedule = TextField(
        max_length=LONGEST,
        help_text="`hourly`, `daily`, or the five fields of cron, in UTC.",
    )
