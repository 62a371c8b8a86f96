"""States over HTTP: the head's, new ones, and the ways back to earlier ones."""

from apps.timeline.api.states.rollbacks import (
    RollbackView,
    StateRollbackView,
    UndoView,
)
from apps.timeline.api.states.views import (
    READ_ERRORS,
    SHOWN_AT,
    WRITE_ERRORS,
    StateView,
    StateWriteView,
    state_object,
)

__all__ = [
    "READ_ERRORS",
    "SHOWN_AT",
    "WRITE_ERRORS",
    "RollbackView",
    "StateRollbackView",
    "StateView",
    "StateWriteView",
    "UndoView",
    "state_object",
]
