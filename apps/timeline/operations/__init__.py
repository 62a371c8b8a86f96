"""The verbs of the timeline: each one act, one transaction, one event, an actor."""

from apps.timeline.ledger.drafts import Edit, Expected, Receipt
from apps.timeline.ledger.facts.about import About
from apps.timeline.operations.batches import BatchItem, append_batch
from apps.timeline.operations.checkpoints import (
    TaskWrite,
    add_writes,
    hide_versions,
)
from apps.timeline.operations.expiry import expire
from apps.timeline.operations.handoffs import adopt, hand_off
from apps.timeline.operations.holds import close, delete, pause, resume
from apps.timeline.operations.labels import MAX_LABEL, label, unlabel, update_metadata
from apps.timeline.operations.notes import (
    MAX_NOTE,
    MAX_WHY,
    add_note,
    review,
    score,
    withdraw_review,
)
from apps.timeline.operations.rollbacks import rollback, undo
from apps.timeline.operations.sessions import Origin, create, fork
from apps.timeline.operations.states import replace, update
from apps.timeline.operations.turns import Exchange, add_turn
from apps.timeline.projection.remapping import remap
from apps.timeline.versions.reading import Step

__all__ = [
    "MAX_LABEL",
    "MAX_NOTE",
    "MAX_WHY",
    "About",
    "BatchItem",
    "Edit",
    "Exchange",
    "Expected",
    "Origin",
    "Receipt",
    "Step",
    "TaskWrite",
    "add_note",
    "add_turn",
    "add_writes",
    "adopt",
    "append_batch",
    "close",
    "create",
    "delete",
    "expire",
    "fork",
    "hand_off",
    "hide_versions",
    "label",
    "pause",
    "remap",
    "replace",
    "resume",
    "review",
    "rollback",
    "score",
    "undo",
    "unlabel",
    "update",
    "update_metadata",
    "withdraw_review",
]
