"""What apps above tell of sessions, keep beside them, and may refuse."""

from apps.timeline.hooks.beside import BESIDE, differences
from apps.timeline.hooks.gates import (
    BEGIN,
    COMPENSATION,
    ROLLBACK,
    BeginAsked,
    CompensationAsked,
    RollbackAsked,
    ask_begin,
    ask_compensation,
    ask_rollback,
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
    "BEGIN",
    "BESIDE",
    "COMPENSATION",
    "MEMORIES",
    "ROLLBACK",
    "BeginAsked",
    "CompensationAsked",
    "Memories",
    "RecallAsked",
    "Recalled",
    "RollbackAsked",
    "ask_begin",
    "ask_compensation",
    "ask_rollback",
    "differences",
    "memory_counts",
    "memory_total",
    "recall",
]
