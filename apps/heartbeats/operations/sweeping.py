"""The sweep: look at what is due, and tell once of who is silent, and heard again.

A session is silent that wrote nothing, neither a version nor a turn, for as long as it
says. One that is paused, waits for people, or whose agent is suspended or deleted, may
not write or need not: it is expected again once that is over. What is closed, expired
or deleted is expected no more.

However late it comes, a sweep decides by when sessions wrote last: who wrote in the
meantime was never silent, and who is is told of once.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core import sql
from apps.core.actors import Actor
from apps.core.ids import new_id
from apps.core.provenance import Provenance, Request
from apps.heartbeats.models import Heartbeat
from apps.timeline.words import Hold, Op

AT_ONCE = 200
# In one sweep; the next one, a minute later, goes on.
MOST = 20_000
# How soon it is found that a silent session is heard again, at the latest.
LOOK = timedelta(seconds=60)
_NEWEST = sql.PreparedQuery(sql.of_session(sql.query("heartbeats", "newest")))


def sweep(*, actor: Actor, now: datetime) -> int:
    """Look at all that is due; return how many sessions were looked at."""
    looked = 0
    while looked < MOST:
        found = _some(actor, now)
        looked += found
        if found < AT_ONCE:
            break
    return looked


@transaction.atomic
def _some(actor: Actor, now: datetime) -> int:
    """Look at some: what is told, and that it was, are stored together."""
    due = list(Heartbeat.objects.due(now=now)[:AT_ONCE])
    if not due:
        return 0
    over = [one.session_id for one in due if not _look(one, actor, now)]
    Heartbeat.objects.bulk_update(due, ["due_at", "silent_since"])
    Heartbeat.objects.filter(session_id__in=over).delete()
    return len(due)


def _look(one: Heartbeat, actor: Actor, now: datetime) -> bool:
    """Say whether it is expected at all any more; what was found is told."""
    rows = sql.run_prepared(_NEWEST, {"session": one.session_id, "now": now})
    found = rows[0] if rows else None
    if found is None or found.is_over or found.hold in (Hold.CLOSED, Hold.DELETED):
        return False
    every = timedelta(seconds=one.every)
    if found.hold == Hold.PAUSED or found.op == Op.WAIT or found.is_suspended:
        one.due_at = now + min(every, LOOK)
        return True
    if found.wrote_at + every > now:
        if one.silent_since is not None:
            _tell(one, Action.SESSION_HEARD, found, actor, now)
            one.silent_since = None
        one.due_at = found.wrote_at + every
        return True
    since = max(found.wrote_at, found.activated_at or found.wrote_at)
    if one.silent_since is None and since + every > now:
        one.due_at = since + every
        return True
    if one.silent_since is None:
        one.silent_since = found.wrote_at
        _tell(one, Action.SESSION_SILENT, found, actor, now)
    one.due_at = now + min(every, LOOK)
    return True


def _tell(
    one: Heartbeat, action: Action, found: Any, actor: Actor, now: datetime
) -> None:
    audit.record(
        stream_id=one.session_id,
        project_id=one.project_id,
        action=action,
        resource_type="session",
        resource_id=one.session_id,
        number=found.number,
        act=Provenance(
            actor=actor, now=now, request=Request(id=new_id("req", now=now))
        ),
        details={
            "every": one.every,
            "silent_since": one.silent_since and one.silent_since.isoformat(),
            "wrote_at": found.wrote_at.isoformat(),
        },
    )
