"""Reading notes: each is believed for its signature and for nothing else."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from apps.core.notes import keys, roots
from apps.core.notes.errors import NoteError, NotesUnreadable
from apps.core.notes.folder import Folder
from apps.core.notes.index import FILE, Entry, Index
from apps.core.notes.roots import Head, Kind, Root
from apps.core.notes.signed import VerifierKey, opened

# Notes that the signer has written and not entered yet: one, but for a crash.
UNINDEXED = 100


class Place(Protocol):
    """Where notes are: our own folder, or that of a witness."""

    def newest(self) -> int: ...

    def read(self, number: int) -> bytes | None: ...

    def read_leaves(self, number: int, root: bytes) -> bytes | None: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class SignedHead:
    """The head that a note has signed, with when it did."""

    head: Head
    note: int
    at: datetime
    went_back: str | None


@dataclass(frozen=True, slots=True)
class Notes:
    """The notes of an installation and the keys that are believed."""

    folder: Place
    keys: Sequence[VerifierKey]
    index: Index
    _read: dict[int, Root] = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        """Whether the newest note that was entered is still there."""
        known = self.index.newest()
        return self.folder.newest() >= known

    def latest(self, kind: Kind, id: str) -> SignedHead | None:
        """Return what was signed last of a chain; None where nothing was.

        Raises: NoteError, sqlite3.Error, OSError.
        """
        # In this order: a note is there before the index knows of it.
        known = self.index.newest()
        newest = self.folder.newest()
        if newest < known:
            raise NoteError(f"note {known:,} is missing: the notes end at {newest:,}")
        stream = f"{kind} {id}"
        for number in range(newest, max(known, newest - UNINDEXED), -1):
            found = self._in(number, stream)
            if found is not None:
                return found
        entry = self.index.latest([stream]).get(stream)
        return None if entry is None else self.looked_up(entry)

    def looked_up(self, entry: Entry) -> SignedHead:
        """Return what the note itself says that the index has entered.

        Raises: NoteError, OSError.
        """
        found = self._in(entry.note, entry.stream)
        if found is None:
            raise NoteError(f"note {entry.note:,} does not say what its index says")
        return found

    def root(self, number: int) -> Root:
        """Return what a note says, once its signature holds.

        Raises: NoteError, naming the note; OSError.
        """
        if number not in self._read:
            self._read.clear()
            self._read[number] = read(self.folder, number, self.keys)[0]
        return self._read[number]

    def _in(self, number: int, stream: str) -> SignedHead | None:
        root = self.root(number)
        for head in root.heads:
            if head.stream == stream:
                return SignedHead(
                    head=head, note=number, at=root.at, went_back=root.went_back
                )
        return None


def read(place: Place, number: int, known: Sequence[VerifierKey]) -> tuple[Root, bytes]:
    """Return what a note says, with its leaves, and its digest.

    Raises: NoteError, naming the note; OSError.
    """
    note = place.read(number)
    if note is None:
        raise NoteError(f"note {number:,} is missing")
    try:
        root = roots.parse(opened(note, known))
        if root.number == number and root.tree is not None:
            found = place.read_leaves(number, root.tree.root)
            root = roots.with_leaves(root, found)
    except NoteError as error:
        raise NoteError(f"note {number:,}: {error}") from error
    if root.number != number:
        raise NoteError(f"note {number:,} has the place of note {root.number:,}")
    return root, roots.digest(note)


@contextmanager
def notes() -> Iterator[Notes | None]:
    """Open the notes of this installation; None where nothing was ever signed.

    Raises: KeyRefused, NotesUnreadable.
    """
    known = keys.verifier_keys()
    folder = Folder(keys.roots_path())
    file = folder.path / FILE
    try:
        if not known or not (file.exists() or folder.newest()):
            yield None
            return
        if not file.exists():
            raise NotesUnreadable("their index is missing; the worker makes it anew")
        with closing(Index.for_reading(file)) as index:
            yield Notes(folder, known, index)
    except (sqlite3.Error, OSError) as error:
        raise NotesUnreadable(str(error)) from error
