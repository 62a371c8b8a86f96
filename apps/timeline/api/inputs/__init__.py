"""What callers may send, field by field; every optional field accepts null."""

from apps.timeline.api.inputs.holds import HoldInput
from apps.timeline.api.inputs.rollbacks import (
    ON_EFFECTS,
    TARGETS,
    RollbackInput,
    UndoInput,
)
from apps.timeline.api.inputs.states import (
    MOST_REMOVALS,
    HeadInput,
    PointersField,
    ReplaceInput,
    StateField,
    StepInput,
    StoryInput,
    UpdateInput,
    WriteInput,
)
from apps.timeline.api.inputs.turns import TurnInput, UsageField

__all__ = [
    "MOST_REMOVALS",
    "ON_EFFECTS",
    "TARGETS",
    "HeadInput",
    "HoldInput",
    "PointersField",
    "ReplaceInput",
    "RollbackInput",
    "StateField",
    "StepInput",
    "StoryInput",
    "TurnInput",
    "UndoInput",
    "UpdateInput",
    "UsageField",
    "WriteInput",
]
