"""What was written since the worker came by: some of it is embedded with a question.

Each process does so once for each text: whoever writes a memory and searches, and does
that again before the worker comes, would have it embed the same texts every time.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from apps.meaning.embedding import Embedder
from apps.meaning.texts import texts_of
from apps.timeline import queries
from apps.timeline.queries import EntryRow

if TYPE_CHECKING:
    from apps.meaning.embedding.rows import Rows

LARGEST_BYTES = 32 * 1024
# Vectors that a process remembers, a kilobyte each.
MOST_REMEMBERED = 1_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Near:
    """A key whose text, as version `number` left it, is so near, from 0 to 1."""

    key: str
    number: int
    similarity: float


class Remembered:
    """Vectors by the commitments to texts, which no two share; None: there is no text.

    Not by the version: one that is rolled back leaves its number to another.
    """

    def __init__(self, most: int = MOST_REMEMBERED) -> None:
        self._most = most
        self._vectors: OrderedDict[tuple[str, bytes], Rows | None] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, model: str, rows: Sequence[EntryRow]) -> dict[str, Rows | None]:
        """Return what is known of these entries, by their keys."""
        with self._lock:
            names = {row.key: (model, row.commitment or b"") for row in rows}
            known = {key: one for key, one in names.items() if one in self._vectors}
            for name in known.values():
                self._vectors.move_to_end(name)
            return {key: self._vectors[name] for key, name in known.items()}

    def keep(self, model: str, row: EntryRow, vector: Rows | None) -> None:
        if row.commitment is None:
            return
        with self._lock:
            self._vectors[model, row.commitment] = vector
            while len(self._vectors) > self._most:
                self._vectors.popitem(last=False)


REMEMBERED = Remembered()


class Fresh:
    """What stands under these keys, if it is short: `texts` are still to be embedded.

    `left` counts what is too long, and what is more than a model embeds meanwhile.
    """

    def __init__(
        self, document_id: str, keys: Sequence[str], by: Embedder, *, now: datetime
    ) -> None:
        rows = queries.entries_named(document_id, keys, now=now)
        self._rows = [row for row in rows if row.size <= LARGEST_BYTES]
        self._by = by
        self._known = REMEMBERED.of(by.name, self._rows)
        unknown = [row for row in self._rows if row.key not in self._known]
        new = unknown[: by.with_question]
        self.left = len(rows) - len(self._rows) + len(unknown) - len(new)
        self.texts = texts_of(document_id, new)
        for row in new:
            if row.key not in self.texts:
                self._keep(row, None)

    @property
    def bare(self) -> list[str]:
        """Return the keys that have no text."""
        return [key for key, vector in self._known.items() if vector is None]

    def near(self, wanted: Rows, others: Sequence[Rows]) -> list[Near]:
        """Return how near each is; `others` are the vectors of its texts."""
        import numpy as np

        from apps.meaning.embedding.rows import shown

        found = dict(zip(self.texts, others, strict=True))
        for row in self._rows:
            if row.key in found:
                self._keep(row, found[row.key])
        vectors = {
            row: vector
            for row in self._rows
            if (vector := self._known.get(row.key)) is not None
        }
        if not vectors:
            return []
        similar = shown(np.stack(list(vectors.values())) @ wanted, self._by.near)
        return [
            Near(key=row.key, number=row.number, similarity=float(one))
            for row, one in zip(vectors, similar, strict=True)
            if not np.isnan(one)
        ]

    def _keep(self, row: EntryRow, vector: Rows | None) -> None:
        self._known[row.key] = vector
        REMEMBERED.keep(self._by.name, row, vector)
