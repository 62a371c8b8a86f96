"""Digests that make history provable: leaves, chains, and what they cover.

`leaf` covers what a version claims: identity, operation, the commitment to its body,
actor, trace id, idempotency key and the time of the request. Texts that may have to
be erased (reasoning, step metadata) enter through salted digests, so that they can be
emptied and the leaf still recomputes. Derived data (changes, flags, facets) is not
covered: it can be erased and rebuilt.

Every field is written with its length before it, and leaf and chain start with
different bytes, so no two records and no two purposes share an encoding.
"""

import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256

SCHEMA = "stepback/1"
NO_CHAIN = bytes(32)  # what comes before version 0 of a session that is no fork


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """All that a leaf covers. Times are the request's, with microseconds, in UTC."""

    project_id: str
    session_id: str
    op: str
    hold: str
    restored_number: int | None
    undo_of: int | None
    external_id: str | None
    actor_kind: str
    actor_id: str
    trace_id: str
    request_key: str | None
    requested_at: datetime
    reasoning_digest: bytes
    step_digest: bytes
    commitment: bytes

    def leaf(self) -> bytes:
        """Return the 32 bytes that stand for this claim in the chain."""
        fields = (
            SCHEMA,
            self.project_id,
            self.session_id,
            self.op,
            self.hold,
            self.restored_number,
            self.undo_of,
            self.external_id,
            self.actor_kind,
            self.actor_id,
            self.trace_id,
            self.request_key,
            self.requested_at.astimezone(UTC).isoformat(timespec="microseconds"),
            self.reasoning_digest,
            self.step_digest,
            self.commitment,
        )
        return sha256(b"\x00" + _framed(fields)).digest()


def chain(previous: bytes, number: int, leaf: bytes) -> bytes:
    """Return the chain value of version `number`; the SQL functions do the same."""
    return sha256(b"\x01" + previous + number.to_bytes(8, "big") + leaf).digest()


def salted(salt: bytes, *texts: str | int | None) -> bytes:
    """Return the digest of texts that a reader without the salt cannot guess."""
    return hmac.digest(salt, _framed(texts), "sha256")


def _framed(fields: Iterable[str | int | bytes | None]) -> bytes:
    # None and "" differ: the first byte says whether there is a value.
    framed = bytearray()
    for field in fields:
        if field is None:
            framed += b"\x00"
            continue
        raw = field if isinstance(field, bytes) else str(field).encode()
        framed += b"\x01" + len(raw).to_bytes(8, "big") + raw
    return bytes(framed)
