"""Export sessions: each up to the version that is its head when its turn comes.

Nothing is written to a session. What is done to an item is that its end and its size
are noted, so that the archive is bounded before anybody waits for it.
"""

from __future__ import annotations

from apps.plans.authority import seen_by
from apps.plans.cases.case import Case, Done, Reason, Sight, Task, takes_nothing
from apps.plans.models import Item
from apps.timeline.errors import SessionNotFound
from apps.timeline.versions import history_size

MEBIBYTE = 1 << 20
# Of the states of one session, and of all of an archive.
LARGEST_SESSION = 64 * MEBIBYTE
LARGEST_ARCHIVE = 512 * MEBIBYTE


def _look(sight: Sight) -> dict[str, Reason]:
    """Leave nothing out: what was deleted or has expired is evidence, and stays."""
    return {}


def _do(task: Task) -> Done | Reason:
    session = seen_by(task.act).filter(id=task.item.session_id).first()
    if session is None:
        raise SessionNotFound
    size = history_size(session.id, session.head_number)
    if size > LARGEST_SESSION:
        return Reason(
            "too_large",
            f"{size // MEBIBYTE} MiB of states, more than the "
            f"{LARGEST_SESSION // MEBIBYTE} of one session in an archive",
        )
    if Item.objects.of_plan(task.plan.id).exported_bytes() + size > LARGEST_ARCHIVE:
        return Reason(
            "archive_full",
            f"the archive is full: {LARGEST_ARCHIVE // MEBIBYTE} MiB of states",
        )
    return Done(number=session.head_number, size=size)


EXPORT = Case(
    kind="export",
    title="Export",
    asks="Export {sessions}",
    doing="Preparing {sessions}",
    did="{sessions} ready to download",
    look=_look,
    do=_do,
    read=takes_nothing,
    leaves_out=frozenset({"session_not_found"}),
)
