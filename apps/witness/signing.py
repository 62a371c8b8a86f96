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
from apps.core.notes.roots import Head, Kind, Root, Tree
from apps.core.notes.signed import SigningKey, VerifierKey
from apps.core.postgres.errors import DataFolderUnusable
from apps.timeline.verification import compare_ends
from apps.witness import heads, once, quiet

# Chains that moved, or were looked at, at once; heads of one note.
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
        signed = Tree.over(found)
        root = Root(
            origin=self.key.verifier.name,
            number=number,
            previous=before,
            at=now,
            heads=found,
            went_back=went_back,
            tree=signed,
        )
        note = self.key.sign(root.text())
        self.folder.write_leaves(number, signed.root, root.leaves())
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
    # Before anything can refuse: what waits is seen to wait.
    quiet.notice(now=now)
    with signer(key) as signing:
        while True:
            with transaction.atomic():
                if not is_alone() or not signing.take_in(deadline):
                    return written
                batch = _some(signing, now)
            # What was found is on the disk now: where it was seen is committed behind
            # it. Of records of reads a crash could have lost the newest.
            with transaction.atomic():
                if not is_alone() or signing.folder.newest() != batch.newest:
                    return written
                written += _signed(signing, batch, now)
            if batch.is_last or time.monotonic() > deadline:
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


@dataclass(frozen=True, kw_only=True, slots=True)
class _Batch:
    """What is to be signed, on top of which note, and what has been done then."""

    found: list[Head]
    newest: int
    moved: list[heads.Chain]
    progress: dict[str, str | None]
    is_last: bool


def _some(signing: Signer, now: datetime) -> _Batch:
    """Find the next heads to be signed."""
    index = signing.index
    if index.progress("server") != (server := heads.server()):
        # Another database than the last time: what was fed there says nothing here.
        index.set_progress(server=server, looking="", **{once.TOMBSTONES: None})
    looking = index.progress("looking")
    if looking is not None:
        return _look(signing, looking, now)
    moved = heads.oldest_moved(AT_ONCE)
    is_all = len(moved) < AT_ONCE
    is_to_look = is_all and _is_to_look(index, now)
    made = once.fresh(index, limit=AT_ONCE, now=now)
    return _Batch(
        found=_news(index, *_by_kind(moved)) + made.heads,
        newest=signing.folder.newest(),
        moved=moved,
        progress=made.progress | ({"looking": ""} if is_to_look else {}),
        is_last=is_all and made.is_all and not is_to_look,
    )


def _by_kind(moved: list[heads.Chain]) -> tuple[list[str], list[str]]:
    """Return the ids of what has versions, and of what has a record."""
    sessions = [one.chain_id for one in moved if one.kind == Kind.SESSION]
    records = [one.chain_id for one in moved if one.kind == Kind.RECORD]
    return sessions, records + quiet.documents(sessions)


def _look(signing: Signer, after: str, now: datetime) -> _Batch:
    """Find what is not signed among the next chains, whatever was noted.

    First the records of projects and of agents, then what has versions, by their ids.
    """
    records = [] if after else heads.chained_projects()
    chains: list[str] = []
    agents: list[str] = []
    if after < quiet.AGENTS[1]:
        agents = heads.agents_after(after, AT_ONCE)
        records += agents
    progress: dict[str, str | None]
    if len(agents) == AT_ONCE:
        progress = {"looking": agents[-1]}
    else:
        chains = heads.sessions_after(max(after, quiet.AGENTS[1]), AT_ONCE)
        progress = {"looking": chains[-1] if len(chains) == AT_ONCE else None}
    if progress["looking"] is None:
        progress["looked_at"] = now.isoformat()
    return _Batch(
        found=_news(signing.index, chains, records + quiet.documents(chains)),
        newest=signing.folder.newest(),
        moved=[],
        progress=progress,
        is_last=False,
    )


def _is_to_look(index: Index, now: datetime) -> bool:
    looked_at = index.progress("looked_at")
    return looked_at is None or now - datetime.fromisoformat(looked_at) > LOOKS_AGAIN


def _news(index: Index, sessions: list[str], records: list[str]) -> list[Head]:
    """Return the heads that moved; say which contradict what was signed."""
    ends = [
        *compare_ends(index, Kind.SESSION, sessions),
        *compare_ends(index, Kind.RECORD, records),
    ]
    quiet.keep_seen(ends)
    for one in ends:
        if not one.holds:
            kind, id = one.kind, one.end.id
            log.warning("a head contradicts what was signed", kind=kind, id=id)
    return [one.end.head(one.kind) for one in ends if one.holds and one.is_newer]


def _signed(signing: Signer, batch: _Batch, now: datetime) -> int:
    """Sign what was found; return how many notes that made."""
    found = batch.found
    if found:
        signing.folder.tidy()
    notes = [found[at : at + AT_ONCE] for at in range(0, len(found), AT_ONCE)]
    for some in notes:
        signing.sign(some, now=now)
    if batch.moved:
        heads.forget_moved(batch.moved)
    signing.index.set_progress(**batch.progress)
    return len(notes)
