"""Public ids: a prefix and a UUIDv7 in lower-case Crockford base32.

They are made in Python, sort by the time they were made, and all have one length
per prefix, because a session id is a distribution key whose type can never change.
"""

import secrets
from datetime import datetime, timedelta

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
DIGITS = 26
# Two digits at a time: a request makes half a dozen ids.
_PAIRS = [first + second for first in ALPHABET for second in ALPHABET]
_SHIFTS = range(5 * DIGITS - 10, -1, -10)

# The time in an event's id is that of the writer's clock: never later than its
# `created_at`, and at most so much earlier, where the clock went back or a write waited
# for another.
CLOCK = timedelta(hours=1)

RANDOM_BITS = 62
SEQUENCE_BITS = 24


def new_id(prefix: str, *, now: datetime, sequence: int | None = None) -> str:
    """Return e.g. `sess_06b3...`: 48 bits of milliseconds, 62 random bits.

    The 12 bits between them are the fraction of the millisecond (RFC 9562, 6.2,
    method 3), so that ids of one process sort as they were made. Those of one moment
    sort by `sequence`, which takes the place of the first 24 random bits.
    """
    value = _time_bits(_microseconds(now)) | 0b10 << 62 | _low_bits(sequence)
    return f"{prefix}_{_base32(value)}"


def first_id(prefix: str, at: datetime) -> str:
    """Return what sorts before every id that was made at this moment or later."""
    return f"{prefix}_{_base32(_time_bits(max(_microseconds(at), 0)))}"


def _microseconds(at: datetime) -> int:
    return int(at.timestamp()) * 1_000_000 + at.microsecond


def _time_bits(microseconds: int) -> int:
    """Return the upper 64 bits: milliseconds, the UUID's version, the fraction."""
    milliseconds, fraction = divmod(microseconds, 1000)
    return (
        (milliseconds & (1 << 48) - 1) << 80
        | 0x7 << 76
        | (fraction * 4096 // 1000) << 64
    )


def _low_bits(sequence: int | None) -> int:
    if sequence is None:
        return secrets.randbits(RANDOM_BITS)
    room = RANDOM_BITS - SEQUENCE_BITS
    return sequence % (1 << SEQUENCE_BITS) << room | secrets.randbits(room)


def _base32(value: int) -> str:
    return "".join([_PAIRS[value >> shift & 1023] for shift in _SHIFTS])
