"""The check of all notes: none is missing, altered or out of its place.

It makes an index of its own, of nothing but notes whose signatures held. Notes that
were cut from the end together with the database are not found here: for that, copy
them to another machine.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime

from apps.core.notes.errors import NoteError
from apps.core.notes.folder import Folder
from apps.core.notes.index import FILE, Index
from apps.core.notes.reading import Place, read
from apps.core.notes.roots import Root
from apps.core.notes.signed import VerifierKey

# More is counted, not named: each is a sentence for somebody to read.
NAMED = 20


@dataclass(kw_only=True, slots=True)
class Audit:
    """What the notes come to. `went_back` are the first that say that the database did,
    `last_back` is the number of the last.
    """

    notes: int = 0
    broken: int = 0
    problems: list[str] = field(default_factory=list)
    newest_at: datetime | None = None
    went_back: list[Root] = field(default_factory=list)
    last_back: int = 0

    def name(self, problem: str) -> None:
        self.broken += 1
        if len(self.problems) < NAMED:
            self.problems.append(problem)


def audit(
    place: Place,
    keys: Sequence[VerifierKey],
    index: Index,
    told: Callable[[], None] = lambda: None,
) -> Audit:
    """Check every note from the first on, and enter those that hold into `index`.

    Raises: OSError.
    """
    found = Audit()
    before: tuple[Root, bytes] | None = None
    for number in range(1, max(place.newest(), _known(place)) + 1):
        try:
            root, digest = read(place, number, keys)
        except NoteError as error:
            found.name(str(error))
            before = None
            continue
        for problem in _places(root, before):
            found.name(f"note {number:,}: {problem}")
        index.add(root, digest)
        before = root, digest
        found.notes += 1
        found.newest_at = root.at
        if root.went_back is not None:
            found.last_back = number
            found.went_back += [root] if len(found.went_back) < NAMED else []
        told()
    return found


def _places(root: Root, before: tuple[Root, bytes] | None) -> list[str]:
    if before is None:
        # Its neighbour is named already, unless it is the first.
        is_first = root.number == 1 and root.previous is not None
        return ["it is the first and names one before it"] if is_first else []
    problems = []
    if root.previous != before[1]:
        problems.append("it names another note before it than there is")
    if root.at < before[0].at:
        problems.append("it is older than the note before it")
    return problems


def _known(place: Place) -> int:
    """Return the newest note that the signer's index has: files may have gone."""
    if not isinstance(place, Folder):
        return 0
    try:
        with closing(Index.for_reading(place.path / FILE)) as kept:
            return kept.newest()
    except sqlite3.Error:
        return 0
