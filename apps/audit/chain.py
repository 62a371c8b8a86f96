"""The arithmetic of the audit chain: pure functions over one record's facts.

A leaf covers everything a record says; a link covers the link before it, the number
and the leaf. Fields are framed by their length, so no two records share an encoding.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

# The link before the first record.
START = bytes(32)


class Record(Protocol):
    """What a leaf is computed from."""

    project_id: str
    number: int
    event_id: str
    action: str
    resource_type: str
    resource_id: str
    actor_kind: str
    actor_id: str
    actor_label: str
    details: Any
    created_at: datetime


class StoredRecord(Record, Protocol):
    """A record with the proof that was stored beside it."""

    leaf: bytes | memoryview
    chain: bytes | memoryview


@dataclass(frozen=True, kw_only=True, slots=True)
class Verification:
    """The verdict: `broken_at` is the first number that does not hold, if any.

    A chain cannot show that its newest records are missing. Whoever needs that
    keeps `chain` elsewhere and compares it later.
    """

    count: int
    broken_at: int | None
    chain: bytes

    @property
    def is_intact(self) -> bool:
        return self.broken_at is None


def leaf(record: Record) -> bytes:
    """Return the digest of everything that the record says."""
    fields = (
        record.project_id,
        record.event_id,
        record.action,
        record.resource_type,
        record.resource_id,
        record.actor_kind,
        record.actor_id,
        record.actor_label,
        json.dumps(_spelled(record.details), sort_keys=True, separators=(",", ":")),
        record.created_at.astimezone(UTC).isoformat(timespec="microseconds"),
    )
    framed = bytearray()
    for field in fields:
        data = field.encode()
        framed += len(data).to_bytes(8, "big") + data
    return hashlib.sha256(framed).digest()


def link(previous: bytes, number: int, leaf: bytes) -> bytes:
    """Return sha256(previous chain || number || leaf)."""
    return hashlib.sha256(previous + number.to_bytes(8, "big") + leaf).digest()


def verify(
    records: Iterable[StoredRecord], *, count: int = 0, chain: bytes = START
) -> Verification:
    """Recompute a chain and stop at the first record that fails.

    From its first record on, or after the `count` that led to the link `chain`.
    """
    for record in records:
        number = count + 1
        expected = leaf(record)
        following = link(chain, number, expected)
        if (record.number, bytes(record.leaf), bytes(record.chain)) != (
            number,
            expected,
            following,
        ):
            return Verification(count=count, broken_at=number, chain=chain)
        chain, count = following, number
    return Verification(count=count, broken_at=None, chain=chain)


def _spelled(value: Any) -> Any:
    # jsonb keeps a number's value but not its spelling: 1e16 comes back as a whole
    # number. Whole numbers are therefore hashed as such, however they were written.
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _spelled(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_spelled(item) for item in value]
    return value
