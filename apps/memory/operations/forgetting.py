"""Forget what one session taught, wherever it taught it.

A memory that came from that session alone is dropped; one that another source taught
as well stays, as the other one's. What it had replaced is believed again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction

from apps.agents.acts import Act
from apps.audit.actions import Action
from apps.audit.streams import MemoryOperation
from apps.memory.documents.contents import REINFORCEMENT, Content
from apps.memory.documents.finding import read_entries
from apps.memory.documents.owners import Owner, visible_owner
from apps.memory.documents.storing import Kept, store
from apps.memory.models import Memory
from apps.memory.operations import recording
from apps.memory.operations.stepping import Change, SteppedBack
from apps.timeline import queries
from apps.timeline.errors import RestoreTooLarge, SessionNotFound
from apps.timeline.models import Session
from apps.timeline.operations import lock_document

# What one act forgets.
MOST = 1_000


@dataclass(frozen=True, kw_only=True, slots=True)
class _Forgotten:
    before: Kept
    after: Content


def has_taught(*, act: Act, session_id: str) -> bool:
    """Say whether there is anything to forget of what a session taught."""
    mine = Memory.objects.of_project(act.project_id)
    return mine.taught_by(session_id, now=act.now).exists()


def preview_forgetting(*, act: Act, session_id: str) -> list[SteppedBack]:
    """Say what forgetting a session would do, and write nothing.

    Raises: SessionNotFound, RestoreTooLarge.
    """
    return [
        _told(owner, _number(owner, act.now), _forgotten(owner, session_id, act.now))
        for owner in _owners(act, session_id)
    ]


def forget_session(
    *, act: Act, session_id: str, reasoning: str | None = None
) -> list[SteppedBack]:
    """Forget what a session taught, owner by owner; each is a transaction of its own.

    Repeated, it does what is left to do.

    Raises: SessionNotFound, RestoreTooLarge, AgentSuspended, AgentDeleted,
    DocumentHeld, IdempotencyKeyReused.
    """
    why = reasoning or f"Forgot what session {session_id} taught."
    return [_forget(act, owner, session_id, why) for owner in _owners(act, session_id)]


def _forget(act: Act, owner: Owner, session_id: str, why: str) -> SteppedBack:
    with transaction.atomic():
        about = recording.told_of_owner(MemoryOperation.FORGET, owner)
        standing = lock_document(act=act, document=owner.document, told=about)
        forgotten = _forgotten(owner, session_id, act.now)
        shown = _told(owner, standing.number, forgotten)
        if not forgotten:
            return shown
        stored = store(
            act=act,
            owner=owner,
            contents=[one.after for one in forgotten],
            about=[
                recording.told(
                    MemoryOperation.FORGET,
                    one.after,
                    event=(
                        Action.MEMORY_DELETED
                        if one.after.status == "dropped"
                        else Action.MEMORY_UPDATED
                    ),
                    forgotten_session_id=session_id,
                )
                for one in forgotten
            ],
            reasoning=why,
        )
        return replace(shown, stored_number=stored[-1].number)


def _owners(act: Act, session_id: str) -> list[Owner]:
    """Return whose memories the session taught, in one order for all."""
    # Of a session that is over as well: what it taught may outlive it.
    session = (
        Session.objects.of_project(act.project_id)
        .of_agents(act.scope.agents)
        .filter(id=session_id)
        .first()
    )
    if session is None:
        raise SessionNotFound(param="from_session")
    mine = Memory.objects.of_project(act.project_id)
    taught = mine.taught_by(session_id, now=act.now)
    names = taught.order_by("scope", "owner").values_list("scope", "owner").distinct()
    found = [visible_owner(act.scope, *name, now=act.now) for name in names]
    return [one for one in found if one is not None]


def _forgotten(owner: Owner, session_id: str, now: datetime) -> list[_Forgotten]:
    """Return what becomes of each memory that the session taught."""
    rows = Memory.objects.of([owner.document.id]).taught_by(session_id, now=now)
    ids = list(rows.values_list("id", flat=True)[: MOST + 1])
    if len(ids) > MOST:
        raise RestoreTooLarge(most=MOST)
    kept = read_entries(owner.document, sorted(ids), now=now)
    found = [
        _Forgotten(before=one, after=without(one.content, session_id)) for one in kept
    ]
    gone = [one.after.id for one in found if one.after.status == "dropped"]
    return [*found, *_replaced_by(owner, gone, now)]


def _replaced_by(owner: Owner, gone: Sequence[str], now: datetime) -> list[_Forgotten]:
    """Return what was replaced by memories that are forgotten: it counts again."""
    rows = Memory.objects.of([owner.document.id]).filter(
        status="replaced", replaced_by__in=gone
    )
    ids = list(rows.exclude(id__in=gone).values_list("id", flat=True))
    return [
        _Forgotten(
            before=one,
            after=replace(one.content, status="believed", replaced_by=None),
        )
        for one in read_entries(owner.document, sorted(ids), now=now)
    ]


def without(content: Content, session_id: str) -> Content:
    """Return a memory as it is without what that session said."""
    others = [one for one in content.reinforcements if one.session_id != session_id]
    lost = len(content.reinforcements) - len(others)
    if content.source.session_id == session_id:
        if not others:
            return replace(
                content, status="dropped", reinforcements=(), reinforced=0, near=()
            )
        first, *others = others
        content, lost = replace(content, source=first), lost + 1
    doubt = (1 - content.confidence) / (1 - REINFORCEMENT) ** lost
    return replace(
        content,
        reinforcements=tuple(others),
        reinforced=max(content.reinforced - lost, 0),
        confidence=round(max(1 - doubt, 0.0), 4),
    )


def _number(owner: Owner, now: datetime) -> int:
    standing = queries.standing(owner.document.id, now=now)
    return 0 if standing is None else standing.number


def _told(owner: Owner, number: int, forgotten: Sequence[_Forgotten]) -> SteppedBack:
    return SteppedBack(
        owner=owner,
        number=number,
        target=None,
        count=len(forgotten),
        changes=[
            Change(before=one.before.content, after=one.after) for one in forgotten
        ],
    )
