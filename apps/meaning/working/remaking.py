"""Make the vectors of documents anew: after a change of model, or from nothing.

Documents come by their ids, keys in their order, and what has a vector of the model is
passed by: so it may be stopped anywhere, and goes on where it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.db import transaction

from apps.core import sql
from apps.meaning import progress
from apps.meaning.embedding import Embedder
from apps.meaning.working.noticing import BEFORE, FIRST, note
from apps.meaning.working.reconciling import complete, reconcile
from apps.meaning.working.sweeping import AT_ONCE, step
from apps.timeline import queries

DOCUMENTS = 1_000

_DOCUMENTS = sql.across("""
SELECT id FROM timeline_session
 WHERE id > %(after)s AND id < %(before)s ORDER BY id LIMIT %(most)s
""")
_FORGET = "DELETE FROM meaning_vector WHERE stream_id = %s RETURNING 1"


def documents() -> Iterator[str]:
    """Yield the ids of all keyed documents."""
    after = FIRST
    while found := _documents(after):
        yield from found
        after = found[-1]


def remake(document_id: str, embedder: Embedder, *, now: datetime) -> int:
    """Embed all of a document that has no vector of this model; return how much.

    Raises: EmbeddingFailed; what was done by then stays.
    """
    note([document_id], now=now)
    done, has_more = 0, True
    while has_more:
        taken = step(progress.position(document_id), embedder, now=now)
        done, has_more = done + taken.embedded, taken.has_more
    if progress.position(document_id).stale_until:
        done += _walked(document_id, embedder, now)
        complete(document_id, embedder)
    return done


@transaction.atomic
def forget(document_id: str) -> None:
    """Remove all vectors of a document, which then has none at all."""
    progress.begin_again(document_id)
    sql.rows(_FORGET, [document_id])


def _walked(document_id: str, embedder: Embedder, now: datetime) -> int:
    done, after = 0, ""
    most = min(AT_ONCE, embedder.at_once)
    while rows := queries.entries(document_id, after=after, limit=most, now=now):
        keys = [row.key for row in rows]
        at = progress.position(document_id)
        done += reconcile(at, keys, embedder, now=now) or 0
        after = keys[-1]
    return done


def _documents(after: str) -> list[str]:
    asked = {"after": after, "before": BEFORE, "most": DOCUMENTS}
    return [row.id for row in sql.rows(_DOCUMENTS, asked)]
