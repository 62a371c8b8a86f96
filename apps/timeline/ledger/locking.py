"""The one lock of the timeline: a session's row."""

from apps.core import sql
from apps.timeline.errors import SessionNotFound

_LOCK = sql.of_session("SELECT 1 FROM timeline_session WHERE id = %s FOR NO KEY UPDATE")


def lock_session(session_id: str) -> bool:
    """Hold the session's row until the transaction ends: its writers take turns.

    Return whether there is one: a removal may have taken it since it was read.
    """
    return bool(sql.rows(_LOCK, [session_id]))


def lock_existing(session_id: str) -> None:
    """Hold the session's row, for who writes beside its history.

    Raises: SessionNotFound.
    """
    if not lock_session(session_id):
        raise SessionNotFound
