"""One session, its family and its versions, as a member of the project sees them."""

from apps.accounts.models import Membership, Project
from apps.console.queries.listing import PAGE
from apps.timeline.errors import SessionNotFound, VersionNotFound
from apps.timeline.models import Label, Review, Session
from apps.timeline.versions import (
    VersionRow,
    child_ids,
    parent_id,
    require_not_pruned,
    versions_of,
)
from apps.timeline.words import KNOWN_GOOD
from apps.watching.models import Watch

SHOWN_FORKS = 20


def has_session(project: Project, session_id: str) -> bool:
    return Session.objects.of_project(project.id).filter(id=session_id).exists()


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


def parent(session: Session) -> Session | None:
    """Return the session that this one's metadata names, if it is of the project."""
    named = parent_id(session)
    if named is None or named == session.id:
        return None
    return Session.objects.of_project(session.project_id).filter(id=named).first()


def children(session: Session) -> list[Session]:
    """Return the newest sessions that name this one their parent, and one more."""
    ids = child_ids(session.project_id, session.id, limit=SHOWN_FORKS + 1)
    mine = [one for one in ids if one != session.id]
    found = Session.objects.of_project(session.project_id).filter(id__in=mine)
    return list(found.newest_first()) if mine else []


def versions(session: Session, *, after: int | None) -> list[VersionRow]:
    """Return a page of versions and the one before them, newest first."""
    return versions_of(session.id, newest_first=True, after=after, limit=PAGE)


def version(session: Session, number: int) -> tuple[VersionRow, VersionRow | None]:
    """Return a version and the one before it; None where that is gone, or never was.

    Raises: VersionNotFound, VersionPruned.
    """
    found = versions_of(session.id, newest_first=True, after=number + 1, limit=1)
    if not found or found[0].number != number:
        require_not_pruned(session.id, number, session.head_number)
        raise VersionNotFound(f"This session has no version {number}.")
    version, *older = found
    return version, older[0] if older and older[0].number == number - 1 else None


def good_versions(session: Session) -> list[int]:
    """Return the newest versions that somebody called good."""
    labels = Label.objects.of_session(session.id)
    return labels.numbers_named(KNOWN_GOOD, most=SHOWN_FORKS)


def labels(session: Session, numbers: list[int]) -> dict[int, list[str]]:
    return Label.objects.of_session(session.id).by_number(numbers)


def review(session: Session) -> Review | None:
    """Return the review that counts, if anybody has reviewed the session."""
    if session.review is None:
        return None
    return Review.objects.of_session(session.id).newest()


def watch_of(membership: Membership, subject_id: str) -> Watch | None:
    """Return the member's own watch of a session or an agent."""
    own = Watch.objects.of_member(membership.project_id, membership.user_id)
    return own.of_subject(subject_id).first()
