"""Counting what would go, before anything does."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Any

from django.db import transaction

from apps.agents.acts import Act
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.ids import new_id
from apps.erasures.errors import UnacceptableErasure
from apps.erasures.models import Preview
from apps.erasures.subjects import Subject, documents_of, hold_on, sessions_of
from apps.erasures.words import Kind
from apps.timeline.errors import SessionNotFound
from apps.timeline.hooks.keeping import (
    count_leavings,
    leavings_of_erased_sessions,
    leavings_of_people,
    leavings_of_sessions,
)
from apps.timeline.models import Session
from apps.timeline.queries import sizes_of

LONGEST_USER = 255
# So many sessions are looked into; of more it is said that there are.
COUNTED = 100
LISTED = 10_000


@transaction.atomic
def preview(
    *, act: Act, user_id: str | None = None, session_id: str | None = None
) -> Preview:
    """Count what an erasure of a person, or of one session, would take.

    Raises: UnacceptableErasure, SessionNotFound.
    """
    subject = _subject(act, user_id, session_id)
    found = Preview.objects.create(
        id=new_id("eprv", now=act.now),
        project=act.project,
        kind=subject.kind,
        value=subject.value,
        counts=_counted(subject, act),
        asked_by_label=act.actor.label,
        created_at=act.now,
    )
    # Whose it is stands in no record, which outlives the person's data.
    audit.record_act(
        stream_id=act.project_id,
        project_id=act.project_id,
        action=Action.ERASURE_PREVIEWED,
        resource_type="erasure_preview",
        resource_id=found.id,
        act=act,
        details={"kind": subject.kind},
    )
    return found


def _subject(act: Act, user_id: str | None, session_id: str | None) -> Subject:
    if (user_id is None) == (session_id is None):
        raise UnacceptableErasure("Name user_id or session_id.", param="user_id")
    if user_id is not None:
        if not 1 <= len(user_id) <= LONGEST_USER or "\0" in user_id:
            raise UnacceptableErasure(
                f"user_id has 1 to {LONGEST_USER} characters.", param="user_id"
            )
        return Subject(project=act.project, kind=Kind.USER, value=user_id)
    mine = Session.objects.of_project(act.project_id)
    if not mine.filter(id=session_id).exists():
        raise SessionNotFound
    return Subject(project=act.project, kind=Kind.SESSION, value=session_id or "")


def _counted(subject: Subject, act: Act) -> dict[str, Any]:
    sessions = sessions_of(subject, LISTED + 1)
    documents = documents_of(subject, sessions[:LISTED])
    looked = [*sessions[:COUNTED], *documents[:COUNTED]]
    rows: Counter[str] = Counter()
    for one in looked:
        sizes = asdict(sizes_of(one))
        rows.update(sizes)
        asked = {"session": one, "project": subject.project.id}
        rows += count_leavings(leavings_of_sessions(), asked)
        rows += count_leavings(leavings_of_erased_sessions(), asked)
    rows += count_leavings(leavings_of_people(), subject.asked(looked))
    held = hold_on(subject, sessions[:LISTED], now=act.now)
    return {
        "sessions": min(len(sessions), LISTED),
        "has_more_sessions": len(sessions) > LISTED,
        "documents": len(documents),
        "complete": len(looked) == len(sessions) + len(documents),
        "bytes": rows.pop("bytes", 0),
        "rows": dict(sorted(rows.items())),
        "legal_hold": None if held is None else held.id,
    }
