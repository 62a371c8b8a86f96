"""Vectors of texts: from the models that come along, or from an endpoint."""

from apps.meaning.embedding.choosing import (
    Reading,
    begin,
    current,
    is_constant,
    known,
    lacking,
    missing,
    name,
    names,
)
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
    "Reading",
    "TextsRefused",
    "begin",
    "current",
    "is_constant",
    "known",
    "lacking",
    "missing",
    "name",
    "names",
]
