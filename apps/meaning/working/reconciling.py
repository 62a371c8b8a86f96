"""Bring the vectors of keys up to what stands under them.

Texts are embedded outside of any transaction; what comes of it is stored under the
lock of the document's position, and only for keys that still stand as they were read.
So a vector of what was removed, overwritten or has expired never stays behind, however
many workers and commands run, and wherever one is killed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from apps.core import sql
from apps.meaning import progress
from apps.meaning.embedding import Embedder, EmbeddingFailed, TextsRefused
from apps.meaning.progress import Position
from apps.meaning.texts import texts_of
from apps.timeline import queries
from apps.timeline.queries import EntryRow

# An endpoint may give a number for a text at another time; a model that comes along
# is always of one mind.
RETRY_AFTER = timedelta(hours=1)
SECONDS = 10.0
# Any endpoint takes it: one that does not refuses everything.
PLAIN_TEXT = "text"

_HAVE = """
SELECT item, number FROM meaning_vector
 WHERE stream_id = %(stream)s AND model = %(model)s AND item = ANY (%(keys)s::text[])
   AND (retry_at IS NULL OR retry_at > %(now)s)
"""
_STORE = """
INSERT INTO meaning_vector (stream_id, item, model, number, data, scale, retry_at)
SELECT %(stream)s::varchar, u.item, %(model)s::varchar, u.number, u.data, u.scale,
       u.retry_at
  FROM unnest(%(items)s::text[], %(numbers)s::bigint[], %(data)s::bytea[],
              %(scales)s::float8[], %(retries)s::timestamptz[])
    AS u (item, number, data, scale, retry_at)
    ON CONFLICT (stream_id, item, model) DO UPDATE
   SET number = excluded.number, data = excluded.data, scale = excluded.scale,
       retry_at = excluded.retry_at
RETURNING 1
"""
# Of every model: what is gone, and what another one made of an earlier text.
_REMOVE = """
DELETE FROM meaning_vector v
 USING unnest(%(keys)s::text[], %(numbers)s::bigint[]) u (item, number)
 WHERE v.stream_id = %(stream)s AND v.item = u.item
   AND v.number IS DISTINCT FROM u.number
RETURNING 1
"""

_FORGET_OTHERS = """
DELETE FROM meaning_vector WHERE stream_id = %s AND model <> %s RETURNING 1
"""


@dataclass(frozen=True, slots=True)
class _Embedded:
    """An entry and its vector; None: the model has none for it."""

    row: EntryRow
    vector: tuple[bytes, float] | None
    is_final: bool


def reconcile(
    at: Position,
    keys: Sequence[str],
    embedder: Embedder,
    *,
    now: datetime,
    to: tuple[int, str] | None = None,
) -> int | None:
    """Embed what stands under these keys, remove what does not; say how many.

    `to` is the position that is reached with them. None: somebody else was there
    first, and nothing was stored.

    Raises: EmbeddingFailed.
    """
    rows = queries.entries_named(at.stream_id, keys, now=now)
    asked = {"stream": at.stream_id, "model": embedder.name, "now": now}
    have = {
        row.item: row.number
        for row in sql.rows(_HAVE, asked | {"keys": sql.text_array(keys)})
    }
    missing = [row for row in rows if have.get(row.key) != row.number]
    embedded = _embedded(at.stream_id, missing, embedder)
    return _stored(at, keys, embedded, embedder, now=now, to=to)


@transaction.atomic
def complete(document_id: str, embedder: Embedder) -> None:
    """Say that all of a document has vectors of this model, and keep no others."""
    progress.complete(document_id)
    sql.rows(_FORGET_OTHERS, [document_id, embedder.name])


@transaction.atomic
def _stored(
    at: Position,
    keys: Sequence[str],
    embedded: Sequence[_Embedded],
    embedder: Embedder,
    *,
    now: datetime,
    to: tuple[int, str] | None,
) -> int | None:
    locked = progress.locked(at.stream_id)
    if locked is None or locked.model != embedder.name:
        return None
    if to is not None and (locked.number, locked.key) != (at.number, at.key):
        return None
    # What changes from here on is behind the position, and looked at again.
    rows = queries.entries_named(at.stream_id, keys, now=now)
    standing = {row.key: row.number for row in rows}
    kept = [one for one in embedded if standing.get(one.row.key) == one.row.number]
    if kept:
        sql.rows(_STORE, _columns(at.stream_id, kept, embedder, now))
    removed = _removed(at.stream_id, keys, standing)
    if to is not None:
        progress.advance(at, to)
    elif kept or removed:
        progress.changed(at.stream_id)
    return len(kept)


def _removed(document_id: str, keys: Sequence[str], standing: dict[str, int]) -> int:
    asked = {
        "stream": document_id,
        "keys": sql.text_array(keys),
        "numbers": [standing.get(key) for key in keys],
    }
    return len(sql.rows(_REMOVE, asked)) if keys else 0


def _columns(
    document_id: str, embedded: Sequence[_Embedded], embedder: Embedder, now: datetime
) -> dict[str, Any]:
    later = now + RETRY_AFTER
    return {
        "stream": document_id,
        "model": embedder.name,
        "items": sql.text_array(one.row.key for one in embedded),
        "numbers": [one.row.number for one in embedded],
        "data": [one.vector and one.vector[0] for one in embedded],
        "scales": [one.vector[1] if one.vector else 0.0 for one in embedded],
        "retries": [None if one.vector or one.is_final else later for one in embedded],
    }


def _embedded(
    document_id: str, rows: Sequence[EntryRow], embedder: Embedder
) -> list[_Embedded]:
    if not rows:
        return []
    from apps.meaning.embedding.rows import packed

    texts = texts_of(document_id, rows)
    said = [row for row in rows if row.key in texts]
    vectors = vectors_of([texts[row.key] for row in said], embedder)
    found = {row.key: packed(vector) for row, vector in zip(said, vectors, strict=True)}
    return [
        _Embedded(
            row=row,
            vector=found.get(row.key),
            # Without a text there will be none at another time either.
            is_final=row.key not in texts or embedder.is_constant,
        )
        for row in rows
    ]


def vectors_of(texts: Sequence[str], embedder: Embedder) -> list[Any]:
    """Return a vector for each text; one that is refused by itself has none."""
    if not texts:
        return []
    try:
        return list(embedder.embed(texts, seconds=SECONDS))
    except TextsRefused:
        _require_answering(embedder)
    return _one_by_one(texts, embedder)


def _require_answering(embedder: Embedder) -> None:
    """Raises: EmbeddingFailed where the endpoint refuses any text."""
    try:
        embedder.embed([PLAIN_TEXT], seconds=SECONDS)
    except TextsRefused as error:
        raise EmbeddingFailed(str(error)) from None


def _one_by_one(texts: Sequence[str], embedder: Embedder) -> list[Any]:
    """Halve what is refused until it is known which texts that are."""
    from apps.meaning.embedding.rows import nothing

    try:
        return list(embedder.embed(texts, seconds=SECONDS))
    except TextsRefused:
        if len(texts) == 1:
            return [nothing(embedder.dimensions)]
    half = len(texts) // 2
    first, second = texts[:half], texts[half:]
    return [*_one_by_one(first, embedder), *_one_by_one(second, embedder)]
