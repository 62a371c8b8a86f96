"""The one lock of the timeline: a session's row."""

from apps.core import sql

_LOCK = sql.of_session("SELECT 1 FROM timeline_session WHERE id = %s FOR NO KEY UPDATE")


def lock_session(session_id: str) -> None:
    """Hold the session's row until the transaction ends: its writers take turns."""
    sql.rows(_LOCK, [session_id])
