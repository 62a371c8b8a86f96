"""Which model is meant for a document: as the app says whose it is."""

from __future__ import annotations

from collections.abc import Sequence

from apps.meaning import embedding
from apps.meaning.embedding import Embedder, Reading
from apps.meaning.hooks import SENTENCES


def readings(documents: Sequence[str]) -> dict[str, Reading]:
    """Return how the texts of each document are read."""
    found = dict.fromkeys(documents, Reading.WORDS)
    for ask in SENTENCES.values():
        found |= dict.fromkeys(ask(documents), Reading.SENTENCES)
    return found


def embedder_of(document_id: str) -> Embedder:
    """Return what embeds the texts of a document.

    Raises: EmbeddingFailed.
    """
    return embedding.current(readings([document_id])[document_id])
