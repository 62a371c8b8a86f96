"""Decide about memories: of two that conflict, and of one that is proposed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.db import transaction

from apps.agents.acts import Act
from apps.audit.actions import Action
from apps.audit.streams import MemoryOperation
from apps.core.errors import InvalidRequest
from apps.core.ids import new_id
from apps.memory.documents.contents import Content
from apps.memory.documents.deciding import (
    DECIDED,
    MAKES_BELIEVED,
    OF_TWO,
    Decision,
    believed,
)
from apps.memory.documents.finding import found, standing
from apps.memory.documents.owners import Finder, Owner, Place
from apps.memory.documents.storing import Kept, store
from apps.memory.errors import MemoryNotFound
from apps.memory.models import MemoryScope
from apps.memory.operations import patches, recording
from apps.memory.operations.adding import near_of, remembered
from apps.memory.operations.changing import require_decider
from apps.timeline.errors import EntryChanged
from apps.timeline.operations import Told, lock_document


@dataclass(frozen=True, kw_only=True, slots=True)
class Resolution:
    """What was decided; `other_id` is the memory that it conflicts with.

    `expected` is the head of the session, as it was seen, to which a patch is written;
    `seen` are the versions, as they were seen, of the memory and of the other one; None
    is not asked.
    """

    decision: Decision
    other_id: str | None = None
    reasoning: str | None = None
    expected: int | None = None
    seen: Sequence[int | None] = ()


def resolve(
    *,
    act: Act,
    memory_id: str,
    resolution: Resolution,
    is_administrators: bool = False,
) -> list[Kept]:
    """Carry out a decision, and return the memories that it is about.

    What is so already makes no version. Of two the other one is, unless it is named,
    the nearest that was flagged. A proposed patch that is accepted is written to its
    session. `is_administrators` says whether the caller may do for the project what
    only administrators may.

    Raises: MemoryNotFound; EntryChanged where one says something else than was seen;
    InvalidRequest where there is no other one, or no user to promote it to;
    PermissionDenied where an agent's key would accept a proposal;
    AgentSuspended, AgentDeleted, DocumentHeld, IdempotencyKeyReused; of a patch what
    writing to the session raises.
    """
    owner, row = found(act, memory_id)
    kept = standing(owner.document, row.id, now=act.now)
    before = kept.content
    _require_fit(before, resolution)
    decider = _Decider(act=act, is_administrators=is_administrators)
    decider.require_for(before, resolution)
    if before.is_patch and resolution.decision is Decision.ACCEPT:
        # Sent again, it is answered as before.
        if before.taken_version is None:
            _require_seen([kept], resolution)
        taken = patches.accept(
            act=act,
            owner=owner,
            memory_id=row.id,
            expected=resolution.expected,
            reasoning=resolution.reasoning,
        )
        return [taken]
    if resolution.decision is Decision.PROMOTE:
        return _promoted(decider, owner, row.id, resolution)
    with transaction.atomic():
        return _resolved(decider, owner, row.id, resolution)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Decider:
    """Who decides, and may do so for as long as a memory is what was looked at."""

    act: Act
    is_administrators: bool

    def require_for(self, before: Content, resolution: Resolution) -> None:
        """Raises: PermissionDenied."""
        if resolution.decision in MAKES_BELIEVED:
            after = believed(before)
            require_decider(self.act, before, after, self.is_administrators)


def _require_fit(before: Content, resolution: Resolution) -> None:
    """Raises: InvalidRequest for a decision that this memory cannot have."""
    decision = resolution.decision
    if resolution.expected is not None and not (
        before.is_patch and decision is Decision.ACCEPT
    ):
        raise InvalidRequest(
            "This is for a proposed patch that is accepted.", param="expected_version"
        )
    if not before.is_patch:
        return
    if decision not in (Decision.ACCEPT, Decision.DROP):
        raise InvalidRequest(
            "A proposed patch is accepted or dropped.", param="decision"
        )
    if decision is Decision.DROP and before.taken_version is not None:
        raise InvalidRequest(
            f"It was written as version {before.taken_version} of its session: roll "
            "that back instead.",
            param="decision",
        )


def _resolved(
    decider: _Decider, owner: Owner, memory_id: str, resolution: Resolution
) -> list[Kept]:
    act = decider.act
    before = standing(owner.document, memory_id, now=act.now)
    about = recording.told(MemoryOperation.RESOLVE, before.content)
    lock_document(act=act, document=owner.document, told=about)
    shown = [standing(owner.document, memory_id, now=act.now)]
    # What it was taken for may have been forgotten meanwhile.
    decider.require_for(shown[0].content, resolution)
    if resolution.decision in OF_TWO:
        shown.append(_other(act, owner, shown[0].content, resolution))
    decided = DECIDED[resolution.decision]([one.content for one in shown])
    return _stored(act, owner, shown, decided, resolution)


def _stored(
    act: Act,
    owner: Owner,
    before: list[Kept],
    decided: list[Content],
    resolution: Resolution,
) -> list[Kept]:
    """Write those that are different, and return all."""
    changed = [
        after
        for one, after in zip(before, decided, strict=True)
        if after != one.content
    ]
    if not changed:
        return before
    _require_seen(before, resolution)
    stored = store(
        act=act,
        owner=owner,
        contents=changed,
        about=[_told(one, resolution) for one in changed],
        reasoning=resolution.reasoning,
    )
    by_id = {one.content.id: one for one in (*before, *stored)}
    return [by_id[one.content.id] for one in before]


def _require_seen(before: list[Kept], resolution: Resolution) -> None:
    """Refuse to decide about what nobody has looked at.

    Asked where something changes, so that a decision that is sent again is answered.

    Raises: EntryChanged.
    """
    named = ("memory_id", "other_id")
    for one, seen, param in zip(before, resolution.seen, named, strict=False):
        if seen is not None and one.ordinal != seen:
            raise EntryChanged(param=param, current=one.ordinal)


def _told(content: Content, resolution: Resolution) -> Told:
    gone = content.status in ("dropped", "replaced")
    return recording.told(
        MemoryOperation.RESOLVE,
        content,
        event=Action.MEMORY_DELETED if gone else Action.MEMORY_UPDATED,
        decision=resolution.decision.value,
    )


def _other(act: Act, owner: Owner, content: Content, resolution: Resolution) -> Kept:
    flagged = [one.id for one in content.near]
    other_id = resolution.other_id or next(iter(flagged), None)
    if other_id is None:
        raise InvalidRequest("Name the memory it conflicts with.", param="other_id")
    if other_id == content.id:
        raise InvalidRequest("A memory cannot be its own other.", param="other_id")
    try:
        other = standing(owner.document, other_id, now=act.now)
    except MemoryNotFound:
        raise MemoryNotFound(param="other_id") from None
    if other.content.is_patch:
        raise InvalidRequest("A proposed patch conflicts with none.", param="other_id")
    return other


def _promoted(
    decider: _Decider, owner: Owner, memory_id: str, resolution: Resolution
) -> list[Kept]:
    """Write a session's memory to its user's, and have it replaced by that.

    The session's is locked first, as by forgetting, which takes owners in the order of
    their scopes.
    """
    if owner.scope is not MemoryScope.SESSION:
        raise InvalidRequest("Only a session's memory is promoted.", param="decision")
    act = decider.act
    before = standing(owner.document, memory_id, now=act.now).content
    place = Place(session_id=owner.name, scope=MemoryScope.USER)
    finder = Finder(act.scope, place, act.now)
    user = finder.to_write()
    near = near_of(user, before, now=act.now)
    with transaction.atomic():
        about = recording.told(MemoryOperation.RESOLVE, before)
        lock_document(act=act, document=owner.document, told=about)
        mine = standing(owner.document, memory_id, now=act.now)
        decider.require_for(mine.content, resolution)
        own = _users(act, user, mine.content)
        added = remembered(act, finder, user, own, near, reasoning=resolution.reasoning)
        theirs = _made_believed(
            decider, user.acting_for(finder.agent), added.kept, resolution
        )
        gone = replace(
            mine.content, status="replaced", replaced_by=theirs.content.id, near=()
        )
        return [theirs, *_stored(act, owner, [mine], [gone], resolution)]


def _made_believed(
    decider: _Decider, user: Owner, theirs: Kept, resolution: Resolution
) -> Kept:
    """Have the user's memory believed, where somebody had made a proposal of it.

    Else nobody would believe what was promoted: the session's is replaced by it.
    """
    after = believed(theirs.content)
    require_decider(decider.act, theirs.content, after, decider.is_administrators)
    unseen = replace(resolution, seen=())
    (kept,) = _stored(decider.act, user, [theirs], [after], unseen)
    return kept


def _users(act: Act, user: Owner, content: Content) -> Content:
    """Return a session's memory as its user's."""
    return replace(
        believed(content),
        id=new_id("mem", now=act.now),
        scope=user.scope.value,
        owner=user.name,
        near=(),
        expires_at=None,
    )
