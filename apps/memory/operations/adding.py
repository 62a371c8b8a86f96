"""Remember something: a new memory, or one more source of what is known already."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.db import transaction

from apps.agents.acts import Act
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.audit.streams import MemoryOperation
from apps.core import json
from apps.core.errors import ContentTooLarge, InvalidRequest
from apps.core.ids import new_id
from apps.meaning import embedding
from apps.meaning.embedding import Reading
from apps.memory.documents import contents
from apps.memory.documents.contents import Content, Near, Source
from apps.memory.documents.finding import standing
from apps.memory.documents.matching import standing_equal
from apps.memory.documents.nearing import near_texts
from apps.memory.documents.owners import Finder, Owner, Place
from apps.memory.documents.storing import Kept, store
from apps.memory.documents.sureness import reinforced_by, said_by, surer_by
from apps.memory.documents.vectors import store_vector
from apps.memory.operations import recording
from apps.timeline.errors import TurnNotFound, VersionNotFound
from apps.timeline.models import Turn
from apps.timeline.operations import hold_document


@dataclass(frozen=True, kw_only=True, slots=True)
class NewMemory:
    """What is to be remembered; `confidence` below 0.7 makes it a proposal."""

    content: str
    place: Place
    type: str = contents.DEFAULT_TYPE
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    confidence: float = 1.0
    embeds: bool = True
    # Where in the session it came from: the head by then, unless it is named.
    version: int | None = None
    turn_id: str | None = None
    expires_at: datetime | None = None
    reasoning: str | None = None
    external_id: str | None = None
    by: str = "api"

    def require(self, *, now: datetime) -> None:
        """Raises: InvalidRequest, ContentTooLarge."""
        contents.require_content(self.content)
        contents.require_name(self.type, contents.LONGEST_TYPE, param="type")
        require_tags(self.tags)
        require_metadata(self.metadata)
        require_confidence(self.confidence)
        require_to_come(self.expires_at, now=now)


@dataclass(frozen=True, kw_only=True, slots=True)
class Added:
    """The memory that says it now; `is_new` where none said it before.

    `is_embedded`: what is new was stored with its vector.
    """

    kept: Kept
    is_new: bool
    is_embedded: bool = False


def add(*, act: Act, new: NewMemory) -> Added:
    """Remember a text; equal text of the same owner is one memory, however often said.

    Texts that are only near it are named in `near`, and nothing is merged.

    Raises: InvalidRequest, ContentTooLarge, SessionNotFound, AgentNotFound,
    TurnNotFound, VersionNotFound, AgentSuspended, AgentDeleted, DocumentHeld,
    IdempotencyKeyReused.
    """
    new.require(now=act.now)
    # What is near is looked for by it, in a moment.
    embedding.begin(new.content, Reading.SENTENCES)
    finder = Finder(act.scope, new.place, act.now)
    owner = finder.to_write()
    if act.actor.is_agent and finder.agent is not None:
        finder.agent.require_writing()
    content = content_of(act, owner, new, source_of(finder, new))
    return remember(act, finder, owner, content, reasoning=new.reasoning)


def remember(
    act: Act,
    finder: Finder,
    owner: Owner,
    content: Content,
    *,
    reasoning: str | None = None,
) -> Added:
    """Write a memory that was looked at, unless the owner has its text already."""
    near = near_of(owner, content, now=act.now)
    with transaction.atomic():
        return remembered(act, finder, owner, content, near, reasoning=reasoning)


def near_of(owner: Owner, content: Content, *, now: datetime) -> tuple[Near, ...]:
    """Return what an owner has that is near; ask it before a lock is held."""
    if content.is_patch:
        return ()
    return near_texts(owner.document, content.content, now=now)


def remembered(
    act: Act,
    finder: Finder,
    owner: Owner,
    content: Content,
    near: tuple[Near, ...],
    *,
    reasoning: str | None = None,
) -> Added:
    """Lock an owner's memories, and write one as `remember` does."""
    # It begins as whose it is, whoever writes first.
    about = recording.told(MemoryOperation.ADD, content)
    hold_document(act=act, document=owner.document, told=about)
    acting = owner.acting_for(finder.agent)
    same = equal_text(owner, content, now=act.now)
    if same is not None:
        return _said_again(act, acting, same, content, reasoning)
    return _added(act, acting, replace(content, near=near), reasoning)


def equal_text(owner: Owner, content: Content, *, now: datetime) -> str | None:
    """Return the id of what this owner has that says the same; ask under the lock."""
    digest = content.digest(owner.document.project)
    return standing_equal(owner.document.id, digest, now=now)


def record_conflict(act: Act, content: Content, document_id: str) -> None:
    """Tell that a memory is near others, in the transaction that wrote it."""
    audit.record(
        stream_id=document_id,
        project_id=act.project_id,
        action=Action.MEMORY_CONFLICTED,
        resource_type=recording.MEMORY,
        resource_id=content.id,
        act=act,
        details=recording.facts_of(content)
        | {"near": [one.id for one in content.near]},
    )


def source_of(finder: Finder, new: NewMemory) -> Source:
    """Return where a text comes from: the session's head, or what is named of it.

    Raises: InvalidRequest where a turn is named and no session; TurnNotFound,
    VersionNotFound.
    """
    session = finder.session
    if session is None:
        if new.turn_id is not None or new.version is not None:
            name = "turn_id" if new.version is None else "version"
            raise InvalidRequest("This needs the session_id it is of.", param=name)
        return Source(by=new.by)
    version = session.head_number if new.version is None else new.version
    if version > session.head_number:
        raise VersionNotFound(param="version")
    if new.turn_id is not None:
        turn = Turn.objects.of_session(session.id).filter(id=new.turn_id).first()
        if turn is None:
            raise TurnNotFound(param="turn_id")
        version = turn.head_number if new.version is None else version
    return Source(
        session_id=session.id, version=version, turn_id=new.turn_id, by=new.by
    )


def require_tags(tags: tuple[str, ...]) -> None:
    """Raises: InvalidRequest."""
    if len(tags) > contents.MOST_TAGS:
        raise InvalidRequest(
            f"A memory has at most {contents.MOST_TAGS} tags.", param="tags"
        )
    for tag in tags:
        contents.require_name(tag, contents.LONGEST_TAG, param="tags")


def require_metadata(metadata: Mapping[str, Any]) -> None:
    """Raises: ContentTooLarge."""
    size = len(json.dumps(metadata))
    if size > contents.MAX_METADATA_BYTES:
        raise ContentTooLarge(
            f"The metadata has {size:,} bytes; at most "
            f"{contents.MAX_METADATA_BYTES:,} are kept.",
            param="metadata",
            size=size,
            limit=contents.MAX_METADATA_BYTES,
        )


def require_confidence(confidence: float) -> None:
    """Raises: InvalidRequest."""
    if not 0 <= confidence <= 1:
        raise InvalidRequest("confidence is from 0 to 1.", param="confidence")


def require_to_come(moment: datetime | None, *, now: datetime) -> None:
    """Refuse to let a memory end in the past: it is deleted by its own act.

    Raises: InvalidRequest.
    """
    if moment is not None and moment <= now:
        raise InvalidRequest("This moment is over.", param="expires_at")


def content_of(act: Act, owner: Owner, new: NewMemory, source: Source) -> Content:
    """Return what is to be kept of a new memory."""
    is_sure = new.confidence >= contents.LEAST_CONFIDENCE
    content = Content(
        id=new_id("mem", now=act.now),
        scope=owner.scope.value,
        owner=owner.name,
        content=new.content,
        created_at=act.now,
        type=new.type,
        tags=tuple(dict.fromkeys(new.tags)),
        metadata=new.metadata,
        confidence=new.confidence,
        status="believed" if is_sure else "proposed",
        embeds=new.embeds,
        external_id=new.external_id,
        expires_at=new.expires_at,
    )
    return said_by(content, source)


def _added(act: Act, owner: Owner, content: Content, reasoning: str | None) -> Added:
    about = recording.told(
        MemoryOperation.ADD,
        content,
        event=Action.MEMORY_CREATED,
        by=content.source.by,
    )
    (kept,) = store(
        act=act, owner=owner, contents=[content], about=[about], reasoning=reasoning
    )
    is_new = kept.content.id == content.id
    if is_new and content.near:
        record_conflict(act, content, owner.document.id)
    return Added(kept=kept, is_new=is_new, is_embedded=is_new and store_vector(kept))


def _said_again(
    act: Act, owner: Owner, memory_id: str, content: Content, reasoning: str | None
) -> Added:
    """Count another source of a memory; the same one again only says it surely."""
    before = standing(owner.document, memory_id, now=act.now)
    known = [before.content.source, *before.content.reinforcements]
    is_another = content.source.is_another_than(known)
    heard = reinforced_by if is_another else surer_by
    surer = heard(before.content, content.source, content.confidence)
    if surer == before.content:
        return Added(kept=before, is_new=False)
    about = recording.told(
        MemoryOperation.REINFORCE,
        surer,
        event=Action.MEMORY_UPDATED,
        reinforced=surer.reinforced,
        content_changed=False,
    )
    (kept,) = store(
        act=act, owner=owner, contents=[surer], about=[about], reasoning=reasoning
    )
    return Added(kept=kept, is_new=False)
