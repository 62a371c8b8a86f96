"""Which memories have a vector of the model that is used, as they stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from apps.meaning import embedding
from apps.meaning.models import Vector
from apps.memory.documents.contents import Content


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
        model=embedding.name(),
        data__isnull=False,
    )
    return frozenset(
        item
        for stream, item, number in found.values_list("stream_id", "item", "number")
        if numbers.get((stream, item)) == number
    )
