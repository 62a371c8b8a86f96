"""Notes as people and programs read them: pages, one with its leaves, a proof."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from apps.agents.scope import Scope
from apps.core import sql
from apps.core.errors import Busy
from apps.core.notes import roots
from apps.core.notes.errors import KeyRefused, NoteError, NotesUnreadable
from apps.core.notes.proving import Inclusion, inclusion, leaf_hashes
from apps.core.notes.reading import Notes, SignedHead, notes
from apps.core.notes.roots import Head, Kind, Root
from apps.core.notes.signed import opened
from apps.timeline.verification import SignatureStatus, verify_signatures
from apps.witness.errors import RootNotFound

_OF_CALLER = "(%(agents)s::text[] IS NULL OR a.external_id = ANY (%(agents)s))"
_SESSIONS = sql.across(f"""
SELECT s.id FROM timeline_session s JOIN agents_agent a ON a.id = s.agent_id
 WHERE s.id = ANY (%(ids)s) AND s.project_id = %(project)s AND {_OF_CALLER}
 LIMIT %(limit)s
""")  # noqa: S608
_AGENTS = f"""
SELECT a.id FROM agents_agent a
 WHERE a.id = ANY (%(ids)s) AND a.project_id = %(project)s AND {_OF_CALLER}
 LIMIT %(limit)s
"""  # noqa: S608
# What a reading of notes can come to, and says nothing about what they sign.
FAULTS = (KeyRefused, NoteError, NotesUnreadable, OSError, sqlite3.Error)


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadRoot:
    """A note, its digest by which the next one names it, and its leaves as hashes."""

    root: Root
    note: bytes
    hashes: list[bytes]


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionProof:
    """How far a session is signed, and what proves it."""

    status: str
    message: str
    head: int | None
    signed: SignedHead | None
    included: Inclusion | None
    keys: tuple[str, ...]


def newest_roots(*, before: int | None, limit: int) -> list[ReadRoot]:
    """Return notes, newest first, without their leaves.

    Raises: Busy.
    """
    with _kept() as kept:
        if kept is None:
            return []
        newest = kept.folder.newest()
        first = newest if before is None else min(newest, before - 1)
        numbers = range(first, max(first - limit, 0), -1)
        return [_read(kept, number) for number in numbers]


def root_numbered(number: int) -> ReadRoot:
    """Return a note with its leaves.

    Raises: RootNotFound, Busy.
    """
    with _kept() as kept:
        if kept is None or not 0 < number <= kept.folder.newest():
            raise RootNotFound
        whole = kept.root(number)
        note = kept.folder.read(number) or b""
        return ReadRoot(root=whole, note=note, hashes=leaf_hashes(whole))


def visible(scope: Scope, heads: list[Head]) -> set[str]:
    """Return the streams among these that are of what a caller may read."""
    sessions = sorted({_session_of(head) for head in heads})
    agents = scope.agent_list
    asked = {
        "project": scope.project.id,
        "ids": sessions,
        "agents": agents,
        "limit": len(sessions),
    }
    seen = {row.id for row in sql.rows(_SESSIONS, asked) + sql.rows(_AGENTS, asked)}
    if agents is None:
        seen.add(scope.project.id)
    return {head.stream for head in heads if _session_of(head) in seen}


def proof_of(session_id: str, *, now: datetime) -> SessionProof:
    """Prove the newest signed head of a session.

    A history that is not what was signed has no proof, but a finding.
    """
    verdict = verify_signatures(session_id, now=now)
    signed, status, included = verdict.signed_to, verdict.status.value, None
    if verdict.status is SignatureStatus.SIGNED and signed is not None:
        with _kept() as kept:
            if kept is not None:
                included = inclusion(kept, signed.note, signed.head.stream)
        status = status if included else "before_trees"
    return SessionProof(
        status=status,
        message=verdict.message,
        head=verdict.head,
        signed=signed,
        included=included,
        keys=verdict.keys,
    )


def _session_of(head: Head) -> str:
    return head.id.partition("/")[0] if head.kind is Kind.TOMBSTONE else head.id


def _read(kept: Notes, number: int) -> ReadRoot:
    note = kept.folder.read(number)
    if note is None:
        raise NoteError(f"note {number:,} is missing")
    root = roots.parse(opened(note, kept.keys))
    return ReadRoot(root=root, note=note, hashes=[])


@contextmanager
def _kept() -> Iterator[Notes | None]:
    try:
        with notes() as kept:
            yield kept
    except FAULTS as error:
        raise Busy(f"The notes cannot be read: {error}.") from error
