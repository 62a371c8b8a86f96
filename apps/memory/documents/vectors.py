"""Which memories have a vector of the model that is used, as they stand."""

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


def of_memories(documents: Collection[str]) -> set[str]:
    """Return those of the documents that hold memories."""
    asked = {"documents": sql.text_array(documents)}
    return {row.id for row in sql.rows(_OF_MEMORIES, asked)}
