"""What another model embedded is embedded anew by the worker, some of it a sweep.

Where the models come along: after an update of Stepback nobody has to know of it. To
an endpoint nothing is sent again unasked (`manage.py embed`). A process walks all
documents once, by their ids, and keeps no note of where it is: what has a vector of the
model is passed by, so the next process that begins anew loses nothing but that look.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from apps.core import sql
from apps.meaning import embedding, progress
from apps.meaning.embedding import Embedder
from apps.meaning.progress import Position
from apps.meaning.working.reading import readings
from apps.meaning.working.reconciling import complete, reconcile
from apps.timeline import queries

# Documents that are looked at together.
DOCUMENTS = 200

_NEXT = """
SELECT stream_id, model, number, key, stale_until, revision FROM meaning_stream
 WHERE stream_id > %(after)s AND model <> ''
 ORDER BY stream_id LIMIT %(most)s
"""


@dataclass(slots=True)
class _Walk:
    """Where a walk over all documents is; `of` are the models that it was begun for."""

    of: list[str]
    after: str = ""
    # Documents with vectors of another model, and how far the first of them is done.
    left: list[Position] = field(default_factory=list)
    key: str = ""
    is_over: bool = False


class Renewing:
    """One walk of this process; another one where the models are others."""

    def __init__(self) -> None:
        self._walk = _Walk([])

    def renew(self, *, now: datetime) -> int | None:
        """Embed some texts; None where nothing is left to do.

        Raises: EmbeddingFailed.
        """
        names = embedding.names()
        if self._walk.of != names:
            self._walk = _Walk(names)
        walk = self._walk
        # Not asked of a model: where nothing is to be embedded, none is loaded.
        if walk.is_over or not embedding.is_constant():
            return None
        if not walk.left:
            _look(walk)
            return 0
        at = progress.position(walk.left[0].stream_id)
        embedder = embedding.current(readings([at.stream_id])[at.stream_id])
        return _renewed(walk, at, embedder, now)


RENEWING = Renewing()


def _look(walk: _Walk) -> None:
    asked = {"after": walk.after, "most": DOCUMENTS}
    found = sql.records(Position, _NEXT, asked)
    if not found:
        walk.is_over = True
        return
    walk.after = found[-1].stream_id
    read = readings([one.stream_id for one in found])
    walk.left = [
        one
        for one in found
        if one.stale_until or one.model != embedding.name(read[one.stream_id])
    ]


def _renewed(walk: _Walk, at: Position, embedder: Embedder, now: datetime) -> int:
    if at.model != embedder.name:
        at = progress.adopt(at, embedder.name)
    rows = queries.entries(
        at.stream_id, after=walk.key, limit=embedder.at_once, now=now
    )
    if not rows:
        if at.model == embedder.name:
            complete(at.stream_id, embedder)
        walk.left, walk.key = walk.left[1:], ""
        return 0
    walk.key = rows[-1].key
    return reconcile(at, [row.key for row in rows], embedder, now=now) or 0
