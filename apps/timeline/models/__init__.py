"""Sessions and everything they own: versions, bodies, changes, turns, labels.

It is written by the SQL functions in `sql/`, called from `ledger/`; the classes here
are for reading and for migrations. Triggers keep versions and bodies immutable. Every
table carries `session_id` in every key and has no sequence: it can be distributed.
"""

from apps.timeline.annotations import (
    HiddenVersions,
    Label,
    Note,
    PendingWrite,
    Review,
    Score,
    Summary,
)
from apps.timeline.derived import (
    Change,
    Entry,
    KeyHead,
    Open,
    Opening,
    Pending,
    Tally,
    Term,
    Text,
    Unsearched,
)
from apps.timeline.effects.compensations import Compensation, CompensationStep
from apps.timeline.effects.results import AgentForgetting, AgentResult, Forgetting
from apps.timeline.effects.rows import Effect, EffectDue, EffectStep
from apps.timeline.models.session import Session
from apps.timeline.models.turn import Turn
from apps.timeline.models.version import Body, Version
from apps.timeline.names import Lease, RequestKey, SessionName
from apps.timeline.removed import Tombstone
from apps.timeline.words import Status

__all__ = [
    "AgentForgetting",
    "AgentResult",
    "Body",
    "Change",
    "Compensation",
    "CompensationStep",
    "Effect",
    "EffectDue",
    "EffectStep",
    "Entry",
    "Forgetting",
    "HiddenVersions",
    "KeyHead",
    "Label",
    "Lease",
    "Note",
    "Open",
    "Opening",
    "Pending",
    "PendingWrite",
    "RequestKey",
    "Review",
    "Score",
    "Session",
    "SessionName",
    "Status",
    "Summary",
    "Tally",
    "Term",
    "Text",
    "Tombstone",
    "Turn",
    "Unsearched",
    "Version",
]
