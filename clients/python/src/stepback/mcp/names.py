"""Names of checkpoints: UUIDv6, which sort by the time they were made."""

from __future__ import annotations

import secrets
import time
import uuid

# From the beginning of the Gregorian calendar to that of Unix, in 100 ns.
EPOCH = 0x01B21DD213814000


def new_name() -> str:
    """Return a new UUIDv6 with a random node."""
    ticks = time.time_ns() // 100 + EPOCH
    high, low = ticks >> 12, ticks & 0xFFF
    rest = secrets.randbits(62)
    return str(uuid.UUID(int=high << 80 | 6 << 76 | low << 64 | 2 << 62 | rest))
