"""Store memories: their entries, and the rows that lists and searches read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F

from apps.agents.acts import Act
from apps.core import sql
from apps.memory.documents.contents import Content, content_in, words_of
from apps.memory.documents.owners import Owner
from apps.memory.models import Memory
from apps.timeline import queries
from apps.timeline.operations import Document, NewEntry, Told, write_entries
from apps.timeline.queries import EntryRow, PastEntry

_KEY = ("document_id", "id")
# All but the key.
_COLUMNS = [
    field.name for field in Memory._meta.concrete_fields if field.name not in _KEY
]
# Of one row: the ORM takes longer to write the statement than it takes to run.
_NOTE_ONE = f"""
INSERT INTO memory_memory ({", ".join((*_KEY, *_COLUMNS))})
VALUES ({", ".join(f"%({name})s" for name in (*_KEY, *_COLUMNS))})
    ON CONFLICT ({", ".join(_KEY)}) DO UPDATE
   SET {", ".join(f"{name} = excluded.{name}" for name in _COLUMNS)}
RETURNING 1
"""  # noqa: S608


@dataclass(frozen=True, kw_only=True, slots=True)
class Kept:
    """A memory as it stands, or as it stood at a version of its document."""

    content: Content
    document_id: str
    number: int
    ordinal: int
    updated_at: datetime


def store(
    *,
    act: Act,
    owner: Owner,
    contents: Sequence[Content],
    about: Sequence[Told],
    reasoning: str | None = None,
) -> list[Kept]:
    """Write memories of one owner, in the transaction that looked at them.

    What was stored by this very request before is returned as it was stored.

    Raises: what `write_entries` raises.
    """
    document = owner.document
    entries = [
        NewEntry(
            key=one.id,
            body=one.body(),
            size=one.size,
            told=said,
            expires_at=one.expires_at,
        )
        for one, said in zip(contents, about, strict=True)
    ]
    written = write_entries(
        act=act, document=document, entries=entries, reasoning=reasoning
    )
    if written.is_replay:
        rows = queries.entries_of(document.id, written.first_number, written.number)
        return kept_of(document, rows)
    kept = [
        Kept(
            content=one,
            document_id=document.id,
            number=written.first_number + place,
            ordinal=written.ordinals[place],
            updated_at=written.created_at or act.now,
        )
        for place, one in enumerate(contents)
    ]
    note(document, kept)
    return kept


def note(document: Document, kept: Sequence[Kept]) -> None:
    """Write the rows of memories as their entries left them."""
    if len(kept) == 1:
        row = row_of(document, kept[0])
        sql.rows(_NOTE_ONE, {name: getattr(row, name) for name in (*_KEY, *_COLUMNS)})
        return
    Memory.objects.bulk_create(
        [row_of(document, one) for one in kept],
        update_conflicts=True,
        unique_fields=list(_KEY),
        update_fields=_COLUMNS,
    )


def note_removed(
    document: Document, ids: Sequence[str], *, number: int, now: datetime
) -> None:
    """Mark memories whose entries are absent since this version."""
    Memory.objects.of([document.id]).filter(id__in=list(ids)).update(
        status="removed", number=number, ordinal=F("ordinal") + 1, updated_at=now
    )


def row_of(document: Document, kept: Kept) -> Memory:
    """Return what lists and searches read of a memory."""
    content = kept.content
    return Memory(
        document_id=document.id,
        id=content.id,
        project_id=document.project.id,
        scope=content.scope,
        owner=content.owner,
        type=content.type,
        tags=list(content.tags),
        confidence=content.confidence,
        status=content.status,
        near=[one.id for one in content.near],
        replaced_by=content.replaced_by,
        reinforced=content.reinforced,
        session_id=content.source.session_id,
        version=content.source.version,
        taught_by=content.taught_by,
        untraced=content.untraced,
        external_id=content.external_id,
        number=kept.number,
        ordinal=kept.ordinal,
        digest=content.digest(document.project),
        words=words_of(content.content),
        created_at=content.created_at,
        updated_at=kept.updated_at,
        expires_at=content.expires_at,
    )


def kept_of(document: Document, rows: Sequence[EntryRow | PastEntry]) -> list[Kept]:
    """Return memories as these entries left them; absent ones are left out."""
    bodies = queries.contents(document.id, rows)
    return [
        Kept(
            content=content_in(bodies[row.body_number]),
            document_id=document.id,
            number=row.number,
            ordinal=row.ordinal,
            updated_at=row.updated_at if isinstance(row, EntryRow) else row.created_at,
        )
        for row in rows
        if row.body_number is not None and row.body_number in bodies
    ]
