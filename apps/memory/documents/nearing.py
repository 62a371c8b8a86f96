"""Which memories say nearly the same: flagged, never merged.

Numbers, names and negations hardly change a vector, so what is near may well be the
opposite: a person, or the caller, decides.
"""

from __future__ import annotations

from datetime import datetime

from apps.meaning.embedding import EmbeddingFailed
from apps.meaning.nearest import nearest
from apps.memory.documents.contents import Near
from apps.memory.models import Memory
from apps.timeline.operations import Document

# From where on two texts may speak of the same thing.
LEAST_NEAR = 0.8
MOST_NEAR = 5


def near_texts(
    document: Document, text: str, *, now: datetime, besides: str = ""
) -> tuple[Near, ...]:
    """Return the nearest memories of a document; none where nothing can compare."""
    try:
        found = nearest(document.id, text, now=now).found
    except EmbeddingFailed:
        return ()
    close = {
        one.key: one.similarity
        for one in found
        if one.similarity >= LEAST_NEAR and one.key != besides
    }
    rows = Memory.objects.of([document.id]).standing(now=now).filter(id__in=list(close))
    near = [
        Near(id=row.id, similarity=round(close[row.id], 4))
        for row in (rows.only("document_id", "id") if close else ())
    ]
    return tuple(sorted(near, key=lambda one: (-one.similarity, one.id))[:MOST_NEAR])
