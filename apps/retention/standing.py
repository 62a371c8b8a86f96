"""Which legal hold a session stands under, asked before anything of it goes.

A removal asks under the session's lock and shares a lock of the project until it
commits; who sets a hold takes that lock alone. So after a hold was answered nothing
goes, not even what was being removed when it was asked for.
"""

from __future__ import annotations

from datetime import datetime

from django.db import connection
from django.utils import timezone

from apps.retention.models import LegalHold
from apps.retention.querysets import LegalHoldQuerySet
from apps.timeline.hooks.keeping import owner_of
from apps.timeline.models import Session
from apps.timeline.words import Kind

_SHARED = "SELECT pg_advisory_xact_lock_shared(hashtextextended(%s, 0))"
_ALONE = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"


def hold_on(session: Session, *, now: datetime) -> LegalHold | None:
    """Return the oldest legal hold that a session stands under, if there is one."""
    holds = LegalHold.objects.standing(now)
    meant = holds.about(
        session.project_id,
        session_id=session.id,
        user_id=session.user_id,
        agent_id=session.agent_id,
    )
    if session.kind == Kind.KEYED:
        meant |= _on_owner(holds, session)
    return meant.order_by("id").first()


def _on_owner(holds: LegalHoldQuerySet, document: Session) -> LegalHoldQuerySet:
    """Return what holds the session or the person that a document tells of."""
    session_id, user_id = owner_of(document.id)
    told = Session.objects.filter(id=session_id).first() if session_id else None
    return holds.about(
        document.project_id,
        session_id=session_id or document.id,
        user_id=user_id if told is None else told.user_id,
        agent_id=document.agent_id if told is None else told.agent_id,
    )


def wait_for_removals(project_id: str) -> None:
    """Wait until what is being removed in a project is done, and let nobody begin.

    Until the transaction ends.
    """
    _lock(_ALONE, project_id)


def hold_for_removal(session: Session) -> LegalHold | None:
    """As `hold_on`, for who is about to remove: none is set before that commits."""
    _lock(_SHARED, session.project_id)
    return hold_on(session, now=timezone.now())


def _lock(statement: str, project_id: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, [f"retention_legalhold:{project_id}"])
