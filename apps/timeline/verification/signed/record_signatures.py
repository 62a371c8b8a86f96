"""Holds a stream of records against what was signed of it: a project's, an agent's."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from apps.core.notes.errors import KeyRefused, NoteError, NotesUnreadable
from apps.core.notes.reading import SignedHead, notes
from apps.core.notes.roots import Kind
from apps.timeline.verification.signed.ends import End, chain_ends
from apps.timeline.verification.signed.signatures import Status, ago, unread


@dataclass(frozen=True, slots=True)
class RecordSignatures:
    """What signatures say of a record, in one sentence."""

    status: Status
    message: str

    @property
    def is_broken(self) -> bool:
        return self.status is Status.BROKEN


def verify_record_signatures(stream_id: str, *, now: datetime) -> RecordSignatures:
    """Look up what was signed last of a stream of records, and compare."""
    try:
        with notes() as kept:
            if kept is None:
                return RecordSignatures(Status.NONE, "There are no signatures.")
            signed = kept.latest(Kind.RECORD, stream_id)
            number = signed.head.number if signed else None
            (end,) = chain_ends(Kind.RECORD, [stream_id], [number])
            if signed is None or number is None:
                return RecordSignatures(Status.UNSIGNED, "None of it is signed yet.")
            return _judged(signed, number, end, now)
    except (KeyRefused, NotesUnreadable) as error:
        return RecordSignatures(Status.UNREAD, unread(error))
    except NoteError as error:
        said = f"The signatures do not hold: {error}."
        return RecordSignatures(Status.BROKEN, said)


def contradiction(note: int, number: int, end: End) -> str:
    """Say how a record is not what a note has signed."""
    said = f"note {note:,} signed number {number}"
    if end.number is None:
        return f"{said}, and none of it is there"
    if end.number < number:
        return f"{said}, and it ends at number {end.number}"
    return f"{said}, which is another: it was rewritten"


def _judged(
    signed: SignedHead, number: int, end: End, now: datetime
) -> RecordSignatures:
    if not end.is_signed(signed.head.chain):
        said = contradiction(signed.note, number, end)
        return RecordSignatures(Status.BROKEN, f"It is not what was signed: {said}.")
    said = f"Signed up to #{number} in note {signed.note:,}, {ago(signed.at, now)}"
    if end.number is not None and end.number > number:
        said += "; what is newer stands on the unkeyed chain alone"
    return RecordSignatures(Status.SIGNED, f"{said}.")
