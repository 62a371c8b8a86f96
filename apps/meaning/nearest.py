"""The entries of a document whose texts are nearest to a question.

Exact over the newest vectors: every one is compared. What was written and is not
embedded yet is embedded with the question, as far as it is little; the answer says how
much was not looked at.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from apps.core import sql
from apps.core.admission import gate
from apps.meaning import embedding, progress
from apps.meaning.embedding import Embedder, EmbeddingFailed, Reading
from apps.meaning.fresh import Fresh, Near
from apps.meaning.progress import Position
from apps.timeline import queries

if TYPE_CHECKING:
    from apps.meaning.embedding.rows import Rows
    from apps.meaning.matrices import Matrix

# How long a question waits for an endpoint, and one that failed is left alone.
SECONDS = 3.0
REST_SECONDS = 15.0
# What waits for the worker and is embedded with the question: so many short texts.
WAITING = 64
# As many as are ever shown, with those that turn out to have expired.
MOST_NEAR = 300
MOST_COUNTED = 1_000
# What comparing takes, in rows a microsecond.
ROWS_A_UNIT = 5

_STALE = """
SELECT count(*) AS keys FROM (
    SELECT FROM meaning_vector o
     WHERE o.stream_id = %(stream)s AND o.model <> %(model)s
       AND o.item >= %(first)s::text AND o.item < %(before)s::text
       AND NOT EXISTS (
           SELECT FROM meaning_vector v
            WHERE v.stream_id = o.stream_id AND v.item = o.item
              AND v.model = %(model)s)
     LIMIT %(most)s) x
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Neighbours:
    """The nearest entries, nearest first, and how far was looked.

    `bare` are keys whose texts have no vector, `pending` counts those that wait for the
    worker and were not looked at, `stale` those that only another model has embedded,
    both to a limit. `is_truncated`: the scope has more vectors than are compared.
    """

    model: str
    found: Sequence[Near]
    bare: Sequence[str] = ()
    pending: int = 0
    stale: int = 0
    is_truncated: bool = False


class _Rest:
    """Leaves a model alone for a moment after it failed: nobody waits for it again."""

    def __init__(self) -> None:
        self._until: dict[str, tuple[float, str]] = {}
        self._lock = threading.Lock()

    def require_over(self, model: str) -> None:
        with self._lock:
            until, reason = self._until.get(model, (0.0, ""))
        if time.monotonic() < until:
            raise EmbeddingFailed(reason)

    def begin(self, model: str, reason: str) -> None:
        with self._lock:
            self._until[model] = (time.monotonic() + REST_SECONDS, reason)

    def end(self) -> None:
        with self._lock:
            self._until.clear()


REST = _Rest()


def nearest(
    document_id: str,
    question: str,
    *,
    prefix: str = "",
    among: Collection[str] | None = None,
    reading: Reading = Reading.WORDS,
    least: float = 0.0,
    most: int = MOST_NEAR,
    now: datetime,
) -> Neighbours:
    """Return the entries under keys that begin so by how near they are to a question.

    The nearest `most` that are as near as `least`. With `among`, only these keys;
    `pending` and `stale` count others as well.

    Raises: EmbeddingFailed where there is no vector of the question.
    """
    embedder = embedding.current(reading)
    at = progress.position(document_id)
    written, is_all = progress.waiting(at)
    asked = [
        one
        for one in written
        if one.startswith(prefix) and (among is None or one in among)
    ]
    fresh = Fresh(document_id, asked[:WAITING], embedder, now=now)
    matrix = _matrix(at, embedder, prefix)
    # Asked last: it may have been begun to be embedded.
    wanted, *others = asked_vectors(embedder, [question, *fresh.texts.values()])
    near = _of_matrix(
        matrix,
        wanted,
        embedder,
        passed_by=set(written),
        among=among,
        least=least,
        most=most,
    )
    near += [one for one in fresh.near(wanted, others) if one.similarity >= least]
    return Neighbours(
        model=embedder.name,
        found=sorted(near, key=lambda one: (-one.similarity, one.key))[:most],
        bare=[*set(matrix.bare).difference(written), *fresh.bare],
        pending=fresh.left + len(asked[WAITING:]) + (0 if is_all else 1),
        stale=_stale(at, embedder, prefix),
        is_truncated=matrix.is_truncated,
    )


def nearness(question: str, texts: Sequence[str]) -> list[float] | None:
    """Return how near each of a few texts is to a question; None without a model."""
    try:
        embedder = embedding.current()
        wanted, *others = asked_vectors(embedder, [question, *texts])
    except EmbeddingFailed:
        return None
    import numpy as np

    from apps.meaning.embedding.rows import shown

    similar = shown(np.stack(others) @ wanted, embedder.near)
    return [float(one) for one in np.nan_to_num(similar)]


def asked_vectors(embedder: Embedder, texts: Sequence[str]) -> list[Rows]:
    """Return the vectors of a question and of what is embedded with it.

    Raises: EmbeddingFailed, at once where the model has failed a moment ago.
    """
    import numpy as np

    REST.require_over(embedder.name)
    try:
        rows = list(embedder.embed(texts, seconds=SECONDS))
    except EmbeddingFailed as error:
        REST.begin(embedder.name, str(error))
        raise
    if np.isnan(rows[0]).any():
        raise EmbeddingFailed("The model has no vector for this question.")
    return rows


def _matrix(at: Position, embedder: Embedder, prefix: str) -> Matrix:
    """Return the vectors of the prefix; of a whole document, where that has few."""
    from apps.meaning.matrices import matrix_of

    whole = matrix_of(at, embedder, "")
    matrix = whole
    if prefix:
        matrix = (
            matrix_of(at, embedder, prefix)
            if whole.is_truncated
            else whole.below(prefix)
        )
    gate.spend(len(matrix.items) // ROWS_A_UNIT)
    return matrix


def _of_matrix(
    matrix: Matrix,
    wanted: Rows,
    embedder: Embedder,
    *,
    passed_by: set[str],
    among: Collection[str] | None,
    least: float,
    most: int,
) -> list[Near]:
    import numpy as np

    from apps.meaning.embedding.rows import shown
    from apps.meaning.matrices import nearest_places

    similar = shown(matrix.cosines(wanted), embedder.near)
    places = np.flatnonzero(similar >= least)
    if among is not None:
        asked = (at for at in places.tolist() if matrix.items[at] in among)
        places = np.fromiter(asked, np.intp)
    # Those that are passed by may be the nearest of all.
    order = nearest_places(similar, places, most + len(passed_by))
    return [
        Near(
            key=matrix.items[at],
            number=matrix.numbers[at],
            similarity=float(similar[at]),
        )
        for at in order
        if matrix.items[at] not in passed_by
    ]


def _stale(at: Position, embedder: Embedder, prefix: str) -> int:
    """Count what only another model has embedded."""
    if at.model == embedder.name and not at.stale_until:
        return 0
    asked = {
        "stream": at.stream_id,
        "model": embedder.name,
        "first": prefix,
        "before": queries.behind(prefix),
        "most": MOST_COUNTED,
    }
    return int(sql.rows(_STALE, asked)[0].keys)
