"""Change a memory, or take it back; what it said before stays in its history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import transaction

from apps.agents.acts import Act
from apps.audit.actions import Action
from apps.audit.streams import MemoryOperation
from apps.core.errors import InvalidRequest, PermissionDenied
from apps.memory.documents import contents
from apps.memory.documents.contents import Content, Near, Source
from apps.memory.documents.finding import found, standing
from apps.memory.documents.nearing import near_texts
from apps.memory.documents.owners import Owner
from apps.memory.documents.storing import Kept, note_removed, store
from apps.memory.documents.sureness import said_by, settled_at
from apps.memory.errors import MemoryNotFound
from apps.memory.operations import recording
from apps.memory.operations.adding import (
    record_conflict,
    require_confidence,
    require_metadata,
    require_tags,
    require_to_come,
)
from apps.timeline.errors import EntryChanged, KeyNotFound
from apps.timeline.operations import lock_document, remove_key


@dataclass(frozen=True, kw_only=True, slots=True)
class Changes:
    """What is to be different; None is as it is. Metadata is merged or replaced."""

    content: str | None = None
    type: str | None = None
    tags: tuple[str, ...] | None = None
    metadata: Mapping[str, Any] | None = None
    merges: bool = True
    confidence: float | None = None
    embeds: bool | None = None
    expires_at: datetime | None = None
    # The version of the memory that the caller saw.
    expected: int | None = None
    reasoning: str | None = None

    def require(self, *, now: datetime) -> None:
        """Raises: InvalidRequest, ContentTooLarge."""
        if self.content is not None:
            contents.require_content(self.content)
        if self.type is not None:
            contents.require_name(self.type, contents.LONGEST_TYPE, param="type")
        if self.tags is not None:
            require_tags(self.tags)
        if self.confidence is not None:
            require_confidence(self.confidence)
        require_to_come(self.expires_at, now=now)

    def made_to(self, before: Content) -> Content:
        """Return the memory as it is with these changes.

        Raises: ContentTooLarge.
        """
        said: dict[str, Any] = {
            "content": self.content,
            "type": self.type,
            "tags": None if self.tags is None else tuple(dict.fromkeys(self.tags)),
            "metadata": self._metadata(before.metadata),
            "embeds": self.embeds,
            "expires_at": self.expires_at,
        }
        after = replace(
            before, **{name: one for name, one in said.items() if one is not None}
        )
        if self.confidence not in (None, before.confidence):
            after = settled_at(after, self.confidence)
        if self.confidence is not None and before.is_standing:
            is_sure = self.confidence >= contents.LEAST_CONFIDENCE
            after = replace(after, status="believed" if is_sure else "proposed")
        if after.content != before.content:
            # Who said it before said something else.
            after = replace(after, near=(), settled=None)
            after = replace(after, reinforced=0, reinforcements=())
            after = said_by(after, Source(by="update"))
        return after

    def _metadata(self, before: Mapping[str, Any]) -> Mapping[str, Any] | None:
        if self.metadata is None:
            return None
        after = {**before, **self.metadata} if self.merges else self.metadata
        require_metadata(after)
        return after


def update(
    *, act: Act, memory_id: str, changes: Changes, is_administrators: bool = False
) -> Kept:
    """Change a memory; what is the same already makes no version.

    `is_administrators` says whether the caller may do for the project what only
    administrators may.

    Raises: MemoryNotFound, EntryChanged, InvalidRequest, also for a proposed patch;
    ContentTooLarge, AgentSuspended, AgentDeleted, DocumentHeld, IdempotencyKeyReused;
    PermissionDenied where an agent's key would accept a proposal.
    """
    changes.require(now=act.now)
    owner, _ = found(act, memory_id)
    near: tuple[Near, ...] = ()
    if changes.content is not None:
        near = near_texts(
            owner.document, changes.content, now=act.now, besides=memory_id
        )
    with transaction.atomic():
        return _updated(act, owner, memory_id, changes, near, is_administrators)


def delete(*, act: Act, memory_id: str) -> None:
    """Take a memory back: it is absent from here on, and stays in its history.

    Raises: MemoryNotFound, AgentSuspended, AgentDeleted, DocumentHeld,
    IdempotencyKeyReused.
    """
    owner, row = found(act, memory_id)
    kept = standing(owner.document, row.id, now=act.now)
    about = recording.told(
        MemoryOperation.DELETE, kept.content, event=Action.MEMORY_DELETED
    )
    with transaction.atomic():
        try:
            written = remove_key(
                act=act, document=owner.document, key=row.id, told=about
            )
        except KeyNotFound:
            raise MemoryNotFound from None
        # Sent again, it was noted then: the memory may have been brought back since.
        if not written.is_replay:
            note_removed(owner.document, [row.id], number=written.number, now=act.now)


def require_decider(
    act: Act, before: Content, after: Content, is_administrators: bool
) -> None:
    """Refuse an agent's key that would make a proposal believed.

    Raises: PermissionDenied.
    """
    is_sure = after.status in ("believed", "taken") or not after.is_unsure
    if before.is_unsure and is_sure and act.actor.is_agent and not is_administrators:
        raise PermissionDenied(
            "A proposal is accepted by a person, or with an administrator's key.",
            required="admin",
        )


def _updated(
    act: Act,
    owner: Owner,
    memory_id: str,
    changes: Changes,
    near: tuple[Near, ...],
    is_administrators: bool,
) -> Kept:
    before = standing(owner.document, memory_id, now=act.now)
    about = recording.told(MemoryOperation.UPDATE, before.content)
    lock_document(act=act, document=owner.document, told=about)
    before = standing(owner.document, memory_id, now=act.now)
    if changes.expected not in (None, before.ordinal):
        raise EntryChanged(param="expected_version", current=before.ordinal)
    after = changes.made_to(before.content)
    is_said_anew = after.content != before.content.content
    if is_said_anew:
        after = replace(after, near=near)
    if after == before.content:
        return before
    if before.content.is_patch or after.is_patch:
        raise InvalidRequest("A proposed patch is accepted or dropped, not changed.")
    require_decider(act, before.content, after, is_administrators)
    about = recording.told(
        MemoryOperation.UPDATE,
        after,
        event=Action.MEMORY_UPDATED,
        content_changed=is_said_anew,
        tags_changed=after.tags != before.content.tags,
    )
    (kept,) = store(
        act=act,
        owner=owner,
        contents=[after],
        about=[about],
        reasoning=changes.reasoning,
    )
    if is_said_anew and near:
        record_conflict(act, after, owner.document.id)
    return kept
