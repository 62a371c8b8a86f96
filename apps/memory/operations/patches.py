"""Accept a patch that an agent has proposed: it becomes a version of its session.

It never is a belief. Accepted, it is marked as taken, with the version that it became.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from django.db import transaction

from apps.agents.acts import Act
from apps.audit.actions import Action
from apps.audit.streams import MemoryOperation
from apps.core import json
from apps.core.json import State
from apps.memory.documents.contents import Content
from apps.memory.documents.finding import standing
from apps.memory.documents.owners import Owner
from apps.memory.documents.storing import Kept, store
from apps.memory.operations import recording
from apps.timeline import operations as timeline
from apps.timeline.errors import held
from apps.timeline.operations import Expected, Step, lock_document
from apps.timeline.versions import head_of, parsed_state, state_bytes
from apps.timeline.words import Hold

MAX_REASON = 32_768


@dataclass(frozen=True, kw_only=True, slots=True)
class PatchPreview:
    """What accepting a patch would do to the head of its session, as it is now."""

    number: int
    hold: str
    before: State
    after: State
    n_bytes: int

    @property
    def is_held(self) -> bool:
        return self.hold != Hold.OPEN


def preview_patch(*, act: Act, content: Content) -> PatchPreview:
    """Say what accepting a proposed patch would change; nothing is written.

    Raises: SessionNotFound.
    """
    head = head_of(act.scope, content.owner, now=act.now)
    before = parsed_state(head)
    after = json.merged(before, patch_of(content), ())
    return PatchPreview(
        number=head.number,
        hold=str(head.hold),
        before=before,
        after=after,
        n_bytes=len(state_bytes(head)) + content.size,
    )


def patch_of(content: Content) -> State:
    """Return the patch that a memory proposes."""
    patch: Any = content.metadata["patch"]
    return dict(patch)


def accept(
    *,
    act: Act,
    owner: Owner,
    memory_id: str,
    expected: int | None,
    reasoning: str | None,
) -> Kept:
    """Write a proposed patch to its session as PATCH does, and mark it as taken.

    Both in one transaction, and once: accepted again it is answered as it is. Without
    an expected head it is written onto the one that stands now, and refused where
    another writer comes first.

    Raises: MemoryNotFound, SessionNotFound, SessionPaused, SessionClosed,
    VersionConflict, PayloadTooLarge, UnacceptableJson, AgentSuspended, AgentDeleted,
    DocumentHeld, IdempotencyKeyReused.
    """
    before = standing(owner.document, memory_id, now=act.now)
    if before.content.taken_version is not None:
        return before
    head = head_of(act.scope, owner.name, now=act.now)
    # A person may write to a paused session; an agent's patch waits with the agent.
    if head.hold != Hold.OPEN:
        raise held(head.hold, head.number)
    with transaction.atomic():
        number = _written(
            act,
            before,
            Expected(number=head.number if expected is None else expected),
            reasoning,
        )
        about = recording.told(MemoryOperation.RESOLVE, before.content)
        lock_document(act=act, document=owner.document, told=about)
        now = standing(owner.document, memory_id, now=act.now)
        if now.content.taken_version is not None:
            return now
        return _taken(act, owner, now.content, number, reasoning)


def _written(
    act: Act, proposal: Kept, expected: Expected, reasoning: str | None
) -> int:
    """Write the patch under a key of its own: of two that accept it one writes it.

    No client can send that key, which has a comma, and have it mean something else; and
    a proposal that was taken, stepped back to and accepted anew is written anew.
    """
    content = proposal.content
    key = f"proposal:{content.id},v{proposal.ordinal}"
    request = replace(act.request, key=key, digest=sha256(key.encode()).digest())
    why = f"Accepted the proposed patch {content.id}."
    said = f"{why} {reasoning}" if reasoning else why
    return timeline.update(
        act=replace(act, request=request),
        session_id=content.owner,
        patch=patch_of(content),
        step=Step(reasoning=said[:MAX_REASON]),
        expected=expected,
    ).number


def _taken(
    act: Act, owner: Owner, content: Content, number: int, reasoning: str | None
) -> Kept:
    after = replace(content, status="taken", taken_version=number, near=())
    about = recording.told(
        MemoryOperation.RESOLVE,
        after,
        event=Action.MEMORY_UPDATED,
        decision="accept",
        taken_version=number,
    )
    (kept,) = store(
        act=act, owner=owner, contents=[after], about=[about], reasoning=reasoning
    )
    return kept
