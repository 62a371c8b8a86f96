"""The sweep of the worker: embed what was written, wherever one before it ended.

Documents take turns, some keys each, so that one with a million to go holds up nobody.
Any number of workers may sweep at once: of two that embed the same one's is stored.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime

import structlog

from apps.core import sql
from apps.core.processes.easing import Ease
from apps.meaning import embedding, progress
from apps.meaning.embedding import Embedder, EmbeddingFailed
from apps.meaning.past import sweeping as past
from apps.meaning.progress import Position
from apps.meaning.working import failures, noticing
from apps.meaning.working.reading import readings
from apps.meaning.working.reconciling import reconcile
from apps.meaning.working.renewing import RENEWING

log = structlog.get_logger("stepback.meaning")

# Entries that are looked at together, and documents that take turns.
AT_ONCE = 256
DOCUMENTS = 20
SWEEP_SECONDS = 20.0
# What was embedded by another model comes last, and leaves room for what is written.
RENEW_SECONDS = 2.0

_RETRIES = """
SELECT stream_id, item FROM meaning_vector
 WHERE retry_at <= %(now)s AND model = %(model)s ORDER BY retry_at LIMIT %(most)s
"""


@dataclass(frozen=True, slots=True)
class Step:
    """What one step embedded, and whether the document has more to do."""

    embedded: int
    has_more: bool


def sweep(*, now: datetime, ease: Ease | None = None) -> int:
    """Embed what waits, for some seconds; return how many texts that were.

    With an `ease` it makes way for others between steps. A model that fails is left
    alone for a while, and what waits goes on waiting.
    """
    noticing.notice(now=now)
    model = embedding.name()
    before = failures.of(model)
    if embedding.missing() or (before is not None and before.is_resting(now)):
        return 0
    try:
        done = _swept(now, ease)
    except EmbeddingFailed as error:
        log.warning("texts could not be embedded", model=model, reason=str(error))
        failures.note(model, str(error), before, now=now)
        return 0
    if done:
        failures.end(before)
    return done


def step(at: Position, embedder: Embedder, *, now: datetime) -> Step:
    """Embed the next entries of a document.

    Raises: EmbeddingFailed.
    """
    if at.model != embedder.name:
        at = progress.adopt(at, embedder.name)
    entries = progress.touched(at, most=min(AT_ONCE, embedder.at_once))
    if not entries:
        progress.settle(at.stream_id)
        return Step(0, has_more=False)
    keys = list(dict.fromkeys(key for _, key in entries if key))
    embedded = reconcile(at, keys, embedder, now=now, to=entries[-1])
    return Step(embedded or 0, has_more=True)


def _swept(now: datetime, ease: Ease | None) -> int:
    began = time.monotonic()
    done = 0
    while (waiting := progress.due(DOCUMENTS)) and _is_early(began):
        read = readings([at.stream_id for at in waiting])
        for at in waiting:
            embedder = embedding.current(read[at.stream_id])
            done += step(at, embedder, now=now).embedded
            if ease is not None:
                ease.rest()
    done += past.sweep(now=now)
    done += _renewed(now, ease)
    return done + _retried(now) if _is_early(began) else done


def _renewed(now: datetime, ease: Ease | None) -> int:
    """Embed some of what another model has embedded."""
    began = time.monotonic()
    done = 0
    while _is_early(began, RENEW_SECONDS):
        renewed = RENEWING.renew(now=now)
        if renewed is None:
            break
        done += renewed
        if ease is not None:
            ease.rest()
    return done


def _retried(now: datetime) -> int:
    """Try again what the model had no vector for."""
    asked = {"now": now, "model": embedding.name(), "most": AT_ONCE}
    waiting: dict[str, list[str]] = {}
    for row in sql.rows(_RETRIES, asked):
        waiting.setdefault(row.stream_id, []).append(row.item)
    done = 0
    for document_id, keys in waiting.items():
        at = progress.position(document_id)
        done += reconcile(at, keys, embedding.current(), now=now) or 0
    return done


def _is_early(began: float, seconds: float = SWEEP_SECONDS) -> bool:
    return time.monotonic() - began < seconds
