"""Where each chain was signed: an index over the notes, made of them and nothing else.

A file of SQLite beside the notes, so that it goes where they go. It finds, and proves
nothing: what it says of a chain is looked up in the note, and who removes it only makes
the signer read all notes once more. The signer's own progress is kept in it as well;
without it the signer looks at everything again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple, Self

from apps.core.notes.roots import Kind, Root

FILE = "index.sqlite3"
PATIENCE_SECONDS = 2.0
# SQLite takes so many parameters at least.
AT_ONCE = 500

TABLES = """
CREATE TABLE IF NOT EXISTS note (number INTEGER PRIMARY KEY, digest BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS head (
    stream TEXT, note INTEGER, number INTEGER, chain BLOB, went_back INTEGER NOT NULL,
    PRIMARY KEY (stream, note)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS progress (name TEXT PRIMARY KEY, value TEXT);
"""
# The bare columns are those of the row with the greatest note.
LATEST = """
SELECT stream, max(note), number, chain, went_back FROM head
 WHERE stream IN ({}) GROUP BY stream
"""
EVERY = """
SELECT stream, max(note), number, chain, went_back FROM head
 WHERE stream > ? AND stream < ? GROUP BY stream ORDER BY stream LIMIT ?
"""
EACH = """
SELECT stream, note, number, chain, went_back FROM head
 WHERE (stream, note) > (?, ?) AND stream < ? ORDER BY stream, note LIMIT ?
"""
HISTORY = """
SELECT stream, note, number, chain, went_back FROM head
 WHERE stream = ? ORDER BY note DESC LIMIT ?
"""


class Entry(NamedTuple):
    """A head as a note has it: `note` is that note's number."""

    stream: str
    note: int
    number: int | None
    chain: bytes | None
    went_back: int


class Index:
    """The index of one folder, open until `close`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    @classmethod
    def for_writing(cls, file: Path) -> Self:
        """Open the index, making it where there is none.

        Raises: sqlite3.Error.
        """
        connection = sqlite3.connect(file, timeout=PATIENCE_SECONDS)
        try:
            connection.executescript(TABLES)
        except sqlite3.Error:
            connection.close()
            raise
        return cls(connection)

    @classmethod
    def for_reading(cls, file: Path) -> Self:
        """Open an index that is there.

        Raises: sqlite3.Error, also where there is none.
        """
        address = f"{file.absolute().as_uri()}?mode=ro"
        return cls(sqlite3.connect(address, uri=True, timeout=PATIENCE_SECONDS))

    @classmethod
    def temporary(cls) -> Self:
        """Return an empty index that goes with its connection."""
        connection = sqlite3.connect("")
        connection.executescript(TABLES)
        return cls(connection)

    def close(self) -> None:
        self._connection.close()

    def newest(self) -> int:
        """Return the number of the newest note it knows; 0 without any."""
        (found,) = self._one("SELECT coalesce(max(number), 0) FROM note")
        return int(found)

    def digest(self, number: int) -> bytes | None:
        found = self._all("SELECT digest FROM note WHERE number = ?", [number])
        return bytes(found[0][0]) if found else None

    def add(self, root: Root, digest: bytes) -> None:
        """Take in a note, whole or not at all."""
        self.add_all([(root, digest)])

    def add_all(self, found: Iterable[tuple[Root, bytes]]) -> int:
        """Take in notes, all or none; return how many: one flush for each was a ms."""
        count = 0
        with self._connection:
            for root, digest in found:
                self._add(root, digest)
                count += 1
        return count

    def _add(self, root: Root, digest: bytes) -> None:
        went_back = int(root.went_back is not None)
        self._connection.execute(
            "INSERT OR REPLACE INTO note VALUES (?, ?)", [root.number, digest]
        )
        self._connection.executemany(
            "INSERT OR REPLACE INTO head VALUES (?, ?, ?, ?, ?)",
            (
                (head.stream, root.number, head.number, head.chain, went_back)
                for head in root.heads
            ),
        )

    def latest(self, streams: Sequence[str]) -> dict[str, Entry]:
        """Return what the newest note about each of these chains says."""
        found: dict[str, Entry] = {}
        for start in range(0, len(streams), AT_ONCE):
            some = streams[start : start + AT_ONCE]
            marks = ", ".join("?" * len(some))
            rows = self._all(LATEST.format(marks), some)
            found |= {row[0]: Entry(*row) for row in rows}
        return found

    def every(self, kind: Kind) -> Iterator[Entry]:
        """Yield what the newest note about each chain of a kind says."""
        last, end = f"{kind} ", f"{kind}!"
        while True:
            page = [Entry(*row) for row in self._all(EVERY, [last, end, AT_ONCE])]
            yield from page
            if len(page) < AT_ONCE:
                return
            last = page[-1].stream

    def each(self, kind: Kind) -> Iterator[Entry]:
        """Yield all that any note says of a kind, by chain and note."""
        last, end = (f"{kind} ", 0), f"{kind}!"
        while True:
            page = [Entry(*row) for row in self._all(EACH, [*last, end, AT_ONCE])]
            yield from page
            if len(page) < AT_ONCE:
                return
            last = page[-1].stream, page[-1].note

    def history(self, stream: str, limit: int) -> list[Entry]:
        """Return what was signed of a chain, newest first."""
        return [Entry(*row) for row in self._all(HISTORY, [stream, limit])]

    def progress(self, name: str) -> str | None:
        found = self._all("SELECT value FROM progress WHERE name = ?", [name])
        return found[0][0] if found else None

    def set_progress(self, **values: str | None) -> None:
        with self._connection:
            self._connection.executemany(
                "INSERT OR REPLACE INTO progress VALUES (?, ?)", values.items()
            )

    def _one(self, query: str) -> tuple[Any, ...]:
        (found,) = self._all(query, [])
        return found

    def _all(self, query: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        with closing(self._connection.cursor()) as cursor:
            return cursor.execute(query, values).fetchall()
