"""The verbs of the timeline: each one act, one transaction, one event, an actor."""

from apps.timeline.ledger.documents.values import (
    CONFIG_KEY,
    Document,
    NewEntry,
    Restored,
    Told,
    Written,
)
from apps.timeline.ledger.drafts import Edit, Expected, Receipt
from apps.timeline.ledger.effects.values import Cache, Finish, NewEffect
from apps.timeline.ledger.facts.about import About
from apps.timeline.operations.batches import BatchItem, append_batch
from apps.timeline.operations.checkpoints import (
    TaskWrite,
    add_writes,
    hide_versions,
)
from apps.timeline.operations.documents.plain_writing import write_entry_plainly
from apps.timeline.operations.documents.replays import stored_before
from apps.timeline.operations.documents.restoring import (
    MOST_RESTORED,
    Restoration,
    restore_document,
)
from apps.timeline.operations.documents.writing import (
    expire_keys,
    hold_document,
    lock_document,
    remove_key,
    remove_prefix,
    write_entries,
)
from apps.timeline.operations.effects import (
    MAX_COMPENSATING,
    MAX_SETTLING,
    Begun,
    Forget,
    begin_effect,
    change_compensation,
    finish_effect,
    forget_agent_results,
    forget_results,
    settle_effect,
    tell_unknown_effects,
)
from apps.timeline.operations.expiry import expire
from apps.timeline.operations.handoffs import adopt, hand_off
from apps.timeline.operations.holds import (
    close,
    decide,
    delete,
    lock_head,
    pause,
    resume,
    wait,
    watch,
)
from apps.timeline.operations.keeping import (
    PINS_OF_PARTS,
    Gone,
    Went,
    archivable,
    archive_entries,
    archive_versions,
    delete_archives,
    empty_entries,
    empty_versions,
    prune_versions,
    remove_session,
    superseded,
    sweep_archives,
    thin_session,
)
from apps.timeline.operations.labels import MAX_LABEL, label, unlabel, update_metadata
from apps.timeline.operations.merging import merge
from apps.timeline.operations.migrating import migrate
from apps.timeline.operations.notes import (
    MAX_NOTE,
    MAX_SUMMARY,
    MAX_WHY,
    add_note,
    add_summary,
    review,
    score,
    withdraw_review,
)
from apps.timeline.operations.rollbacks import rollback, undo
from apps.timeline.operations.sessions import Origin, create, fork
from apps.timeline.operations.shared import (
    Leasing,
    keep_lease,
    release_lease,
    take_lease,
    write_shared,
)
from apps.timeline.operations.states import replace, update
from apps.timeline.operations.turns import Exchange, add_turn
from apps.timeline.operations.working import (
    Assumptions,
    Found,
    TaskChange,
    check_facts,
    update_task,
)
from apps.timeline.projection.remapping import remap
from apps.timeline.versions.reading import Step

__all__ = [
    "CONFIG_KEY",
    "MAX_COMPENSATING",
    "MAX_LABEL",
    "MAX_NOTE",
    "MAX_SETTLING",
    "MAX_SUMMARY",
    "MAX_WHY",
    "MOST_RESTORED",
    "PINS_OF_PARTS",
    "About",
    "Assumptions",
    "BatchItem",
    "Begun",
    "Cache",
    "Document",
    "Edit",
    "Exchange",
    "Expected",
    "Finish",
    "Forget",
    "Found",
    "Gone",
    "Leasing",
    "NewEffect",
    "NewEntry",
    "Origin",
    "Receipt",
    "Restoration",
    "Restored",
    "Step",
    "TaskChange",
    "TaskWrite",
    "Told",
    "Went",
    "Written",
    "add_note",
    "add_summary",
    "add_turn",
    "add_writes",
    "adopt",
    "append_batch",
    "archivable",
    "archive_entries",
    "archive_versions",
    "begin_effect",
    "change_compensation",
    "check_facts",
    "close",
    "create",
    "decide",
    "delete",
    "delete_archives",
    "empty_entries",
    "empty_versions",
    "expire",
    "expire_keys",
    "finish_effect",
    "forget_agent_results",
    "forget_results",
    "fork",
    "hand_off",
    "hide_versions",
    "hold_document",
    "keep_lease",
    "label",
    "lock_document",
    "lock_head",
    "merge",
    "migrate",
    "pause",
    "prune_versions",
    "release_lease",
    "remap",
    "remove_key",
    "remove_prefix",
    "remove_session",
    "replace",
    "restore_document",
    "resume",
    "review",
    "rollback",
    "score",
    "settle_effect",
    "stored_before",
    "superseded",
    "sweep_archives",
    "take_lease",
    "tell_unknown_effects",
    "thin_session",
    "undo",
    "unlabel",
    "update",
    "update_metadata",
    "update_task",
    "wait",
    "watch",
    "withdraw_review",
    "write_entries",
    "write_entry_plainly",
    "write_shared",
]
