"""Lists of sessions and agents, as members of their project see them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q

from apps.accounts.models import ApiKey, Project
from apps.agents.models import Agent
from apps.core import sql
from apps.diffs.text import visible
from apps.timeline.models import Session
from apps.timeline.querysets import SessionQuerySet
from apps.timeline.search import (
    AgentIs,
    Clause,
    CreatedBetween,
    ReviewedAs,
    StatusIs,
    UserIs,
)
from apps.timeline.words import Status

PAGE = 50
SUGGESTED_AGENTS = 100
SHOWN_OF_AGENT = 20

EXPIRED = "expired"
_COUNTED = sql.across("""
SELECT s.id, a.external_id AS agent, s.user_id, s.created_at, s.rollback_count,
       s.origin_session_id, s.review,
       CASE WHEN s.expires_at <= %(now)s AND s.status <> 'deleted'
            THEN 'expired' ELSE s.status END AS status
  FROM timeline_session s JOIN agents_agent a ON a.id = s.agent_id
 WHERE s.id = ANY (%(ids)s::varchar[])
 ORDER BY s.id DESC LIMIT %(limit)s
""")
STATUSES = [*Status.values, EXPIRED]


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionFilter:
    """Which sessions are asked for; an empty text leaves a clause out."""

    agent: str = ""
    user: str = ""
    status: str = ""

    def __bool__(self) -> bool:
        return bool(self.agent or self.user or self.status)


@dataclass(frozen=True, kw_only=True, slots=True)
class Why:
    """Why a session was found: the term, where it is met, and the way there.

    Without a version it is an id of the session, and `url` lists all that have it.
    """

    clause: str
    words: str
    version: int | None
    url: str
    # The place in that version's state, and where it is shown.
    pointer: str | None
    value_url: str | None
    # What was said there.
    quote: str | None = None
    # Whether this is where the thing that was looked for was changed last.
    is_deed: bool = False
    # Whether it is only said there, be it by whom it may.
    is_mention: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One session of the list."""

    session: Session
    status: str
    why: Sequence[Why] = ()


def has_sessions(project: Project) -> bool:
    """Whether a session was ever made in the project, deleted ones too."""
    return Session.objects.of_project(project.id).exists()


def sessions(
    project: Project, wanted: SessionFilter, *, after_id: str | None, now: datetime
) -> list[Session]:
    """Return a page of sessions and one more if there are more, newest first."""
    found = (
        Session.objects.of_project(project.id)
        .of_agent(project.id, wanted.agent or None)
        .by(user=wanted.user or None)
        .newest_first(after_id=after_id)
        .for_lists()
    )
    return list(_with_status(found, wanted.status, now)[: PAGE + 1])


def listed(
    project: Project,
    clauses: Sequence[Clause],
    *,
    oldest_first: bool,
    after_id: str | None,
    limit: int,
    now: datetime,
) -> list[Session]:
    """Return sessions that meet plain clauses, by when they began."""
    found = _of_clauses(project, clauses, now)
    ordered = (
        found.oldest_first(after_id=after_id)
        if oldest_first
        else found.newest_first(after_id=after_id)
    )
    return list(ordered.for_lists()[:limit])


def newest_ids(
    project: Project, clauses: Sequence[Clause], *, limit: int, now: datetime
) -> list[str]:
    """Return which sessions meet plain clauses, newest first; mostly of an index."""
    return listed_ids(project, clauses, oldest_first=False, limit=limit, now=now)


def listed_ids(
    project: Project,
    clauses: Sequence[Clause],
    *,
    oldest_first: bool,
    limit: int,
    now: datetime,
) -> list[str]:
    """Return which sessions meet plain clauses, by when they began."""
    found = _of_clauses(project, clauses, now).order_by("id" if oldest_first else "-id")
    return list(found.values_list("id", flat=True)[:limit])


def counted(session_ids: Sequence[str], now: datetime) -> list[Any]:
    """Return what is counted of sessions, with the status that people are told: rows.

    To make models of a thousand takes ten times as long.
    """
    ids = sql.text_array(session_ids)
    asked = {"ids": ids, "now": now, "limit": len(session_ids)}
    return sql.rows(_COUNTED, asked) if session_ids else []


def last_changed(
    project: Project,
    clauses: Sequence[Clause],
    *,
    among: Sequence[str],
    before: tuple[datetime, str] | None,
    limit: int,
    now: datetime,
) -> list[Session]:
    """Return those of some sessions that meet plain clauses, last changed first."""
    found = Session.objects.of_project(project.id).filter(id__in=among)
    for clause in clauses:
        found = _narrowed(project, found, clause, now)
    ordered = found.last_changed_first(before=before)
    return list(ordered.for_lists()[:limit])


def in_bulk(project: Project, session_ids: Sequence[str]) -> dict[str, Session]:
    """Return these sessions, with their agents, by id."""
    found = Session.objects.of_project(project.id).filter(id__in=session_ids)
    shown = found.newest_first().for_lists()
    return {session.id: session for session in shown}


def external_ids(session_ids: Sequence[str]) -> dict[str, str]:
    """Return the callers' own names of those sessions that have one, by id."""
    found = Session.objects.filter(id__in=session_ids, external_id__isnull=False)
    return dict(found.values_list("id", "external_id")[: len(session_ids)])


def agent_names(project: Project) -> list[str]:
    """Return agents to suggest in the filter: the newest whose names hide nothing."""
    found = Agent.objects.of_project(project.id).kept().newest_first()
    names = found.values_list("external_id", flat=True)[:SUGGESTED_AGENTS]
    return [name for name in names if visible(name) == name]


def agents(
    project: Project, *, asked: Mapping[str, str], after_id: str | None
) -> list[Agent]:
    """Return a page of agents and one more if there are more, newest first."""
    found = (
        Agent.objects.of_project(project.id)
        .with_status(asked.get("status"))
        .owned_by(asked.get("owner"))
        .of_team(asked.get("team"))
        .tagged([asked["tag"]] if "tag" in asked else [])
    )
    return list(found.older_than(after_id).newest_first()[: PAGE + 1])


def rows(sessions: Sequence[Session], now: datetime) -> list[Row]:
    """Return sessions as lists show them: each with the status that people are told."""
    return [Row(session=one, status=status_of(one, now)) for one in sessions]


def status_of(session: Session, now: datetime) -> str:
    """Return the status that people are told; only time makes a session expired."""
    is_over = session.expires_at is not None and session.expires_at <= now
    return EXPIRED if is_over and session.status != Status.DELETED else session.status


def key_status(key: ApiKey, now: datetime) -> str:
    """Return what has become of a key."""
    if key.revoked_at is not None:
        return "revoked"
    return "active" if key.is_live(now) else EXPIRED


def _of_clauses(
    project: Project, clauses: Sequence[Clause], now: datetime
) -> SessionQuerySet:
    found = Session.objects.of_project(project.id)
    for clause in clauses:
        found = _narrowed(project, found, clause, now)
    return found


def _narrowed(
    project: Project, found: SessionQuerySet, clause: Clause, now: datetime
) -> SessionQuerySet:
    match clause:
        case AgentIs(name=name):
            return found.of_agent(project.id, name)
        case UserIs(user_id=user_id):
            return found.by(user=user_id)
        case CreatedBetween(after=after, before=before):
            return found.created_between(after, before)
        case StatusIs(status=status):
            return _with_status(found, status, now)
        case ReviewedAs(review=review):
            return found.reviewed(review)
    raise TypeError(f"{clause} is no plain clause.")


def _with_status(found: SessionQuerySet, status: str, now: datetime) -> SessionQuerySet:
    is_over = Q(expires_at__isnull=False, expires_at__lte=now)
    if not status:
        return found
    if status == EXPIRED:
        return found.filter(is_over).exclude(status=Status.DELETED)
    if status == Status.DELETED:
        return found.by(status=status)
    return found.by(status=status).exclude(is_over)
