"""Vectors of memories: which have one, and what a memory is stored with.

The worker embeds what is written. A new memory has been compared with what is known
already, by a vector that would be made again: it is stored with the memory, in its
transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from apps.core import sql
from apps.meaning import embedding
from apps.meaning.embedding import Reading
from apps.meaning.models import Vector
from apps.memory.documents.contents import Content

_OF_MEMORIES = """
SELECT d.id FROM unnest(%(documents)s::varchar[]) d (id)
 WHERE EXISTS (SELECT FROM memory_memory m WHERE m.document_id = d.id)
"""
# The worker, who comes by all the same, may have been there first.
_STORE = """
INSERT INTO meaning_vector (stream_id, item, model, number, data, scale)
VALUES (%(document)s, %(id)s, %(model)s, %(number)s, %(data)s, %(scale)s)
    ON CONFLICT (stream_id, item, model) DO NOTHING RETURNING 1
"""


class Standing(Protocol):
    """A memory at a version of its document."""

    @property
    def content(self) -> Content: ...
    @property
    def document_id(self) -> str: ...
    @property
    def number(self) -> int: ...


def embedded(memories: Sequence[Standing]) -> frozenset[str]:
    """Return the ids of those that the worker has embedded."""
    if not memories:
        return frozenset()
    numbers = {(one.document_id, one.content.id): one.number for one in memories}
    found = Vector.objects.filter(
        stream_id__in={one.document_id for one in memories},
        item__in={one.content.id for one in memories},
        model=embedding.name(Reading.SENTENCES),
        data__isnull=False,
    )
    return frozenset(
        item
        for stream, item, number in found.values_list("stream_id", "item", "number")
        if numbers.get((stream, item)) == number
    )


def store_vector(memory: Standing) -> bool:
    """Store the vector of a new memory, and say so, if this process has made it.

    Call it in the transaction that writes the memory: an erasure, which waits for that
    lock, then finds both.
    """
    content = memory.content
    row = embedding.known(content.content, Reading.SENTENCES)
    if row is None or not content.embeds:
        return False
    from apps.meaning.embedding.rows import packed

    vector = packed(row)
    if vector is None:
        return False
    data, scale = vector
    asked = {"document": memory.document_id, "id": content.id, "number": memory.number}
    model = {"model": embedding.name(Reading.SENTENCES)}
    sql.rows(_STORE, asked | model | {"data": data, "scale": scale})
    return True


def of_memories(documents: Collection[str]) -> set[str]:
    """Return those of the documents that hold memories."""
    asked = {"documents": sql.text_array(documents)}
    return {row.id for row in sql.rows(_OF_MEMORIES, asked)}
