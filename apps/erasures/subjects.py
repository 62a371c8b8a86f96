"""Whom an erasure is about, and which histories are that person's.

The sessions of a person and all forks of them, whosever those are, and what is
remembered of the person and of these sessions.
"""

from __future__ import annotations

import hmac
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.accounts.models import Project
from apps.erasures.words import Kind
from apps.retention.models import LegalHold
from apps.retention.words import HoldKind
from apps.timeline.models import Session
from apps.timeline.operations import Document
from apps.timeline.querysets import SessionQuerySet

AT_ONCE = 500


@dataclass(frozen=True, kw_only=True, slots=True)
class Subject:
    """A person by your `user_id`, or one session."""

    project: Project
    kind: Kind
    value: str

    @property
    def user(self) -> str:
        """The person; empty where a session alone is meant."""
        return self.value if self.kind == Kind.USER else ""

    def asked(self, sessions: Sequence[str]) -> dict[str, object]:
        """Return the parameters of what apps keep of a person."""
        return {
            "project": self.project.id,
            "user": self.user,
            "sessions": list(sessions),
        }


def digest_of(salt: bytes, value: str) -> str:
    """Return what stands for a name in a certificate, in hex."""
    return hmac.digest(salt, value.encode(), "sha256").hex()


def ids_of(found: SessionQuerySet, limit: int | None = None) -> Iterator[str]:
    """Yield the ids of sessions and documents, page by page; so many at most."""
    last, left = "", limit
    while left is None or left > 0:
        size = AT_ONCE if left is None else min(AT_ONCE, left)
        after = found.filter(id__gt=last).order_by("id")
        page = list(after.values_list("id", flat=True)[:size])
        yield from page
        if len(page) < size:
            return
        last = page[-1]
        left = None if left is None else left - size


def sessions_of(
    subject: Subject, limit: int | None = None, *, known: Collection[str] = ()
) -> list[str]:
    """Return the ids of the sessions, and of their forks; so many at most.

    Those that are `known` may be gone: their forks are meant all the same.
    """
    mine = Session.objects.of_project(subject.project.id)
    first = mine.filter(id=subject.value)
    if subject.kind == Kind.USER:
        first = mine.filter(user_id=subject.value)
    found = dict.fromkeys(ids_of(first, limit) if subject.value else ())
    new = list(dict.fromkeys([*found, *known]))
    while new and (limit is None or len(found) < limit):
        forks = mine.filter(origin_session_id__in=new[:AT_ONCE])
        more = [id for id in ids_of(forks, limit) if id not in found]
        found.update(dict.fromkeys(more))
        new = new[AT_ONCE:] + more
    return list(found)[:limit]


def documents_of(subject: Subject, sessions: Sequence[str]) -> list[str]:
    """Return the documents of memories of the person and of these sessions."""
    owners = [("session", one) for one in sessions]
    if subject.user:
        owners.append(("user", subject.user))
    ids = [
        Document.of_memories(subject.project, scope, owner).id
        for scope, owner in owners
    ]
    there: list[str] = []
    for some in pieces(ids):
        there += ids_of(Session.with_documents.filter(id__in=some))
    return there


def pieces(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield so many ids as one statement takes, until all were."""
    for start in range(0, len(ids), AT_ONCE):
        yield ids[start : start + AT_ONCE]


def hold_on(
    subject: Subject, sessions: Sequence[str], *, now: datetime
) -> LegalHold | None:
    """Return a legal hold that keeps something of it, if there is one."""
    standing = LegalHold.objects.of_project(subject.project.id).standing(now)
    for hold in standing.order_by("id"):
        if _is_meant(hold, subject, sessions):
            return hold
    return None


def _is_meant(hold: LegalHold, subject: Subject, sessions: Sequence[str]) -> bool:
    if hold.kind == HoldKind.PROJECT:
        return True
    if hold.kind == HoldKind.SESSION:
        return hold.value in sessions
    among = Session.objects.of_project(subject.project.id)
    if hold.kind == HoldKind.USER:
        if hold.value == subject.user:
            return True
        among = among.filter(user_id=hold.value)
    else:
        among = among.filter(agent_id=hold.value)
    return any(list(ids_of(among.filter(id__in=some), 1)) for some in pieces(sessions))
