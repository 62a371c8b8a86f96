"""What apps above tell of sessions, keep beside them, and may refuse.

Rows of an app above that belong to a version need no hook. The app opens a transaction,
locks the session (`operations.lock_head`), calls the operation that appends, and writes
its rows: all of it is stored together or not at all, also where the append loses its
race, is refused, or the rows are. Once the session is locked, the number that the
version will have is the head's and one. What a process remembers of the new head it
remembers when the transaction commits. `approvals` writes a request with its `wait` and
a vote with its `decide` in this way.
"""

import apps.timeline.hooks.below as below
from apps.timeline.hooks.asked import (
    ASKED,
    Asked,
    asked_among,
    newest_asked,
    open_asked,
)
from apps.timeline.hooks.beside import BESIDE, differences
from apps.timeline.hooks.derived import (
    DERIVED,
    Derived,
    derived_problems,
    rebuild_derived,
)
from apps.timeline.hooks.facts import FACTS, FactsFailed, FailedFact, renew
from apps.timeline.hooks.gates import (
    APPEND,
    BEGIN,
    BEGIN_CONCERNS,
    COMPENSATION,
    FORK,
    MERGE,
    PLAN,
    ROLLBACK,
    AppendAsked,
    BeginAsked,
    CompensationAsked,
    ForkAsked,
    MergeAsked,
    PlanAsked,
    RollbackAsked,
    ask_append,
    ask_begin,
    ask_compensation,
    ask_fork,
    ask_merge,
    ask_plan,
    ask_rollback,
    concerns_begin,
)
from apps.timeline.hooks.keeping import (
    LEGAL_HOLDS,
    PINS,
    erase_leavings,
    erase_leavings_of,
    leavings_of_sessions,
    legal_hold,
    pinned,
)
from apps.timeline.hooks.memories import (
    MEMORIES,
    Memories,
    RecallAsked,
    Recalled,
    memory_counts,
    memory_total,
    recall,
)
from apps.timeline.hooks.spending import (
    PRICES,
    WATCHERS,
    Price,
    TurnStored,
    price,
    tell_turn,
)

__all__ = [
    "APPEND",
    "ASKED",
    "BEGIN",
    "BEGIN_CONCERNS",
    "BESIDE",
    "COMPENSATION",
    "DERIVED",
    "FACTS",
    "FORK",
    "LEGAL_HOLDS",
    "MEMORIES",
    "MERGE",
    "PINS",
    "PLAN",
    "PRICES",
    "ROLLBACK",
    "WATCHERS",
    "AppendAsked",
    "Asked",
    "BeginAsked",
    "CompensationAsked",
    "Derived",
    "FactsFailed",
    "FailedFact",
    "ForkAsked",
    "Memories",
    "MergeAsked",
    "PlanAsked",
    "Price",
    "RecallAsked",
    "Recalled",
    "RollbackAsked",
    "TurnStored",
    "ask_append",
    "ask_begin",
    "ask_compensation",
    "ask_fork",
    "ask_merge",
    "ask_plan",
    "ask_rollback",
    "asked_among",
    "below",
    "concerns_begin",
    "derived_problems",
    "differences",
    "erase_leavings",
    "erase_leavings_of",
    "leavings_of_sessions",
    "legal_hold",
    "memory_counts",
    "memory_total",
    "newest_asked",
    "open_asked",
    "pinned",
    "price",
    "rebuild_derived",
    "recall",
    "renew",
    "tell_turn",
]
