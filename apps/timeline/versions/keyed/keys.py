"""Keys of documents, in the order of their bytes."""

from __future__ import annotations

MAX_KEY = 512
# Behind every key.
LAST_KEY = "\U0010ffff" * (MAX_KEY + 1)
_SURROGATES = range(0xD800, 0xE000)


def behind(prefix: str) -> str:
    """Return the first text behind all keys that begin so, in the order of bytes."""
    for at in range(len(prefix) - 1, -1, -1):
        point = ord(prefix[at]) + 1
        if point in _SURROGATES:
            point = _SURROGATES.stop
        if point <= ord(LAST_KEY[0]):
            return prefix[:at] + chr(point)
    return LAST_KEY
