"""Read memories: one, a page of them, and what was done to one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from apps.agents.acts import Act
from apps.core.errors import InvalidRequest
from apps.memory.documents.contents import Content, content_in
from apps.memory.documents.finding import found, read_entries, read_rows, standing
from apps.memory.documents.owners import Finder, Owner, Place, living_sessions
from apps.memory.documents.storing import Kept
from apps.memory.models import Memory, MemoryScope, Status
from apps.timeline import queries
from apps.timeline.queries import PastEntry


@dataclass(frozen=True, kw_only=True, slots=True)
class ListAsked:
    """Which memories are listed: of whom, of one of these types, with one of these
    tags, in one of these statuses."""

    place: Place
    limit: int
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ("believed", "proposed")
    after_id: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """Memories, the newest first."""

    memories: Sequence[Kept]
    has_more: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class BrowseAsked:
    """Which memories of a whole project a person looks at; None is whatever it is."""

    limit: int
    scope: str | None = None
    owner: str | None = None
    statuses: tuple[str, ...] = ("believed", "proposed")
    taught_by: str | None = None
    after_id: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Browsed:
    """Memories of a project, the newest first; `last_id` is where the page ended."""

    memories: Sequence[Kept]
    has_more: bool
    last_id: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """A memory as it stands, None for a deleted one, and those it may conflict with."""

    kept: Kept | None
    others: Sequence[Kept]


@dataclass(frozen=True, kw_only=True, slots=True)
class History:
    """What was done to a memory, the newest first, and what it said then."""

    owner: Owner
    entries: Sequence[PastEntry]
    has_more: bool
    contents: Mapping[int, Content] = field(default_factory=dict)
    # What was pruned between these, or below the last of them.
    removed: Sequence[Mapping[str, Any]] = ()


def read(*, act: Act, memory_id: str) -> Kept:
    """Read one memory.

    Raises: MemoryNotFound.
    """
    owner, row = found(act, memory_id)
    return standing(owner.document, row.id, now=act.now)


def list_memories(*, act: Act, asked: ListAsked) -> Page:
    """List memories as `Finder.to_read` has them, the newest first.

    Raises: InvalidRequest, SessionNotFound, AgentNotFound.
    """
    for status in asked.statuses:
        if status not in Status.values or status == Status.REMOVED:
            raise InvalidRequest("There is no such status.", param="status")
    owners = Finder(act.scope, asked.place, act.now).to_read()
    rows = (
        Memory.objects.of(one.document.id for one in owners)
        .alive(now=act.now)
        .filter(status__in=asked.statuses)
        .narrowed(types=asked.types, tags=asked.tags)
        .newest_first(after_id=asked.after_id)
        .defer("words")[: asked.limit + 1]
    )
    page = list(rows)
    return Page(
        memories=read_rows(act.scope, page[: asked.limit], now=act.now),
        has_more=len(page) > asked.limit,
    )


def read_versions(
    *, act: Act, memory_id: str, before: int | None, limit: int
) -> History:
    """Read what was done to a memory, deleted or not, the newest first.

    Raises: MemoryNotFound.
    """
    owner, row = found(act, memory_id, removed=True)
    entries = queries.history(owner.document.id, row.id, before=before, limit=limit + 1)
    shown = entries[:limit]
    alive = [one for one in shown if one.expires_at is None or one.expires_at > act.now]
    there = [one for one in alive if not one.is_emptied]
    bodies = queries.contents(owner.document.id, there)
    return History(
        owner=owner,
        entries=shown,
        has_more=len(entries) > limit,
        contents={number: content_in(raw) for number, raw in bodies.items()},
        removed=queries.removed_of_key(
            owner.document.id, shown, next(iter(entries[limit:]), None)
        ),
    )


def browse(*, act: Act, asked: BrowseAsked) -> Browsed:
    """List memories of the project, whosever they are, the newest first.

    Those of sessions that are over are left out.
    """
    rows = (
        Memory.objects.of_project(act.project_id)
        .alive(now=act.now)
        .filter(status__in=asked.statuses)
    )
    if asked.scope is not None:
        rows = rows.filter(scope=asked.scope)
    if asked.owner is not None:
        rows = rows.filter(owner=asked.owner)
    if asked.taught_by is not None:
        rows = rows.filter(taught_by__contains=[asked.taught_by])
    listed = rows.newest_first(after_id=asked.after_id).defer("words")
    page = list(listed[: asked.limit + 1])
    shown = page[: asked.limit]
    return Browsed(
        memories=read_rows(act.scope, _of_living(act, shown), now=act.now),
        has_more=len(page) > asked.limit,
        last_id=shown[-1].id if shown else None,
    )


def look(*, act: Act, memory_id: str) -> Look:
    """Return a memory for a person who decides about it.

    Raises: MemoryNotFound.
    """
    owner, row = found(act, memory_id, removed=True)
    kept = read_entries(owner.document, [row.id], now=act.now)
    if not kept:
        return Look(kept=None, others=())
    near = [one.id for one in kept[0].content.near]
    others = read_entries(owner.document, near, now=act.now)
    nearest = sorted(others, key=lambda one: near.index(one.content.id))
    return Look(
        kept=kept[0], others=[one for one in nearest if one.content.is_standing]
    )


def _of_living(act: Act, rows: Sequence[Memory]) -> list[Memory]:
    named = {row.owner for row in rows if row.scope == MemoryScope.SESSION}
    living = living_sessions(act.scope, named, now=act.now)
    return [
        row for row in rows if row.scope != MemoryScope.SESSION or row.owner in living
    ]
