"""Holds everything against all notes: for the command, which has the time.

The notes are checked first, each with its neighbours, and what is compared is what
they say themselves: an index that somebody has changed has no part in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from apps.core.notes import auditing, keys
from apps.core.notes.auditing import Audit
from apps.core.notes.folder import Folder
from apps.core.notes.index import Entry, Index
from apps.core.notes.reading import Notes, Place
from apps.core.notes.roots import Kind
from apps.core.notes.signed import VerifierKey
from apps.timeline.verification.signed.ends import ComparedEnd, compare_ends
from apps.timeline.verification.signed.record_signatures import contradiction
from apps.timeline.verification.signed.signatures import judged
from apps.timeline.verification.signed.tombstones import tombstones_named

AT_ONCE = 500


@dataclass(slots=True)
class Witnessed:
    """All notes, and how much of what was compared is signed."""

    notes: Notes
    audit: Audit
    signed: int = 0
    signed_sessions: int = 0
    newer: int = 0

    def of_sessions(self, ids: Iterable[str], *, now: datetime) -> Iterator[str]:
        """Yield what contradicts a signature among these sessions."""
        for one in self._contradicting(Kind.SESSION, ids):
            if one.signed is None:
                continue
            signed = self.notes.looked_up(one.signed)
            found = judged(self.notes, one.end.id, signed, now=now).finding
            if found is not None:
                yield str(found)

    def of_records(self, ids: Iterable[str]) -> Iterator[str]:
        """Yield what contradicts a signature among the records of these projects."""
        for one in self._contradicting(Kind.RECORD, ids):
            if one.signed is not None and one.signed.number is not None:
                said = contradiction(one.signed.note, one.signed.number, one.end)
                yield f"the record of {one.end.id}: {said}"

    def of_tombstones(self) -> Iterator[str]:
        """Yield what contradicts the tombstones that were signed.

        They are never changed; one that is gone went with the database that was put
        back, where a later note says so, and what is there since is another removal's.
        """
        signed = self.notes.index.each(Kind.TOMBSTONE)
        while some := list(islice(signed, AT_ONCE)):
            found = tombstones_named([_id(entry.stream) for entry in some])
            for entry in some:
                there = found.get(_id(entry.stream), {})
                if entry.chain in there or self._went(entry, there.values()):
                    continue
                yield _contradicts(entry, is_there=bool(there))

    def _went(self, entry: Entry, since: Iterable[datetime]) -> bool:
        """Say whether a tombstone went with a database that was put back later.

        What is there in its place was made after it was signed: by the same removal
        or erasure, done again.
        """
        if entry.note >= self.audit.last_back:
            return False
        signed_at = self.notes.root(entry.note).at
        return all(one > signed_at for one in since)

    def every(self, kind: Kind) -> Iterator[str]:
        """Yield all chains of a kind that were ever signed, whatever became of them."""
        for entry in self.notes.index.every(kind):
            yield _id(entry.stream)

    def _contradicting(self, kind: Kind, ids: Iterable[str]) -> Iterator[ComparedEnd]:
        rest = iter(ids)
        while some := list(islice(rest, AT_ONCE)):
            for one in compare_ends(self.notes.index, kind, some):
                self._count(one)
                if not one.holds:
                    yield one

    def _count(self, one: ComparedEnd) -> None:
        if one.is_signed:
            self.signed += 1
            self.signed_sessions += one.kind is Kind.SESSION
            self.newer += one.is_newer and one.holds


def _id(stream: str) -> str:
    return stream.partition(" ")[2]


def _contradicts(entry: Entry, *, is_there: bool) -> str:
    session, _, first = _id(entry.stream).split("/")
    said = f"{session}: note {entry.note:,} signed the tombstone of v{first}"
    said += f" to v{entry.number}"
    return f"{said}, and it is another" if is_there else f"{said}, and it is not there"


@contextmanager
def witnessed(told: Callable[[], None] = lambda: None) -> Iterator[Witnessed | None]:
    """Check all notes of this installation; None where nothing was ever signed.

    Raises: KeyRefused, OSError.
    """
    known = keys.verifier_keys()
    folder = Folder(keys.roots_path())
    if not known or not folder.path.exists():
        yield None
        return
    with witnessed_at(folder, known, told) as found:
        yield found


@contextmanager
def witnessed_at(
    place: Place, known: Sequence[VerifierKey], told: Callable[[], None]
) -> Iterator[Witnessed | None]:
    """Check all notes of a place by these keys alone; None where there are none.

    Raises: OSError, ObjectsAway.
    """
    with closing(Index.temporary()) as index:
        found = auditing.audit(place, known, index, told)
        if not found.notes and not found.broken:
            yield None
            return
        yield Witnessed(Notes(place, known, index), found)
