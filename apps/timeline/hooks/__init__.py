"""What apps above tell of sessions, and keep beside them."""

from apps.timeline.hooks.beside import BESIDE, differences
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
    "BESIDE",
    "MEMORIES",
    "Memories",
    "RecallAsked",
    "Recalled",
    "differences",
    "memory_counts",
    "memory_total",
    "recall",
]
