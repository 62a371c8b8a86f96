"""Find memories by their ids, and read what stands under them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from apps.agents.acts import Act
from apps.agents.scope import Scope
from apps.memory.documents.owners import Owner, visible_owner
from apps.memory.documents.storing import Kept, kept_of
from apps.memory.errors import MemoryNotFound
from apps.memory.models import Memory
from apps.timeline import queries
from apps.timeline.operations import Document


def found(act: Act, memory_id: str, *, removed: bool = False) -> tuple[Owner, Memory]:
    """Return whose memory this is, and its row; `removed` finds deleted ones too.

    Raises: MemoryNotFound also for one that the caller may not see.
    """
    rows = Memory.objects.of_project(act.project_id).filter(id=memory_id[:31])
    row = (rows if removed else rows.alive(now=act.now)).first()
    if row is None:
        raise MemoryNotFound
    owner = visible_owner(act.scope, row.scope, row.owner, now=act.now)
    if owner is None:
        raise MemoryNotFound
    return owner, row


def standing(document: Document, memory_id: str, *, now: datetime) -> Kept:
    """Return what stands under an id.

    Raises: MemoryNotFound.
    """
    kept = read_entries(document, [memory_id], now=now)
    if not kept:
        raise MemoryNotFound
    return kept[0]


def read_entries(
    document: Document, ids: Sequence[str], *, now: datetime
) -> list[Kept]:
    """Return the memories that stand under these ids, in no order."""
    return kept_of(document, queries.entries_named(document.id, list(ids), now=now))


def read_rows(scope: Scope, rows: Iterable[Memory], *, now: datetime) -> list[Kept]:
    """Return the memories of rows in their order; what is gone by now is left out."""
    rows = list(rows)
    by_document: dict[str, list[Memory]] = {}
    for row in rows:
        by_document.setdefault(row.document_id, []).append(row)
    kept: dict[str, Kept] = {}
    for some in by_document.values():
        document = Document.of_memories(scope.project, some[0].scope, some[0].owner)
        for one in read_entries(document, [row.id for row in some], now=now):
            kept[one.content.id] = one
    return [kept[row.id] for row in rows if row.id in kept]
