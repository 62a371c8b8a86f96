"""Have all workers of one server know a value by its name, in memory that they share.

The table is anonymous memory that workers have from the process that forks them: no
file, and nobody else's. Nobody locks it. Names that share a slot push each other out,
and of two writers at once one may spoil the other's value: a digest of name and value
stands before each, so what was spoiled is not found. Where workers are not forked
there is no table, and each knows what it knows itself.
"""

from __future__ import annotations

import mmap
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b

# A page of a slot takes memory once something stands in it: 128 MiB at most, for all.
SLOTS = 1 << 14
SLOT = 8192
_DIGEST_BYTES = 16
_LENGTH_BYTES = 4
_BEGIN = _DIGEST_BYTES + _LENGTH_BYTES
MOST_BYTES = SLOT - _BEGIN

_inherited: SharedValues | None = None


class SharedValues:
    """What any worker has put under a name last."""

    def __init__(self, slots: int = SLOTS) -> None:
        self._slots = slots
        self._memory = mmap.mmap(-1, slots * SLOT)

    def get(self, name: str) -> bytes | None:
        """Return the value; None where there is another's, a spoiled one or none."""
        place = self._place_of(name)
        begin = self._memory[place : place + _BEGIN]
        length = int.from_bytes(begin[_DIGEST_BYTES:], "little")
        if not 0 < length <= MOST_BYTES:
            return None
        value = self._memory[place + _BEGIN : place + _BEGIN + length]
        return value if begin[:_DIGEST_BYTES] == _digest(name, value) else None

    def put(self, name: str, value: bytes) -> None:
        """Have all workers know the value; one with too many bytes is left out."""
        if not value or len(value) > MOST_BYTES:
            self.drop(name)
            return
        place = self._place_of(name)
        written = b"%b%b%b" % (
            _digest(name, value),
            len(value).to_bytes(_LENGTH_BYTES, "little"),
            value,
        )
        self._memory[place : place + len(written)] = written

    def drop(self, name: str) -> None:
        """Take away what stands in the name's slot, with what it said."""
        if self.get(name) is not None:
            place = self._place_of(name)
            self._memory[place : place + SLOT] = bytes(SLOT)

    def _place_of(self, name: str) -> int:
        return zlib.crc32(name.encode()) % self._slots * SLOT


def _digest(name: str, value: bytes) -> bytes:
    named = name.encode()
    begin = len(named).to_bytes(_LENGTH_BYTES, "little")
    return blake2b(begin + named + value, digest_size=_DIGEST_BYTES).digest()


@contextmanager
def shared_values() -> Iterator[None]:
    """Make the table for the workers that are forked inside."""
    global _inherited
    _inherited = SharedValues()
    try:
        yield
    finally:
        _inherited = None


def inherited() -> SharedValues | None:
    """Return the table of this server's workers, if there is one."""
    return _inherited
