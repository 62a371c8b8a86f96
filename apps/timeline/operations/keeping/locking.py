"""Hold the session that a removal is about."""

from __future__ import annotations

from apps.timeline.ledger.locking import lock_session
from apps.timeline.models import Session


def locked(session_id: str, *, with_documents: bool = False) -> Session | None:
    """Hold the session's row and return it; None where there is no such session."""
    lock_session(session_id)
    among = Session.with_documents if with_documents else Session.objects
    return among.filter(id=session_id).first()
