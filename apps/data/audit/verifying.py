"""Recompute an agent's chain, so many links at a time, and say what does not hold."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from apps.audit import chain
from apps.audit import operations as audit
from apps.audit.models import AuditRecord
from apps.audit.querysets import AuditRecordQuerySet
from apps.data.audit.trail import Start, audit_id, first_number, stream_of
from apps.timeline.verification import RecordSignatures, verify_record_signatures

MOST = 500_000


@dataclass(frozen=True, kw_only=True, slots=True)
class FirstInvalid:
    """The first event that does not hold; `builds_on` is None where nothing tells."""

    record: AuditRecord
    expected: bytes | None
    builds_on: bytes | None
    sentence: str


@dataclass(frozen=True, kw_only=True, slots=True)
class StreamVerification:
    """What was recomputed of a stream, from one number on.

    `first` and `last` are the first and the last event that hold; `following` is where
    to go on, where there is more.
    """

    count: int
    first: AuditRecord | None
    last: AuditRecord | None
    invalid: FirstInvalid | None
    following: str | None
    # What was signed outside the database of the stream, whatever part is recomputed.
    signatures: RecordSignatures

    @property
    def is_intact(self) -> bool:
        """Whether the chain follows from itself."""
        return self.invalid is None

    @property
    def is_valid(self) -> bool:
        """Whether it does, and is what was signed."""
        return self.is_intact and not self.signatures.is_broken


def verify(agent_id: str, start: Start | None, *, now: datetime) -> StreamVerification:
    """Verify from an event or a time on, or from the first.

    Raises: InvalidRequest for an event that the agent does not have.
    """
    first = first_number(agent_id, start)
    return verify_numbers(agent_id, first, None, now=now)


def verify_numbers(
    agent_id: str, first: int, last: int | None, *, now: datetime
) -> StreamVerification:
    """Verify from one number to another, at most `MOST`, and compare what is signed."""
    signatures = verify_record_signatures(agent_id, now=now)
    stream = stream_of(agent_id)
    if first > 1 and not stream.filter(number=first - 1).exists():
        # Whatever stands there, nothing says what it goes on from.
        invalid = _invalid(stream, first - 1, None)
        return _report(stream, first, first - 1, invalid, signatures)
    limit = MOST if last is None else min(MOST, last - first + 1)
    found = audit.verify_records(stream_id=agent_id, after=first - 1, limit=limit)
    invalid = None
    if found.broken_at is not None:
        invalid = _invalid(stream, found.broken_at, found.chain)
    return _report(stream, first, found.count, invalid, signatures)


def _report(
    stream: AuditRecordQuerySet,
    first: int,
    held: int,
    invalid: FirstInvalid | None,
    signatures: RecordSignatures,
) -> StreamVerification:
    ends = {one.number: one for one in stream.filter(number__in=[first, held])}
    after = None
    if invalid is None:
        after = stream.from_number(held + 1).oldest_first().first()
    return StreamVerification(
        count=held - first + 1 + (invalid is not None),
        first=ends.get(first) if held >= first else None,
        last=ends.get(held) if held >= first else None,
        invalid=invalid,
        following=audit_id(after.event_id) if after else None,
        signatures=signatures,
    )


def _invalid(
    stream: AuditRecordQuerySet, number: int, previous: bytes | None
) -> FirstInvalid | None:
    record = stream.from_number(number).oldest_first().first()
    if record is None:
        return None
    builds_on_it = (
        previous is not None
        and record.number == number
        and chain.link(previous, number, bytes(record.leaf)) == bytes(record.chain)
    )
    expected = None if number == 1 else previous
    return FirstInvalid(
        record=record,
        expected=expected,
        builds_on=expected if builds_on_it else None,
        sentence=_sentence(record, number, builds_on_it),
    )


def _sentence(record: AuditRecord, number: int, builds_on_it: bool) -> str:
    if record.number != number:
        return f"Event number {number} is missing; the next one is {record.number}."
    if builds_on_it:
        return f"Event number {number} does not say what its hash was made of."
    return f"The hash of event number {number} does not follow from the one before."
