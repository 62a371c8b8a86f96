"""A version's state as another schema of its agent has it. Nothing is written."""

from apps.timeline.queries.migrating.moving import UNSAID, Ahead, Move, moves
from apps.timeline.queries.migrating.states import (
    Boundary,
    Migrated,
    boundary,
    is_written,
    migrated,
    migrated_from,
    migration_trials,
    shown_under,
)

__all__ = [
    "UNSAID",
    "Ahead",
    "Boundary",
    "Migrated",
    "Move",
    "boundary",
    "is_written",
    "migrated",
    "migrated_from",
    "migration_trials",
    "moves",
    "shown_under",
]
