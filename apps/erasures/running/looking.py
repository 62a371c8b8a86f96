"""Noting which histories an erasure has to remove, and which are under a legal hold."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from apps.erasures.models import Erasure, Target
from apps.erasures.running.holding import hold
from apps.erasures.subjects import Subject, documents_of, hold_on, sessions_of
from apps.timeline.queries import end_of

NO_VERSION = -1


@transaction.atomic
def look(erasure: Erasure, subject: Subject) -> int:
    """Note the histories that are not noted yet; return how many those were.

    What is noted stays meant, also where a fork's origin is gone by now.

    Raises: Over.
    """
    hold(erasure)
    targets = Target.objects.of(erasure.id)
    known = dict(targets.values_list("history_id", "is_gone"))
    sessions = sessions_of(subject, known=known)
    owners = dict.fromkeys([*sessions, *(id for id in known if id.startswith("sess_"))])
    documents = documents_of(subject, list(owners))
    # The memories of who was there once more have the same document: it goes again.
    back = [id for id in documents if known.get(id)]
    targets.filter(history_id__in=back).update(is_gone=False)
    new = [(id, True) for id in sessions if id not in known]
    new += [(id, False) for id in documents if id not in known]
    for history_id, is_session in new:
        note(erasure, history_id, is_session=is_session)
    return len(new) + len(back)


def note(erasure: Erasure, history_id: str, *, is_session: bool) -> None:
    """Note one history and where it ends."""
    number, chain = end_of(history_id) or (NO_VERSION, b"")
    Target.objects.create(
        erasure=erasure,
        history_id=history_id,
        is_session=is_session,
        number=number,
        chain=chain,
    )


def is_held(subject: Subject, history_ids: Sequence[str], *, now: datetime) -> bool:
    """Say whether a legal hold keeps any of these, or the person."""
    return hold_on(subject, history_ids, now=now) is not None
