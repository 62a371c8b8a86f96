"""Migrate a session's state to another schema, alone or behind a rollback."""

from apps.timeline.operations.migrating.appending import (
    Following,
    migrate,
    plainly_refused,
)

__all__ = ["Following", "migrate", "plainly_refused"]
