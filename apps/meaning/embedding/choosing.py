"""Which model makes the vectors: by the settings, loaded when it is first used."""

from __future__ import annotations

import threading
from functools import cache

from django.conf import settings

from apps.core.processes import unasked
from apps.meaning.embedding.values import Embedder, EmbeddingFailed

# What the model that comes along needs; an installation may have been made without.
PACKAGES = ("numpy", "tokenizers", "wordllama")
BUILT_IN = "wordllama-l2-supercat-256"
HOW_TO_ADD = (
    "The packages that search by meaning takes are missing: pip install -c "
    "constraints.txt -e . adds them."
)
_LOADING = threading.Lock()
_loaded: dict[tuple[object, ...], Embedder] = {}


def current() -> Embedder:
    """Return what makes vectors now; the first call loads it.

    Raises: EmbeddingFailed where it is not installed.
    """
    wanted = _wanted()
    with _LOADING:
        if wanted not in _loaded:
            _loaded[wanted] = _made()
        return _loaded[wanted]


def name() -> str:
    """Return the model's name, without loading it."""
    if settings.EMBEDDINGS_URL:
        return f"{settings.EMBEDDINGS_MODEL}@{settings.EMBEDDINGS_DIMENSIONS}"
    return BUILT_IN


@cache
def missing() -> str | None:
    """Return how to add what is not installed; None where nothing is missing."""
    wanted = PACKAGES[:1] if settings.EMBEDDINGS_URL else PACKAGES
    is_there = all(map(unasked.is_installed, wanted))
    return None if is_there else HOW_TO_ADD


def _wanted() -> tuple[object, ...]:
    return (
        settings.EMBEDDINGS_URL,
        settings.EMBEDDINGS_MODEL,
        settings.EMBEDDINGS_KEY,
        settings.EMBEDDINGS_DIMENSIONS,
        settings.EMBEDDINGS_NEAR,
        settings.EMBEDDINGS_PRIVATE,
    )


def _made() -> Embedder:
    told = missing()
    if told is not None:
        raise EmbeddingFailed(told)
    unasked.let_in("numpy")
    if settings.EMBEDDINGS_URL:
        from apps.meaning.embedding.endpoint import Endpoint

        return Endpoint(
            url=settings.EMBEDDINGS_URL,
            model=settings.EMBEDDINGS_MODEL,
            key=settings.EMBEDDINGS_KEY,
            dimensions=settings.EMBEDDINGS_DIMENSIONS,
            near=settings.EMBEDDINGS_NEAR / 100,
            is_private=settings.EMBEDDINGS_PRIVATE,
        )
    from apps.meaning.embedding.builtin import BuiltIn

    return BuiltIn()
