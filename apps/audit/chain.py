"""The arithmetic of audit chains: pure functions over one record's facts.

A leaf covers everything a record says; a link covers the link before it, the number
and the leaf. Fields are framed by their length, so no two records share an encoding.

There are three formats. The records of people's acts are of format 3: their details are
in the leaf by a salted digest alone, so that they can be erased and the chain holds.
Older ones are of format 1, with their details as they are. Those of an agent's stream
are of format 2: the resource is in the leaf by its salted digest, so that a key's name
can be erased, and the version's number joins the other facts in SQL, where it becomes
known (`audit_append_record_v1`).
"""

import hashlib
import hmac
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC
from decimal import Decimal
from typing import Any

from apps.audit.facts import Facts, StoredRecord, StreamFacts

# The link before the first record.
START = bytes(32)
# What leaves of the formats 2 and 3 begin with.
_FACTS = b"\x02"
_ERASABLE = b"\x03"
# Made once: `json.dumps` makes a writer for each call that asks for anything.
_SPELL = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
_ABSENT = (2**64 - 1).to_bytes(8, "big")


@dataclass(frozen=True, kw_only=True, slots=True)
class Verification:
    """The verdict: `broken_at` is the first number that does not hold, if any.

    The details of `erased` records are gone, with their salts: what these said nobody
    can tell, and the leaf stands for it. A chain cannot show that its newest records
    are missing. Whoever needs that keeps `chain` elsewhere and compares it later.
    """

    count: int
    broken_at: int | None
    chain: bytes
    erased: int = 0

    @property
    def is_intact(self) -> bool:
        return self.broken_at is None


def leaf(record: Facts) -> bytes:
    """Return the digest of everything that a record of format 1 says."""
    fields = (
        record.project_id,
        record.event_id,
        record.action,
        record.resource_type,
        record.resource_id,
        *_who_and_when(record),
    )
    return _framed(field.encode() for field in fields)


def details_digest(salt: bytes, details: Any) -> bytes:
    """Return what stands for a record's details, which nobody finds by guessing."""
    return hmac.digest(salt, _spelling(details).encode(), "sha256")


def erasable_leaf(record: Facts, digest: bytes) -> bytes:
    """Return the leaf of format 3: all that a record says, its details by `digest`."""
    fields = (
        record.project_id,
        record.event_id,
        record.action,
        record.resource_type,
        record.resource_id,
        record.actor_kind,
        record.actor_id,
        record.actor_label,
        digest,
        _moment(record),
    )
    said = _framed(one.encode() if isinstance(one, str) else one for one in fields)
    return hashlib.sha256(_ERASABLE + said).digest()


def is_erased(record: StoredRecord) -> bool:
    """Say whether the details of a record of format 3 went, together with its salt.

    Details that are empty beside their salt were emptied by somebody else.
    """
    return record.format == 3 and record.salt is None and record.details == {}


def resource_digest(salt: bytes, resource_id: str) -> bytes:
    """Return what stands for a resource's id, which nobody finds by guessing."""
    return hmac.digest(salt, resource_id.encode(), "sha256")


def facts(record: StreamFacts) -> bytes:
    """Return the digest of what a record of format 2 says, but for its version."""
    digest = record.resource_digest
    fields = (
        record.stream_id,
        record.project_id,
        record.event_id,
        record.action,
        record.resource_type,
        None if digest is None else bytes(digest),
        record.result,
        record.rule,
        *_who_and_when(record),
    )
    return _framed(one.encode() if isinstance(one, str) else one for one in fields)


def stream_leaf(facts: bytes, version: int | None) -> bytes:
    """Return the leaf of format 2, as `audit_append_record_v1` computes it."""
    number = -1 if version is None else version
    return hashlib.sha256(
        _FACTS + facts + number.to_bytes(8, "big", signed=True)
    ).digest()


def expected_leaf(record: StoredRecord) -> bytes | None:
    """Return the leaf that follows from a stored record; None where none can.

    What a format has no use for is empty, and a resource and details are what their
    digests say, unless they were erased together with the salt.
    """
    if record.format == 1:
        return leaf(record) if _has_no_more(record) else None
    if record.format == 2 and _is_resource_sound(record):
        return stream_leaf(facts(record), record.version)
    if record.format == 3 and _are_details_sound(record):
        return erasable_leaf(record, bytes(record.details_digest or b""))
    return None


def link(previous: bytes, number: int, leaf: bytes) -> bytes:
    """Return sha256(previous chain || number || leaf)."""
    return hashlib.sha256(previous + number.to_bytes(8, "big") + leaf).digest()


def verify(
    records: Iterable[StoredRecord], *, count: int = 0, chain: bytes = START
) -> Verification:
    """Recompute a chain and stop at the first record that fails.

    From its first record on, or after the `count` that led to the link `chain`.
    """
    erased = 0
    for record in records:
        number = count + 1
        following = _following(record, number, chain)
        if following is None:
            return Verification(
                count=count, broken_at=number, chain=chain, erased=erased
            )
        chain, count = following, number
        erased += is_erased(record)
    return Verification(count=count, broken_at=None, chain=chain, erased=erased)


def _following(record: StoredRecord, number: int, chain: bytes) -> bytes | None:
    """Return the link that a record makes, None where it is not what follows."""
    expected = expected_leaf(record)
    if expected is None:
        return None
    following = link(chain, number, expected)
    stored = (record.number, bytes(record.leaf), bytes(record.chain))
    return following if stored == (number, expected, following) else None


def _has_no_more(record: StoredRecord) -> bool:
    more = (record.salt, record.details_digest)
    return all(one is None for one in more) and _is_of_a_project(record)


def _is_of_a_project(record: StoredRecord) -> bool:
    more = (record.result, record.rule, record.version, record.resource_digest)
    is_empty = all(one is None for one in more)
    return is_empty and record.stream_id == record.project_id


def _are_details_sound(record: StoredRecord) -> bool:
    if record.details_digest is None or not _is_of_a_project(record):
        return False
    if record.salt is None:
        return is_erased(record)
    digest = details_digest(bytes(record.salt), record.details)
    return digest == bytes(record.details_digest)


def _is_resource_sound(record: StoredRecord) -> bool:
    if record.resource_digest is None or record.details_digest is not None:
        return False
    if record.salt is None:
        return record.resource_id == ""
    digest = resource_digest(bytes(record.salt), record.resource_id)
    return digest == bytes(record.resource_digest)


def _who_and_when(record: Facts) -> tuple[str, ...]:
    return (
        record.actor_kind,
        record.actor_id,
        record.actor_label,
        _spelling(record.details),
        _moment(record),
    )


def _moment(record: Facts) -> str:
    return record.created_at.astimezone(UTC).isoformat(timespec="microseconds")


def _spelling(details: Any) -> str:
    # Of most reads there are none.
    if details == {}:
        return "{}"
    return _SPELL(_spelled(details))


def _framed(fields: Iterable[bytes | None]) -> bytes:
    framed = bytearray()
    for data in fields:
        if data is None:
            framed += _ABSENT
        else:
            framed += len(data).to_bytes(8, "big") + data
    return hashlib.sha256(framed).digest()


def _spelled(value: Any) -> Any:
    # jsonb keeps a number's value but not its spelling: 1e16 comes back as a whole
    # number. Whole numbers are therefore hashed as such, however they were written: by
    # the digits that are sent, for 2.0**70 is 1.1805916207174113e+21, 3,424 less.
    if isinstance(value, float) and value.is_integer():
        return int(Decimal(repr(value)))
    if isinstance(value, dict):
        return {key: _spelled(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_spelled(item) for item in value]
    return value
