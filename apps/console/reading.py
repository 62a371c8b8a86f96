"""What the console asks the store: as a person of the project, who sees everything.

Unlike agents, people also see sessions that expired or were deleted: that is evidence,
and stays. Nothing is decided here; whether somebody may look is for `accounts.access`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from apps.accounts.models import ApiKey, Project
from apps.agents.models import Agent
from apps.diffs.text import visible
from apps.timeline import listing
from apps.timeline.errors import SessionNotFound, VersionNotFound
from apps.timeline.models import Label, Session
from apps.timeline.querysets import SessionQuerySet
from apps.timeline.reading import VersionRow
from apps.timeline.words import Status

PAGE = 50
SHOWN_FORKS = 20
SUGGESTED_AGENTS = 100
SHOWN_OF_AGENT = 20

EXPIRED = "expired"
STATUSES = [*Status.values, EXPIRED]


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """Which sessions are asked for; an empty text leaves a clause out."""

    agent: str = ""
    user: str = ""
    status: str = ""

    def __bool__(self) -> bool:
        return bool(self.agent or self.user or self.status)


def sessions(
    project: Project, wanted: Wanted, *, after_id: str | None, now: datetime
) -> list[Session]:
    """Return a page of sessions and one more if there are more, newest first."""
    found = (
        Session.objects.of_project(project.id)
        .by(agent=wanted.agent or None, user=wanted.user or None)
        .newest_first(after_id=after_id)
        .defer("metadata", "metadata_index", "facets")
    )
    return list(_with_status(found, wanted.status, now)[: PAGE + 1])


def session(project: Project, session_id: str) -> Session:
    """Raises: SessionNotFound, also for a session of another project."""
    found = (
        Session.objects.of_project(project.id)
        .select_related("agent")
        .filter(id=session_id)
        .first()
    )
    if found is None:
        raise SessionNotFound("There is no such session in this project.")
    return found


def forks(session: Session) -> list[Session]:
    """Return the newest sessions that were forked from this one, and one more."""
    found = Session.objects.of_project(session.project_id).by(origin=session.id)
    return list(found.newest_first()[: SHOWN_FORKS + 1])


def agent_names(project: Project) -> list[str]:
    """Return agents to suggest in the filter: the newest whose names hide nothing."""
    found = Agent.objects.of_project(project.id).newest_first()
    names = found.values_list("external_id", flat=True)[:SUGGESTED_AGENTS]
    return [name for name in names if visible(name) == name]


def agents(
    project: Project, *, status: str | None, after_id: str | None
) -> list[Agent]:
    """Return a page of agents and one more if there are more, newest first."""
    found = Agent.objects.of_project(project.id).with_status(status)
    return list(found.older_than(after_id).newest_first()[: PAGE + 1])


def rows(sessions: Sequence[Session], now: datetime) -> list[tuple[Session, str]]:
    """Return sessions as lists show them: each with the status that people are told."""
    return [(session, status_of(session, now)) for session in sessions]


def versions(session: Session, *, after: int | None) -> list[VersionRow]:
    """Return a page of versions and the one before them, newest first."""
    return listing.versions_of(session.id, newest_first=True, after=after, limit=PAGE)


def version(session: Session, number: int) -> tuple[VersionRow, VersionRow | None]:
    """Return a version and the one before it.

    Raises: VersionNotFound.
    """
    found = listing.versions_of(
        session.id, newest_first=True, after=number + 1, limit=1
    )
    if not found or found[0].number != number:
        raise VersionNotFound(f"This session has no version {number}.")
    return found[0], found[1] if len(found) > 1 else None


def labels(session: Session, numbers: list[int]) -> dict[int, list[str]]:
    return Label.objects.of_session(session.id).by_number(numbers)


def status_of(session: Session, now: datetime) -> str:
    """Return the status that people are told; only time makes a session expired."""
    is_over = session.expires_at is not None and session.expires_at <= now
    return EXPIRED if is_over and session.status != Status.DELETED else session.status


def key_status(key: ApiKey, now: datetime) -> str:
    """Return what has become of a key."""
    if key.revoked_at is not None:
        return "revoked"
    return "active" if key.is_live(now) else EXPIRED


def _with_status(found: SessionQuerySet, status: str, now: datetime) -> SessionQuerySet:
    is_over = Q(expires_at__isnull=False, expires_at__lte=now)
    if not status:
        return found
    if status == EXPIRED:
        return found.filter(is_over).exclude(status=Status.DELETED)
    if status == Status.DELETED:
        return found.by(status=status)
    return found.by(status=status).exclude(is_over)
