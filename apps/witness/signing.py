"""Signing the heads that moved: one note at a time, each naming the one before.

One signer at a time, by a lock of the database; and if that failed, the second would
find the number of its note taken. A note is in its file before the index knows of it,
and progress is noted last, so whatever is cut short is looked at again and not lost.

A head is signed only if it goes on from what was signed before. Where the database says
something else, nothing more is signed of that chain: the last signature stays what it
is held against.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from django.db import connection, transaction

from apps.core.notes import keys, roots
from apps.core.notes.errors import KeyRefused, NoteError, NumberTaken
from apps.core.notes.folder import Folder
from apps.core.notes.index import FILE, Index
from apps.core.notes.reading import read
from apps.core.notes.roots import Head, Kind, Root
from apps.core.notes.signed import SigningKey, VerifierKey
from apps.core.postgres.errors import DataFolderUnusable
from apps.timeline.verification import compare_ends
from apps.witness import heads

# Chains that moved, or sessions of a look at everything, at once; heads of one note.
AT_ONCE = 1_000
# A sweep ends after so long; the next goes on where it was.
BUDGET_SECONDS = 4.0
# Everything is looked at again that often, whatever events say.
LOOKS_AGAIN = timedelta(days=1)
LOCK = "SELECT pg_try_advisory_xact_lock(hashtextextended('stepback:roots', 0))"

# What keeps it from signing, and is no fault of this code.
REFUSED = (
    KeyRefused,
    NoteError,
    NumberTaken,
    DataFolderUnusable,
    OSError,
    sqlite3.Error,
)

log = structlog.get_logger("stepback.witness")


@dataclass(frozen=True, slots=True)
class Signer:
    """Whoever holds the key, with the folder and its index open."""

    key: SigningKey
    folder: Folder
    index: Index

    @property
    def believed(self) -> list[VerifierKey]:
        """The keys whose notes it goes on from: its own, and those before it."""
        return [self.key.verifier, *keys.verifier_keys()]

    def sign(
        self, found: list[Head], *, now: datetime, went_back: str | None = None
    ) -> int:
        """Write the next note; return its number.

        Raises: NoteError where the newest does not hold, NumberTaken, OSError.
        """
        number = self.folder.newest() + 1
        before = None
        if number > 1:
            # Never on top of what somebody else has put there; and time does not run
            # backwards in notes, whatever the host's clock does.
            last, before = read(self.folder, number - 1, self.believed)
            now = max(now, last.at)
        root = Root(
            origin=self.key.verifier.name,
            number=number,
            previous=before,
            at=now,
            heads=found,
            went_back=went_back,
        )
        note = self.key.sign(root.text())
        self.folder.write(number, note)
        self.index.add(root, roots.digest(note))
        return number

    def take_in(self, deadline: float) -> bool:
        """Enter notes that the index does not know; whether it knows all now.

        Raises: NoteError where one is missing or does not hold.
        """
        newest, known = self.folder.newest(), self.index.newest()
        if newest < known:
            raise NoteError(f"note {known:,} is missing: the notes end at {newest:,}")
        while known < newest:
            if time.monotonic() > deadline:
                return False
            some = range(known + 1, min(known + AT_ONCE, newest) + 1)
            believed = self.believed
            known += self.index.add_all(
                read(self.folder, number, believed) for number in some
            )
        return True


_said = ""


def work(*, now: datetime) -> int:
    """As `sweep`, for the worker: why it cannot sign is logged, once for each reason.

    Nothing else of the worker waits for it, and the next sweep tries again.
    """
    global _said
    try:
        written, why = sweep(now=now), ""
    except REFUSED as refused:
        written, why = 0, str(refused)
    if why and why != _said:
        log.error("nothing is signed", why=why)
    _said = why
    return written


def sweep(*, now: datetime) -> int:
    """Sign what moved since the last note; return how many notes were written.

    Raises: KeyRefused, NoteError, NumberTaken, OSError, sqlite3.Error.
    """
    key = keys.signing_key()
    if key is None:
        return 0
    deadline = time.monotonic() + BUDGET_SECONDS
    written = 0
    with signer(key) as signing:
        while True:
            with transaction.atomic():
                if not is_alone() or not signing.take_in(deadline):
                    return written
                made, is_all = _some(signing, now)
            written += made
            if is_all or time.monotonic() > deadline:
                return written


@contextmanager
def signer(key: SigningKey) -> Iterator[Signer]:
    """Open the folder for signing; an index that is broken is made anew."""
    folder = Folder(keys.roots_path())
    folder.make()
    index = _index(folder)
    try:
        yield Signer(key, folder, index)
    finally:
        index.close()


def is_alone() -> bool:
    """Whether nobody else signs for this database until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute(LOCK)
        (is_ours,) = cursor.fetchone() or (False,)
    return bool(is_ours)


def _index(folder: Folder) -> Index:
    file = folder.path / FILE
    try:
        return Index.for_writing(file)
    except sqlite3.OperationalError:
        raise  # busy, or not ours to write
    except sqlite3.DatabaseError:
        log.warning("the index of the notes is broken and made anew")
        file.unlink()
        return Index.for_writing(file)


def _some(signing: Signer, now: datetime) -> tuple[int, bool]:
    """Sign one batch; return how many notes that made, and whether it was the last."""
    index = signing.index
    if index.progress("server") != (server := heads.server()):
        # Another database than the last time: what was fed there says nothing here.
        index.set_progress(server=server, looking="")
    looking = index.progress("looking")
    if looking is not None:
        return _look(signing, looking, now), False
    moved = heads.oldest_moved(AT_ONCE)
    made = _signed(signing, *_by_kind(moved), now)
    heads.forget_moved(moved)
    if len(moved) == AT_ONCE:
        return made, False
    is_to_look = _is_to_look(index, now)
    if is_to_look:
        index.set_progress(looking="")
    return made, not is_to_look


def _by_kind(moved: list[heads.Chain]) -> tuple[list[str], list[str]]:
    """Return the ids of sessions and of projects."""
    sessions = [one.chain_id for one in moved if one.kind == Kind.SESSION]
    return sessions, [one.chain_id for one in moved if one.kind == Kind.RECORD]


def _look(signing: Signer, after: str, now: datetime) -> int:
    """Sign what is not signed among the next sessions, whatever events say."""
    sessions = heads.sessions_after(after, AT_ONCE)
    projects = [] if after else heads.chained_projects()
    made = _signed(signing, sessions, projects, now)
    if len(sessions) == AT_ONCE:
        signing.index.set_progress(looking=sessions[-1])
    else:
        signing.index.set_progress(looking=None, looked_at=now.isoformat())
    return made


def _is_to_look(index: Index, now: datetime) -> bool:
    looked_at = index.progress("looked_at")
    return looked_at is None or now - datetime.fromisoformat(looked_at) > LOOKS_AGAIN


def _signed(
    signing: Signer, sessions: list[str], projects: list[str], now: datetime
) -> int:
    found = [
        *_news(signing.index, Kind.SESSION, sessions),
        *_news(signing.index, Kind.RECORD, projects),
    ]
    if found:
        signing.folder.tidy()
    notes = [found[at : at + AT_ONCE] for at in range(0, len(found), AT_ONCE)]
    for some in notes:
        signing.sign(some, now=now)
    return len(notes)


def _news(index: Index, kind: Kind, ids: list[str]) -> Iterator[Head]:
    """Yield the heads that moved; say which contradict what was signed."""
    for one in compare_ends(index, kind, ids):
        if not one.holds:
            log.warning("a head contradicts what was signed", kind=kind, id=one.end.id)
        elif one.is_newer:
            yield one.end.head(kind)
