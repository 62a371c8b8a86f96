"""Who may read what masks cover, and the record of who does."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from threading import Lock

from django.db import transaction

from apps.accounts import covered
from apps.accounts.models import Membership, Project, Role, User
from apps.accounts.operations.members import locked_membership
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.errors import InvalidRequest
from apps.core.provenance import Provenance

# Who reads a session for an hour leaves one record of it, in each process that served
# them: who reads on does not fill the record.
MOST_REMEMBERED = 10_000
_noted: OrderedDict[tuple[str, str, str], datetime] = OrderedDict()
_lock = Lock()


@transaction.atomic
def allow_unmasked(
    *, act: Provenance, project: Project, user: User, is_allowed: bool
) -> Membership:
    """Let an operator read what the project's masks cover, or no longer.

    Raises: UserNotFound for a stranger; InvalidRequest where it is so already, and for
    whoever is no operator: administrators read everything, viewers nothing of it.
    """
    membership = locked_membership(project, user)
    if membership.role != Role.OPERATOR:
        raise InvalidRequest(
            "Operators alone may be allowed it: administrators read what masks cover,"
            " and viewers do not.",
            param="is_allowed",
        )
    if membership.reads_unmasked == is_allowed:
        does = "reads" if is_allowed else "does not read"
        raise InvalidRequest(f"{user.username} {does} it already.", param="is_allowed")
    membership.reads_unmasked = is_allowed
    membership.save(update_fields=["reads_unmasked"])
    audit.record_act(
        stream_id=project.id,
        project_id=project.id,
        action=Action.MEMBER_CHANGED,
        resource_type="member",
        resource_id=user.id,
        act=act,
        details={"username": user.username, "reads_unmasked": is_allowed}
        | covered.MEMBERSHIP.left(membership, project.index_key).details(),
    )
    return membership


def note_unmasked(*, act: Provenance, project: Project, session_id: str | None) -> bool:
    """Record that somebody reads what masks cover: of a session, or of the project.

    Once for each reader, session and hour, in each process. Say whether it did.
    """
    what = session_id or project.id
    hour = act.now.replace(minute=0, second=0, microsecond=0)
    reading = act.actor.id, project.id, what
    if not _is_first(reading, hour):
        return False
    with _forgotten_on_failure(reading), transaction.atomic():
        audit.record_act(
            stream_id=project.id,
            project_id=project.id,
            action=Action.UNMASKED_READ,
            resource_type="session" if session_id else "project",
            resource_id=what,
            act=act,
            details={},
        )
    return True


@contextmanager
def _forgotten_on_failure(reading: tuple[str, str, str]) -> Iterator[None]:
    try:
        yield
    except BaseException:
        with _lock:
            _noted.pop(reading, None)
        raise


def _is_first(reading: tuple[str, str, str], hour: datetime) -> bool:
    with _lock:
        if _noted.get(reading) == hour:
            return False
        _noted[reading] = hour
        _noted.move_to_end(reading)
        while len(_noted) > MOST_REMEMBERED:
            _noted.popitem(last=False)
        return True
