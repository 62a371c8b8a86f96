"""Import memories from another product's export: each once, the rest named.

One item that is none, or that is refused, holds up no other one.

An item's id is kept as `external_id`: an item that was imported before is not imported
again, so the same export can be sent as often as one likes. Texts are not compared by
meaning here: nothing is flagged.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.db import transaction

from apps.agents.acts import Act
from apps.audit.actions import Action
from apps.audit.streams import MemoryOperation
from apps.core.errors import DomainError, InvalidRequest
from apps.core.ids import new_id
from apps.memory.documents.contents import (
    LONGEST_NAME,
    Content,
    require_name,
)
from apps.memory.documents.owners import (
    Finder,
    Owner,
    Place,
    sessions_of_callers,
    visible_session,
)
from apps.memory.documents.storing import store
from apps.memory.models import Memory, MemoryScope
from apps.memory.operations import recording
from apps.memory.operations.adding import NewMemory, content_of, source_of
from apps.timeline.errors import SessionNotFound
from apps.timeline.models import SessionName
from apps.timeline.operations import lock_document

MOST_ITEMS = 1_000
IMPORTED, KNOWN, SAME, REFUSED = "imported", "known", "same", "refused"


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """A memory of an export, and whose it is there."""

    external_id: str
    content: str
    user_id: str | None = None
    agent_id: str | None = None
    run_id: str | None = None
    type: str | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    created_at: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class NoItem:
    """What stands in a list where a memory should, and why it is none."""

    external_id: str
    why: InvalidRequest


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What became of an item: imported, known by its id, the same as another text.

    `why` is what refused it.
    """

    place: int
    external_id: str
    result: str
    memory_id: str | None = None
    why: DomainError | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Ready:
    place: int
    item: Item
    owner: Owner
    content: Content


def import_memories(*, act: Act, items: Sequence[Item | NoItem]) -> list[Outcome]:
    """Import memories, and say in their order what became of each.

    A user's is the user's, an agent's the agent's; one that names a run alone is the
    session's of that id, ours or the caller's, if there is one. All of one owner go in
    together.

    Raises: InvalidRequest for too many; AgentSuspended, AgentDeleted, DocumentHeld,
    IdempotencyKeyReused.
    """
    if not 0 < len(items) <= MOST_ITEMS:
        raise InvalidRequest(
            f"An import has 1 to {MOST_ITEMS:,} memories; there are {len(items):,}.",
            param="memories",
        )
    outcomes = {
        place: Outcome(
            place=place, external_id=one.external_id, result=REFUSED, why=one.why
        )
        for place, one in enumerate(items)
        if isinstance(one, NoItem)
    }
    taken = {at: one for at, one in enumerate(items) if isinstance(one, Item)}
    ready = list(_ready(act, taken, outcomes))
    by_owner: dict[tuple[str, str], list[_Ready]] = {}
    for one in ready:
        by_owner.setdefault((one.owner.scope, one.owner.name), []).append(one)
    # Under an idempotency key it is one transaction: owners in the order of forgetting,
    # or the two would wait for each other.
    for owner in sorted(by_owner):
        for outcome in _imported(act, by_owner[owner]):
            outcomes[outcome.place] = outcome
    return [outcomes[place] for place in range(len(items))]


def _ready(
    act: Act, items: Mapping[int, Item], outcomes: dict[int, Outcome]
) -> Iterator[_Ready]:
    """Yield what can be imported; note the outcome of the rest."""
    known = _imported_before(act, items.values())
    runs = _sessions_of_runs(act, items.values())
    seen: dict[str, int] = {}
    for place, item in items.items():
        first = seen.setdefault(item.external_id, place)
        told: dict[str, Any] = {"place": place, "external_id": item.external_id}
        if item.external_id in known:
            memory_id = known[item.external_id]
            outcomes[place] = Outcome(result=KNOWN, memory_id=memory_id, **told)
        elif first != place:
            why = InvalidRequest(f"Item {first} has this id as well.", param="id")
            outcomes[place] = Outcome(result=REFUSED, why=why, **told)
        else:
            try:
                yield _looked_at(act, place, item, runs)
            except DomainError as error:
                outcomes[place] = Outcome(result=REFUSED, why=error, **told)


def _imported_before(act: Act, items: Iterable[Item]) -> dict[str, str]:
    """Return the memories of ids that were imported before, to whomever.

    What another agent has is unknown to a key that is not for it: nor does it keep that
    key's own item out.
    """
    rows = Memory.objects.of_project(act.project_id).filter(
        external_id__in=[item.external_id for item in items]
    )
    found = list(rows.only("document_id", "id", "external_id", "scope", "owner"))
    return {str(row.external_id): row.id for row in _of_callers(act, found)}


def _of_callers(act: Act, rows: Sequence[Memory]) -> list[Memory]:
    """Keep what is not another agent's, be its session over or not."""
    if act.scope.agents is None:
        return list(rows)
    named = {row.owner for row in rows if row.scope == MemoryScope.SESSION}
    mine: dict[str, Collection[str]] = {
        MemoryScope.SESSION: sessions_of_callers(act.scope, named),
        MemoryScope.AGENT: act.scope.agents,
    }
    return [row for row in rows if row.owner in mine.get(row.scope, {row.owner})]


def _sessions_of_runs(act: Act, items: Iterable[Item]) -> dict[str, str]:
    """Return the sessions that runs name by the caller's own id, seen or not."""
    named = {item.run_id for item in items if item.run_id is not None}
    found = SessionName.objects.filter(
        project_id=act.project_id, external_id__in=sorted(named)
    )
    return dict(found.values_list("external_id", "session_id"))


def _looked_at(act: Act, place: int, item: Item, runs: Mapping[str, str]) -> _Ready:
    require_name(item.external_id, LONGEST_NAME, param="id")
    finder = _finder(act, item, runs)
    if act.actor.is_agent and finder.agent is not None:
        finder.agent.require_writing()
    new = NewMemory(
        content=item.content,
        place=finder.place,
        type=item.type or "fact",
        tags=item.tags,
        metadata=item.metadata,
        external_id=item.external_id,
        by="import",
    )
    new.require(now=act.now)
    owner = finder.to_write()
    content = content_of(act, owner, new, source_of(finder, new))
    made_at = min(item.created_at or act.now, act.now)
    own_id = new_id("mem", now=made_at, sequence=place)
    content = replace(content, id=own_id, created_at=made_at)
    return _Ready(place=place, item=item, owner=owner, content=content)


def _finder(act: Act, item: Item, runs: Mapping[str, str]) -> Finder:
    """Return whose an item is; a run that is no session here is passed by.

    Raises: SessionNotFound where an item names nothing else.
    """
    scope = MemoryScope.SESSION
    if item.user_id is not None or item.agent_id is not None:
        scope = MemoryScope.AGENT if item.user_id is None else MemoryScope.USER
    elif item.run_id is None:
        scope = MemoryScope.PROJECT
    place = Place(
        scope=scope.value,
        session_id=_session_id(act, item, runs),
        user_id=item.user_id,
        agent_id=item.agent_id,
    )
    try:
        return Finder(act.scope, place, act.now)
    except SessionNotFound:
        if scope is MemoryScope.SESSION:
            raise
        return Finder(act.scope, replace(place, session_id=None), act.now)


def _session_id(act: Act, item: Item, runs: Mapping[str, str]) -> str | None:
    """Return the session of a run: by our id of it first, else by the caller's."""
    if item.run_id is None or item.run_id not in runs:
        return item.run_id
    ours = visible_session(act.scope, item.run_id, now=act.now)
    return runs[item.run_id] if ours is None else ours.id


def _imported(act: Act, ready: Sequence[_Ready]) -> Iterator[Outcome]:
    """Store what one owner does not have yet, in one transaction."""
    owner = ready[0].owner
    with transaction.atomic():
        about = recording.told_of_owner(MemoryOperation.IMPORT, owner)
        lock_document(act=act, document=owner.document, told=about)
        texts = _texts(act, owner, ready)
        fresh: list[_Ready] = []
        outcomes: list[Outcome] = []
        # Another import may have come first.
        known = _imported_before(act, [one.item for one in ready])
        for one in ready:
            outcome = _outcome(one, known, texts)
            outcomes.append(outcome)
            if outcome.result == IMPORTED:
                fresh.append(one)
        if fresh:
            store(
                act=act,
                owner=owner,
                contents=[one.content for one in fresh],
                about=[
                    recording.told(
                        MemoryOperation.IMPORT,
                        one.content,
                        event=Action.MEMORY_CREATED,
                        by="import",
                    )
                    for one in fresh
                ],
            )
    yield from outcomes


def _texts(act: Act, owner: Owner, ready: Sequence[_Ready]) -> dict[bytes, str]:
    """Return the memories that say the same as an item, by the digest of the text."""
    digests = [one.content.digest(act.project) for one in ready]
    said = Memory.objects.of([owner.document.id]).filter(digest__in=digests)
    rows = said.standing(now=act.now).order_by("-id").only("digest", "id")
    return {bytes(row.digest): row.id for row in rows}


def _outcome(one: _Ready, known: Mapping[str, str], texts: dict[bytes, str]) -> Outcome:
    told: dict[str, Any] = {"place": one.place, "external_id": one.item.external_id}
    if one.item.external_id in known:
        memory_id = known[one.item.external_id]
        return Outcome(result=KNOWN, memory_id=memory_id, **told)
    digest = one.content.digest(one.owner.document.project)
    if digest in texts:
        return Outcome(result=SAME, memory_id=texts[digest], **told)
    texts[digest] = one.content.id
    return Outcome(result=IMPORTED, memory_id=one.content.id, **told)
