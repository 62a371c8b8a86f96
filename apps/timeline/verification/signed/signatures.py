"""Holds a session against what was signed of it outside the database.

A chain that was computed anew from a rewritten version holds; it is not the one that
was signed. The last signature is enough: the signer signs only what goes on from the
one before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from apps.core import sql
from apps.core.notes.errors import KeyRefused, NoteError, NotesUnreadable
from apps.core.notes.index import Entry
from apps.core.notes.reading import Notes, SignedHead, notes
from apps.core.notes.roots import Kind as Stream
from apps.timeline.verification.findings import Finding, Kind
from apps.timeline.verification.signed.ends import chain_ends

AT = sql.of_session("""
SELECT (SELECT max(number) FROM timeline_version
         WHERE session_id = %(session)s) AS head,
       (SELECT chain FROM timeline_version
         WHERE session_id = %(session)s AND number = %(number)s) AS chain
""")
CHAINS = sql.of_session("""
SELECT number, chain FROM timeline_version
 WHERE session_id = %s AND number = ANY (%s)
""")
# Earlier signatures that are looked at to say how far a rewritten history is old.
HISTORY = 10_000


class Status(StrEnum):
    """What signatures say of a session."""

    NONE = "none"  # the installation has no signatures
    UNSIGNED = "unsigned"  # none of this session yet
    SIGNED = "signed"  # the history is what was signed
    UNREAD = "unread"  # they cannot be read at this moment
    BROKEN = "broken"  # it is not, or the signatures themselves do not hold


@dataclass(frozen=True, kw_only=True, slots=True)
class Signatures:
    """Up to where a session stands on signatures.

    What is newer than `signed_to` stands on the unkeyed chain alone, which whoever
    rewrites history can compute as well.
    """

    status: Status
    message: str
    signed_to: SignedHead | None = None
    head: int | None = None
    finding: Finding | None = None
    keys: tuple[str, ...] = ()

    @property
    def unsigned_from(self) -> int | None:
        """The first version that no signature covers."""
        if self.head is None:
            return None
        signed = self.signed_to.head.number if self.signed_to else None
        first = 0 if signed is None else signed + 1
        return first if first <= self.head else None


def verify_signatures(session_id: str, *, now: datetime) -> Signatures:
    """Look up what was signed last of a session, and compare."""
    try:
        with notes() as kept:
            if kept is None:
                return Signatures(
                    status=Status.NONE, message="There are no signatures."
                )
            # First the signature, then the history, which only grows meanwhile.
            signed = kept.latest(Stream.SESSION, session_id)
            found = judged(kept, session_id, signed, now=now)
            return replace(found, keys=tuple(map(str, kept.keys)))
    except (KeyRefused, NotesUnreadable) as error:
        return Signatures(status=Status.UNREAD, message=unread(error))
    except NoteError as error:
        return _broken(session_id, None, str(error))


def unread(error: Exception) -> str:
    """Say that nothing is known of signatures, and why."""
    return f"The signatures cannot be read: {error}."


def judged(
    kept: Notes, session_id: str, signed: SignedHead | None, *, now: datetime
) -> Signatures:
    """Compare a session with what was signed of it last.

    Raises: NoteError, OSError, sqlite3.Error.
    """
    number = signed.head.number if signed else None
    (found,) = sql.rows(AT, {"session": session_id, "number": number})
    if signed is None or number is None:
        return Signatures(
            status=Status.UNSIGNED,
            message=_unsigned(signed, found.head, now),
            signed_to=signed,
            head=found.head,
        )
    if found.chain == signed.head.chain:
        return Signatures(
            status=Status.SIGNED,
            message=_covered(signed, number, found.head, now),
            signed_to=signed,
            head=found.head,
        )
    (end,) = chain_ends(Stream.SESSION, [session_id], [number])
    if end.is_accounted_for(signed.head.chain):
        return Signatures(
            status=Status.SIGNED,
            message=_removed(signed, number),
            signed_to=signed,
            head=found.head,
        )
    return _broken(
        session_id,
        number,
        _difference(kept, signed, number, found.head),
        signed_to=signed,
        head=found.head,
    )


def _difference(kept: Notes, signed: SignedHead, number: int, head: int | None) -> str:
    note = f"note {signed.note:,} signed v{number} at {_moment(signed.at)}"
    if head is None:
        return f"{note}, and the session is not there"
    if head < number:
        return (
            f"{note}, and the history ends at v{head}: what came after it was cut "
            "off, or the database was put back"
        )
    return f"{note}, and v{number} is another: {_extent(kept, signed, number)}"


def _extent(kept: Notes, signed: SignedHead, number: int) -> str:
    """Say which versions are still as earlier notes have signed them."""
    earlier = kept.index.history(signed.head.stream, HISTORY)[1:]
    before = [entry for entry in _until_back(earlier) if entry.number is not None]
    numbers = [entry.number for entry in before]
    id = signed.head.id
    stored = {row.number: row.chain for row in sql.rows(CHAINS, [id, numbers])}
    for entry in before:
        if entry.number is not None and stored.get(entry.number) == entry.chain:
            first = entry.number + 1
            return f"something in v{first} to v{number} was rewritten"
    return f"something in v0 to v{number} was rewritten"


def _until_back(entries: list[Entry]) -> list[Entry]:
    kept = []
    for entry in entries:
        kept.append(entry)
        if entry.went_back:
            break
    return kept


def _covered(signed: SignedHead, number: int, head: int, now: datetime) -> str:
    covered = f"Signed up to v{number} in note {signed.note:,}"
    if signed.went_back is not None:
        covered += f", which says that the database went back ({signed.went_back})"
    if head <= number:
        return f"{covered}, {ago(signed.at, now)}."
    return (
        f"{covered}. {_range(number + 1, head)} newer than that signature, "
        f"{ago(signed.at, now)}, and on the unkeyed chain alone."
    )


def _removed(signed: SignedHead, number: int) -> str:
    return (
        f"Signed up to v{number} in note {signed.note:,}; a removal took it since, and "
        "its tombstone accounts for it."
    )


def _unsigned(signed: SignedHead | None, head: int | None, now: datetime) -> str:
    if head is None:
        return "There is nothing to sign."
    if signed is None:
        return f"{_range(0, head)} not signed yet."
    return (
        f"Note {signed.note:,} says, {ago(signed.at, now)}, that the database went "
        f"back and this session was gone; {_range(0, head)} not signed since."
    )


def _broken(
    session_id: str,
    number: int | None,
    sentence: str,
    signed_to: SignedHead | None = None,
    head: int | None = None,
) -> Signatures:
    return Signatures(
        status=Status.BROKEN,
        message=f"The signatures do not hold: {sentence}.",
        signed_to=signed_to,
        head=head,
        finding=Finding(
            session_id=session_id,
            number=number,
            kind=Kind.SIGNATURE,
            sentence=sentence,
        ),
    )


def _range(first: int, last: int) -> str:
    return f"v{first} is" if first == last else f"v{first} to v{last} are"


def ago(at: datetime, now: datetime) -> str:
    """Say how long before this moment it was."""
    return f"{max(0, round((now - at).total_seconds())):,} s ago"


def _moment(at: datetime) -> str:
    return at.isoformat(timespec="seconds")
