"""Vectors of texts: from the model that comes along, or from an endpoint."""

from apps.meaning.embedding.choosing import current, missing, name
from apps.meaning.embedding.values import (
    LONGEST_TEXT,
    Embedder,
    EmbeddingFailed,
    TextsRefused,
)

__all__ = [
    "LONGEST_TEXT",
    "Embedder",
    "EmbeddingFailed",
    "TextsRefused",
    "current",
    "missing",
    "name",
]
