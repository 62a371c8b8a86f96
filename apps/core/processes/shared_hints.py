"""Hint at the newest number of a thing to all workers of one server, in shared memory.

A worker that remembers version 7 of a session reads the session anew where another
worker has stored version 8 since. It is a hint and nothing more: what is built on a
number is checked where it is stored, so a hint may be missing, late or another's.

The table is one memory-mapped file of 8-byte words that nobody locks: 24 bits of the
name's digest, 40 bits of the number. A word is written at once, names that share a
word push each other out, and the file begins empty with each start of the server.
"""

import hashlib
import mmap
import struct
from contextlib import AbstractContextManager

from apps.core.processes.shared_files import shared_file

# Names the file to the workers.
VARIABLE = "STEPBACK_SHARED_HINTS"
WORDS = 1 << 17
SIZE = WORDS * 8
_WORD = struct.Struct("=Q")
_NUMBER_BITS = 40
_NUMBERS = (1 << _NUMBER_BITS) - 1


class SharedHints:
    """The newest number that any worker has told of a name."""

    def __init__(self, path: str) -> None:
        with open(path, "r+b") as file:
            self._memory = mmap.mmap(file.fileno(), SIZE)

    def newest(self, name: str) -> int | None:
        """Return the number told last, None where another name pushed it out."""
        place, tag = _place_of(name)
        (word,) = _WORD.unpack_from(self._memory, place)
        return word & _NUMBERS if word >> _NUMBER_BITS == tag else None

    def tell(self, name: str, number: int) -> None:
        """Have the other workers know of this number."""
        place, tag = _place_of(name)
        _WORD.pack_into(self._memory, place, tag << _NUMBER_BITS | number & _NUMBERS)


def _place_of(name: str) -> tuple[int, int]:
    digest = hashlib.blake2b(name.encode(), digest_size=8).digest()
    # No tag is 0: an empty word is nobody's.
    return (
        int.from_bytes(digest[:4], "big") % WORDS * 8,
        int.from_bytes(digest[4:7], "big") or 1,
    )


def shared_hints() -> AbstractContextManager[None]:
    """Make the file and name it to the processes that are started inside."""
    return shared_file(VARIABLE, bytes(SIZE))
