"""The vectors of a document in one block, kept while nothing about them changes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from apps.core import sql
from apps.meaning.embedding import Embedder
from apps.meaning.embedding.rows import Rows
from apps.meaning.progress import Position
from apps.timeline.queries import behind

# The newest vectors of a scope; of more it is said that they were left out.
MOST_VECTORS = 20_000
CACHE_BYTES = 32 * 1024 * 1024
# Rows that become floats together: what that takes stays in the processor's cache.
BLOCK = 1_000
# What a row takes beside its numbers: its key, and Python's part of it.
ROW_BYTES = 160

# Aggregated, because so many rows take five times as long to send and to read. A mark
# tells rows apart by key and version, and by whether they have a vector.
_ROWS = """
SELECT array_agg(v.item) FILTER (WHERE v.data IS NOT NULL) AS items,
       array_agg(v.number) FILTER (WHERE v.data IS NOT NULL) AS numbers,
       array_agg(v.scale) FILTER (WHERE v.data IS NOT NULL) AS scales,
       array_agg(v.mark) FILTER (WHERE v.data IS NOT NULL) AS marks,
       string_agg(v.data, ''::bytea) AS data,
       array_agg(v.item) FILTER (WHERE v.data IS NULL) AS bare, count(*) AS found
  FROM (SELECT item, number, scale, data, {mark} AS mark {scope}{newer}
         ORDER BY number DESC, item LIMIT %(most)s) v
"""
_MARK = "hashtextextended(item, number * 2 + (data IS NULL)::integer)"
_SCOPE = """FROM meaning_vector
         WHERE stream_id = %(stream)s AND model = %(model)s
           AND item >= %(first)s::text AND item < %(before)s::text"""
_LOAD = _ROWS.format(mark=_MARK, scope=_SCOPE, newer="")
# One statement, so that all of it is of one moment.
_GROWN = f"""
SELECT n.*, w.all_found, w.seal FROM ({
    _ROWS.format(mark=_MARK, scope=_SCOPE, newer=" AND number > %(after)s")
}) n CROSS JOIN (
SELECT count(*) AS all_found, bit_xor({_MARK}) AS seal {_SCOPE}) w
"""  # noqa: S608
Marks = np.ndarray[Any, np.dtype[np.int64]]
Places = np.ndarray[Any, np.dtype[np.intp]]
NO_MARKS: Marks = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """Keys with their vectors, the newest first; `bare` are keys that have none."""

    items: list[str]
    numbers: list[int]
    scales: Rows
    data: np.ndarray[Any, np.dtype[np.int8]]
    bare: list[str]
    is_truncated: bool
    # Of each row; none where nobody asks what has become of it since.
    marks: Marks = field(default_factory=lambda: NO_MARKS)

    @property
    def bytes(self) -> int:
        return self.data.nbytes + ROW_BYTES * len(self.items)

    def below(self, prefix: str) -> Matrix:
        """Return the rows of keys that begin so."""
        bare = [one for one in self.bare if one.startswith(prefix)]
        at = [n for n, one in enumerate(self.items) if one.startswith(prefix)]
        return replace(self._rows(at), bare=bare)

    def with_newer(self, newer: Matrix) -> Matrix:
        """Return the rows behind newer ones, without those of their keys."""
        changed, stay = set(newer.items), self
        # Most often all are new: 10,000 rows need not be chosen one by one.
        if not changed.isdisjoint(self.items):
            at = [n for n, one in enumerate(self.items) if one not in changed]
            stay = self._rows(at)
        return Matrix(
            items=newer.items + stay.items,
            numbers=newer.numbers + stay.numbers,
            scales=np.concatenate((newer.scales, stay.scales)),
            data=np.concatenate((newer.data, stay.data)),
            bare=[],
            is_truncated=False,
            marks=np.concatenate((newer.marks, stay.marks)),
        )

    def _rows(self, at: list[int]) -> Matrix:
        return replace(
            self,
            items=[self.items[n] for n in at],
            numbers=[self.numbers[n] for n in at],
            scales=self.scales[at],
            data=self.data[at],
            marks=self.marks[at],
        )

    def cosines(self, wanted: Rows) -> Rows:
        """Return how near each row is to a row of length one."""
        near = np.empty(len(self.items), np.float32)
        for at in range(0, len(near), BLOCK):
            rows = self.data[at : at + BLOCK].astype(np.float32)
            near[at : at + BLOCK] = rows @ wanted
        found: Rows = near * self.scales
        return found


class Cache:
    """Matrices of this process, the least recently used dropped first."""

    def __init__(self, most: int = CACHE_BYTES) -> None:
        self._most = most
        self._bytes = 0
        self._kept: OrderedDict[tuple[str, ...], tuple[int, Matrix]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[str, ...]) -> tuple[int, Matrix] | None:
        """Return what is kept, with the revision that it is of."""
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def put(self, key: tuple[str, ...], revision: int, matrix: Matrix) -> None:
        with self._lock:
            self._drop(key)
            self._kept[key] = (revision, matrix)
            self._bytes += matrix.bytes
            while self._bytes > self._most:
                self._drop(next(iter(self._kept)))

    def _drop(self, key: tuple[str, ...]) -> None:
        if key in self._kept:
            self._bytes -= self._kept.pop(key)[1].bytes


CACHE = Cache()


def nearest_places(similar: Rows, places: Places, most: int) -> list[int]:
    """Return the nearest `most` of some places, nearest first; of equals the first.

    To order 10,000 takes sixteen times as long as to find the last of 300.
    """
    if len(places) > most:
        near = similar[places]
        places = places[near >= np.partition(near, -most)[-most]]
    found: list[int] = places[np.argsort(-similar[places], kind="stable")].tolist()
    return found[:most]


def matrix_of(at: Position, embedder: Embedder, prefix: str) -> Matrix:
    """Return the vectors under keys that begin so, as of the position's revision.

    What was read is never older than that: a position is changed after its vectors, in
    one transaction.
    """
    key = (at.stream_id, embedder.name, prefix)
    kept = CACHE.get(key)
    if kept is not None and kept[0] == at.revision:
        return kept[1]
    asked = {
        "stream": at.stream_id,
        "model": embedder.name,
        "first": prefix,
        "before": behind(prefix),
        "most": MOST_VECTORS + 1,
    }
    matrix = kept and _grown(kept[1], embedder, asked)
    if matrix is None:
        (row,) = sql.rows(_LOAD, asked)
        matrix = _of_row(row, embedder)
    CACHE.put(key, at.revision, matrix)
    return matrix


def _grown(before: Matrix, embedder: Embedder, asked: dict[str, Any]) -> Matrix | None:
    """Return a matrix with what is newer; None where that is not all that has changed.

    A worker that embeds one memory changes the revision: all 10,000 of a user would be
    read again for the next that is added.
    """
    if before.is_truncated or before.bare or not before.items:
        return None
    (row,) = sql.rows(_GROWN, asked | {"after": before.numbers[0]})
    newer = _of_row(row, embedder)
    if newer.is_truncated or newer.bare:
        return None
    grown = before.with_newer(newer)
    is_all = len(grown.items) == row.all_found <= MOST_VECTORS
    return grown if is_all and np.bitwise_xor.reduce(grown.marks) == row.seal else None


def _of_row(row: Any, embedder: Embedder) -> Matrix:
    items = (row.items or [])[:MOST_VECTORS]
    data = np.frombuffer(row.data or b"", np.int8).reshape(-1, embedder.dimensions)
    return Matrix(
        items=items,
        numbers=(row.numbers or [])[:MOST_VECTORS],
        scales=np.array((row.scales or [])[:MOST_VECTORS], np.float32),
        data=data[: len(items)],
        bare=row.bare or [],
        is_truncated=row.found > MOST_VECTORS,
        marks=np.array((row.marks or [])[:MOST_VECTORS], np.int64),
    )
