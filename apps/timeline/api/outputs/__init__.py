"""The answers as the OpenAPI document describes them.

Only `state`, metadata, details and what agents put there themselves are open objects;
everything else is named and typed. Answers are made in `shapes`, which a test holds to
these.
"""

from apps.timeline.api.outputs.common import (
    Actor,
    LastRollback,
    ShownChange,
)
from apps.timeline.api.outputs.comparisons import (
    ChangeList,
    Checked,
    Divergence,
    Patch,
)
from apps.timeline.api.outputs.effects import (
    Compensation,
    CompensationList,
    Effect,
    EffectBegin,
    EffectList,
    ResultList,
    ResultsForgotten,
)
from apps.timeline.api.outputs.previews import (
    Note,
    NoteList,
    Review,
    RollbackPreview,
    Score,
    TurnSummary,
    TurnSummaryList,
)
from apps.timeline.api.outputs.sessions import (
    Rollback,
    Session,
    SessionList,
    SessionMetadata,
    ShownState,
    StartedSession,
    State,
    StateWrite,
    WrittenState,
)
from apps.timeline.api.outputs.turns import (
    Context,
    History,
    SaidObject,
    Trace,
    TraceContext,
    TraceList,
    TraceMetadata,
    Turn,
    TurnList,
)
from apps.timeline.api.outputs.versions import (
    Checkpoint,
    Label,
    NamedCheckpointList,
    StateHistory,
    Version,
    VersionList,
    VersionsHidden,
    WritesAdded,
)

__all__ = [
    "Actor",
    "ChangeList",
    "Checked",
    "Checkpoint",
    "Compensation",
    "CompensationList",
    "Context",
    "Divergence",
    "Effect",
    "EffectBegin",
    "EffectList",
    "History",
    "Label",
    "LastRollback",
    "NamedCheckpointList",
    "Note",
    "NoteList",
    "Patch",
    "ResultList",
    "ResultsForgotten",
    "Review",
    "Rollback",
    "RollbackPreview",
    "SaidObject",
    "Score",
    "Session",
    "SessionList",
    "SessionMetadata",
    "ShownChange",
    "ShownState",
    "StartedSession",
    "State",
    "StateHistory",
    "StateWrite",
    "Trace",
    "TraceContext",
    "TraceList",
    "TraceMetadata",
    "Turn",
    "TurnList",
    "TurnSummary",
    "TurnSummaryList",
    "Version",
    "VersionList",
    "VersionsHidden",
    "WritesAdded",
    "WrittenState",
]
