"""Forget what one session taught, wherever it taught it.

A memory that came from that session alone is dropped; one that another source taught
as well stays, as the other one's. What it had replaced is believed again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256

from django.db import transaction

from apps.agents.acts import Act
from apps.audit.actions import Action
from apps.audit.streams import MemoryOperation
from apps.memory.documents.contents import Content
from apps.memory.documents.finding import read_entries
from apps.memory.documents.owners import (
    Finder,
    Owner,
    Place,
    visible_owner,
    visible_session,
)
from apps.memory.documents.storing import Kept, store
from apps.memory.documents.sureness import without
from apps.memory.models import Memory
from apps.memory.operations import recording
from apps.memory.operations.stepping import SHOWN, Change, SteppedBack
from apps.timeline import queries
from apps.timeline.errors import DocumentMoved, SessionNotFound
from apps.timeline.models import Session
from apps.timeline.operations import lock_document

# What one act forgets, of all owners together; more takes more acts.
MOST = 1_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Forgetting:
    """What an act forgot, or would, owner by owner; `has_more` says that more is left.

    The same act again goes on with that. `untraced` memories, that the session may have
    taught too, were said by more than are kept by name: whether by it nobody knows.
    """

    steps: Sequence[SteppedBack]
    has_more: bool
    untraced: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class _Forgotten:
    before: Kept
    after: Content


@dataclass(frozen=True, kw_only=True, slots=True)
class _Step:
    """What becomes of some of an owner's memories; `taken` the session taught."""

    forgotten: Sequence[_Forgotten]
    taken: int
    has_more: bool


def has_taught(*, act: Act, session_id: str) -> bool:
    """Say whether there is anything to forget of what a session taught."""
    mine = Memory.objects.of_project(act.project_id)
    return mine.taught_by(session_id, now=act.now).exists()


def preview_forgetting(*, act: Act, session_id: str) -> Forgetting:
    """Say what forgetting a session would do at once, and write nothing.

    Raises: SessionNotFound.
    """

    def look(owner: Owner, most: int) -> tuple[SteppedBack, _Step]:
        step = _step(owner, session_id, most, act.now)
        return _told(owner, _number(owner, act.now), step.forgotten), step

    return _forgetting(act, session_id, look)


def forget_session(
    *,
    act: Act,
    session_id: str,
    reasoning: str | None = None,
    seen: Mapping[str, str] | None = None,
) -> Forgetting:
    """Forget what a session taught, owner by owner; each is a transaction of its own.

    Repeated, it does what is left to do: at once it forgets `MOST`. `seen` has the
    effect that a preview showed by the document of each owner: another one is refused.

    Raises: SessionNotFound, AgentSuspended, AgentDeleted, DocumentHeld; DocumentMoved
    where it would do something else than was seen.
    """
    why = reasoning or f"Forgot what session {session_id} taught."

    def forget(owner: Owner, most: int) -> tuple[SteppedBack, _Step]:
        return _forget(act, owner, session_id, why, most, seen)

    if seen is not None:
        # Before anything is done, so that in most cases it is all or nothing.
        for step in preview_forgetting(act=act, session_id=session_id).steps:
            _require_seen(step, seen)
    return _forgetting(act, session_id, forget)


def _require_seen(step: SteppedBack, seen: Mapping[str, str] | None) -> None:
    if seen is not None and step.effect != seen.get(step.owner.document.id, ""):
        raise DocumentMoved(head=step.number)


def _forgetting(
    act: Act,
    session_id: str,
    do: Callable[[Owner, int], tuple[SteppedBack, _Step]],
) -> Forgetting:
    steps: list[SteppedBack] = []
    left, has_more = MOST, False
    for owner in _owners(act, session_id):
        has_more = not left
        if has_more:
            break
        shown, step = do(owner, left)
        steps.append(shown)
        left -= step.taken
        has_more = step.has_more
        if has_more:
            break
    untraced = _untraced(act, session_id)
    return Forgetting(steps=steps, has_more=has_more, untraced=untraced)


def _untraced(act: Act, session_id: str) -> int:
    """Count the memories of which it is not known whether the session taught them."""
    session = visible_session(act.scope, session_id, now=act.now)
    if session is None:
        return 0
    named = Place(session_id=session_id)
    owners = Finder(act.scope, named, act.now).to_read()
    rows = Memory.objects.of([one.document.id for one in owners])
    return len(rows.untraced(now=act.now).values_list("id")[: MOST + 1])


def _forget(
    act: Act,
    owner: Owner,
    session_id: str,
    why: str,
    most: int,
    seen: Mapping[str, str] | None,
) -> tuple[SteppedBack, _Step]:
    with transaction.atomic():
        about = recording.told_of_owner(MemoryOperation.FORGET, owner)
        standing = lock_document(act=act, document=owner.document, told=about)
        step = _step(owner, session_id, most, act.now)
        forgotten = step.forgotten
        shown = _told(owner, standing.number, forgotten)
        _require_seen(shown, seen)
        if not forgotten:
            return shown, step
        stored = store(
            act=_from_here(act, standing.number),
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
        return replace(shown, stored_number=stored[-1].number), step


def _from_here(act: Act, number: int) -> Act:
    """Return the act as one on this version of a document.

    What is left to forget says whether it is done, and not that it was sent before: the
    next step is the same request, and would be taken for its repetition.
    """
    digest = sha256((act.request.digest or b"") + number.to_bytes(8, "big")).digest()
    return replace(act, request=replace(act.request, key=None, digest=digest))


def _owners(act: Act, session_id: str) -> Iterator[Owner]:
    """Yield whose memories the session taught, in one order for all.

    Raises: SessionNotFound.
    """
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
    for name in list(names):
        owner = visible_owner(act.scope, *name, now=act.now)
        if owner is not None:
            yield owner


def _step(owner: Owner, session_id: str, most: int, now: datetime) -> _Step:
    """Return what becomes of the oldest memories that the session taught."""
    rows = Memory.objects.of([owner.document.id]).taught_by(session_id, now=now)
    ids = list(rows.order_by("id").values_list("id", flat=True)[: most + 1])
    has_more = len(ids) > most
    ids = ids[:most]
    kept = read_entries(owner.document, ids, now=now)
    found = [
        _Forgotten(before=one, after=without(one.content, session_id)) for one in kept
    ]
    gone = [one.after.id for one in found if one.after.status == "dropped"]
    return _Step(
        forgotten=[*found, *_replaced_by(owner, gone, now)],
        taken=len(ids),
        has_more=has_more,
    )


def _replaced_by(owner: Owner, gone: Sequence[str], now: datetime) -> list[_Forgotten]:
    """Return what was replaced by memories that are forgotten: it counts again."""
    rows = Memory.objects.of([owner.document.id]).filter(
        status="replaced", replaced_by__in=gone
    )
    ids = list(rows.exclude(id__in=gone).values_list("id", flat=True))
    return [
        _Forgotten(
            before=one,
            after=replace(
                one.content,
                status="proposed" if one.content.is_unsure else "believed",
                replaced_by=None,
            ),
        )
        for one in read_entries(owner.document, sorted(ids), now=now)
    ]


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
            Change(before=one.before.content, after=one.after)
            for one in forgotten[:SHOWN]
        ],
        effect=_effect(forgotten),
    )


def _effect(forgotten: Sequence[_Forgotten]) -> str:
    """Return a digest of what changes, and into what; of nothing it is empty."""
    lines = [
        f"{one.after.id} {one.before.ordinal} {one.after.status}\n" for one in forgotten
    ]
    return sha256("".join(lines).encode()).hexdigest() if lines else ""
