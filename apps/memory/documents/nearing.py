"""Which memories say nearly the same: flagged, never merged.

Numbers, names and negations hardly change a vector, so what is near may well be the
opposite: a person, or the caller, decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from apps.meaning.embedding import EmbeddingFailed, Reading
from apps.meaning.fresh import Near as Neighbour
from apps.meaning.nearest import nearest
from apps.memory.documents.contents import Near
from apps.memory.documents.matching import standing_of
from apps.timeline.operations import Document

# From where on two texts may speak of the same thing.
LEAST_NEAR = 0.8
MOST_NEAR = 5
# Of the nearest: nearly all of them stand.
LOOKED_AT = 20


def near_texts(
    document: Document, text: str, *, now: datetime, besides: str = ""
) -> tuple[Near, ...]:
    """Return the nearest memories of a document; none where nothing can compare."""
    try:
        found = nearest(
            document.id, text, reading=Reading.SENTENCES, least=LEAST_NEAR, now=now
        )
    except EmbeddingFailed:
        return ()
    close = [one for one in found.found if one.key != besides]
    near = _standing(document, close[:LOOKED_AT], now)
    if len(near) < MOST_NEAR:
        near += _standing(document, close[LOOKED_AT:], now)
    return tuple(near[:MOST_NEAR])


def _standing(
    document: Document, close: Sequence[Neighbour], now: datetime
) -> list[Near]:
    """Return those of them that stand, nearest first."""
    standing = standing_of(document.id, [one.key for one in close], now=now)
    near = [
        Near(id=one.key, similarity=round(one.similarity, 4))
        for one in close
        if one.key in standing
    ]
    return sorted(near, key=lambda one: (-one.similarity, one.id))
