"""The end of a session's time: nobody's act, but told to whoever follows sessions."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.actors import Actor
from apps.core.provenance import unrequested
from apps.timeline.models import Open, Session

AT_ONCE = 200


def expire(*, actor: Actor, now: datetime) -> int:
    """Record the end of every session whose time is over; return how many there were.

    Reads and writes have refused them since that moment: this records it, and removes
    what was open in them. Sessions that another sweep has locked are left to it.
    """
    expired = 0
    while True:
        found = _some(actor, now)
        expired += found
        if found < AT_ONCE:
            return expired


@transaction.atomic
def _some(actor: Actor, now: datetime) -> int:
    due = Session.objects.over(now=now).select_for_update(no_key=True, skip_locked=True)
    found = list(due.order_by("expires_at")[:AT_ONCE])
    for session in found:
        audit.record(
            stream_id=session.id,
            project_id=session.project_id,
            action=Action.SESSION_EXPIRED,
            resource_type="session",
            resource_id=session.id,
            act=unrequested(actor, now),
            details={"ttl_seconds": session.ttl_seconds},
        )
        session.expired_at = now
        session.save(update_fields=["expired_at"])
    # No writer can add to them again: all take this lock, and see that it is over.
    Open.objects.filter(session_id__in=[session.id for session in found]).delete()
    return len(found)
