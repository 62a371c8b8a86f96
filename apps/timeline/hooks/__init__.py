"""What apps above tell of sessions."""

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
    "MEMORIES",
    "Memories",
    "RecallAsked",
    "Recalled",
    "memory_counts",
    "memory_total",
    "recall",
]
