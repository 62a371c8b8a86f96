"""What apps above tell of sessions, keep beside them, and may refuse."""

from apps.timeline.hooks.asked import ASKED, Asked, asked_among, newest_asked
from apps.timeline.hooks.beside import BESIDE, differences
from apps.timeline.hooks.derived import (
    DERIVED,
    Derived,
    derived_problems,
    rebuild_derived,
)
from apps.timeline.hooks.gates import (
    BEGIN,
    BEGIN_CONCERNS,
    COMPENSATION,
    ROLLBACK,
    BeginAsked,
    CompensationAsked,
    RollbackAsked,
    ask_begin,
    ask_compensation,
    ask_rollback,
    concerns_begin,
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

__all__ = [
    "ASKED",
    "BEGIN",
    "BEGIN_CONCERNS",
    "BESIDE",
    "COMPENSATION",
    "DERIVED",
    "MEMORIES",
    "ROLLBACK",
    "Asked",
    "BeginAsked",
    "CompensationAsked",
    "Derived",
    "Memories",
    "RecallAsked",
    "Recalled",
    "RollbackAsked",
    "ask_begin",
    "ask_compensation",
    "ask_rollback",
    "asked_among",
    "concerns_begin",
    "derived_problems",
    "differences",
    "memory_counts",
    "memory_total",
    "newest_asked",
    "rebuild_derived",
    "recall",
]
