"""Noting which histories an erasure has to remove, and which are under a legal hold."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from apps.erasures.models import Erasure, Target
from apps.erasures.subjects import Subject, documents_of, hold_on, sessions_of
from apps.timeline.hooks.histories import end_of

NO_VERSION = -1


@transaction.atomic
def look(erasure: Erasure, subject: Subject) -> int:
    """Note the histories that are not noted yet; return how many those were.

    What is noted stays meant, also where a fork's origin is gone by now.
    """
    known = set(Target.objects.of(erasure.id).values_list("history_id", flat=True))
    sessions = sessions_of(subject, known=known)
    owners = dict.fromkeys([*sessions, *(id for id in known if id.startswith("sess_"))])
    documents = documents_of(subject, list(owners))
    new = [(id, True) for id in sessions if id not in known]
    new += [(id, False) for id in documents if id not in known]
    for history_id, is_session in new:
        note(erasure, history_id, is_session=is_session)
    return len(new)


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
