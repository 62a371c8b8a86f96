"""Digests that make history provable: leaves, chains, and what they cover.

`leaf` covers what a version claims: identity, operation, the commitment to its body,
actor, trace id, idempotency key and the time of the request; of a merge its second
parent as well, and then it names another schema. Texts that may have to
be erased (reasoning, step metadata) enter through salted digests, so that they can be
emptied and the leaf still recomputes. Derived data (changes, flags, facets) is not
covered: it can be erased and rebuilt.

Turns have leaves and a chain of their own, which begins with their session's id.

Every field is written with its length before it, and the leaves and chains of versions
and turns start with different bytes, so no two records and no two purposes share an
encoding.
"""

import hmac
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from operator import attrgetter

SCHEMA = "stepback/1"
# Of a version with a second parent; leaves of all others stay as they ever were.
MERGED_SCHEMA = "stepback/2"
TURN_SCHEMA = "stepback-turn/1"
# Of a turn that says what it used.
USED_SCHEMA = "stepback-turn/2"
SALT_BYTES = 32
STEP_FIELDS = (
    "step_number",
    "step_parent_id",
    "objective_status",
    "schema_version",
    "release",
    "model",
)
NO_CHAIN = bytes(32)  # what comes before version 0 of a session that is no fork
step_values = attrgetter(*STEP_FIELDS)


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
    source_session_id: str | None = None
    source_number: int | None = None
    source_digest: bytes | None = None
    source_opaque: bool | None = None

    def leaf(self) -> bytes:
        """Return the 32 bytes that stand for this claim in the chain."""
        opaque = None if self.source_opaque is None else int(self.source_opaque)
        source = (
            *(self.source_session_id, self.source_number),
            *(self.source_digest, opaque),
        )
        # What names no second parent claims nothing of one.
        claimed = () if source == (None, None, None, None) else source
        fields = (
            MERGED_SCHEMA if claimed else SCHEMA,
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
            *claimed,
        )
        return sha256(b"\x00" + _framed(fields)).digest()


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnClaim:
    """All that the leaf of a turn covers; its number is the chain's."""

    project_id: str
    session_id: str
    id: str
    head_number: int
    made_version: bool
    before_number: int | None
    state_after_sent: bool
    actor_kind: str
    actor_id: str
    trace_id: str
    input_type: str
    output_type: str
    request_key: str | None
    requested_at: datetime
    reasoning_digest: bytes
    commitment: bytes
    usage: Mapping[str, str | int] | None = None

    def leaf(self) -> bytes:
        """Return the 32 bytes that stand for this claim in the chain of turns."""
        used = self.usage is not None
        fields = (
            USED_SCHEMA if used else TURN_SCHEMA,
            self.project_id,
            self.session_id,
            self.id,
            self.head_number,
            int(self.made_version),
            self.before_number,
            int(self.state_after_sent),
            self.actor_kind,
            self.actor_id,
            self.trace_id,
            self.input_type,
            self.output_type,
            self.request_key,
            self.requested_at.astimezone(UTC).isoformat(timespec="microseconds"),
            self.reasoning_digest,
            self.commitment,
            *(one for said in sorted((self.usage or {}).items()) for one in said),
        )
        return sha256(b"\x02" + _framed(fields)).digest()


def chain(previous: bytes, number: int, leaf: bytes) -> bytes:
    """Return the chain value of version `number`; the SQL functions do the same."""
    return sha256(b"\x01" + previous + number.to_bytes(8, "big") + leaf).digest()


def before_turns(session_id: str) -> bytes:
    """Return what the chain of a session's turns begins with."""
    return sha256(b"\x04" + session_id.encode()).digest()


def turn_chain(previous: bytes, turn_number: int, leaf: bytes) -> bytes:
    """Return the chain value of a turn; the SQL function does the same."""
    return sha256(b"\x03" + previous + turn_number.to_bytes(8, "big") + leaf).digest()


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
