"""Ending browsers' sessions: one's own, and all ways in when a password changes."""

from datetime import datetime

from django.db import transaction
from django.db.models import F

from apps.accounts.errors import SessionEnded
from apps.accounts.models import BrowserSession, SigninLink, User
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core import sql
from apps.core.actors import Actor
from apps.core.provenance import Provenance

FORGOTTEN_AT_ONCE = 1_000
FORGET = """
WITH old AS MATERIALIZED (
    SELECT session_key FROM accounts_browsersession
     WHERE expire_date <= %(now)s
     LIMIT %(limit)s FOR UPDATE SKIP LOCKED)
DELETE FROM accounts_browsersession s USING old
 WHERE s.session_key = old.session_key
RETURNING 1
"""


@transaction.atomic
def end_sessions(*, act: Provenance, user: User) -> int:
    """Sign a user out everywhere; return in how many browsers they were signed in."""
    ended, _ = BrowserSession.objects.of_user(user.id).delete()
    _record(user, ended, act=act)
    return ended


@transaction.atomic
def end_session(*, act: Provenance, user: User, public_id: str) -> None:
    """Sign a user out in one browser.

    Raises: SessionEnded where there is no such session, or no longer.
    """
    mine = BrowserSession.objects.of_user(user.id)
    keys = [one.session_key for one in mine if one.public_id == public_id]
    ended, _ = mine.filter(session_key__in=keys).delete()
    if not ended:
        raise SessionEnded
    _record(user, 1, act=act)


def forget_sessions(*, actor: Actor, now: datetime) -> int:
    """Delete sessions whose time is over, some at a time; return how many.

    Nothing is recorded: they opened nothing any more.
    """
    forgotten = 0
    while True:
        asked = {"now": now, "limit": FORGOTTEN_AT_ONCE}
        found = len(sql.rows(FORGET, asked))
        forgotten += found
        if found < FORGOTTEN_AT_ONCE:
            return forgotten


def end_ways_in(user: User, *, now: datetime, keep_session: str | None = None) -> None:
    """End the user's sessions and open links, within an act that is recorded itself.

    A request that is under way with such a session cannot save it again: Django
    updates the row, and there is none. One that makes a session or a link makes it of
    the generation that it has read, which is over.
    """
    User.objects.filter(id=user.id).update(generation=F("generation") + 1)
    user.refresh_from_db(fields=["generation"])
    sessions = BrowserSession.objects.of_user(user.id)
    sessions.exclude(session_key=keep_session or "").delete()
    SigninLink.objects.open(now).filter(user_id=user.id).update(ended_at=now)


def _record(user: User, count: int, *, act: Provenance) -> None:
    audit.record_act(
        stream_id=audit.INSTALLATION,
        project_id=audit.INSTALLATION,
        action=Action.SESSIONS_ENDED,
        resource_type="user",
        resource_id=user.id,
        act=act,
        details={"username": user.username, "count": count},
    )
