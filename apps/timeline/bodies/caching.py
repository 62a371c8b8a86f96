"""Decoded bodies of this process, by session and number, bounded by bytes."""

import threading
from collections import OrderedDict
from typing import NamedTuple

from apps.diffs.outlines import Outline

CACHE_BYTES = 32 * 1024 * 1024


class Seal(NamedTuple):
    """What a body here was verified by: the digest of what it was decoded from."""

    stored: bytes
    commitment: bytes


class Cache:
    """Decoded bodies, the least recently used dropped first; safe between threads.

    An entry is never stale, because bodies never change; but who erases a body must
    `forget` it, and other processes ask the database whether it still exists.
    """

    def __init__(self, max_bytes: int = CACHE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._bodies: OrderedDict[tuple[str, int], bytes] = OrderedDict()
        self._numbers: dict[str, set[int]] = {}
        self._outlines: dict[tuple[str, int], Outline] = {}
        self._seals: dict[tuple[str, int], Seal] = {}
        self._lock = threading.Lock()

    def get(self, key: tuple[str, int]) -> bytes | None:
        """Return the body of (session id, number) if it is here."""
        with self._lock:
            if key in self._bodies:
                self._bodies.move_to_end(key)
            return self._bodies.get(key)

    def newest(self, session_id: str, most: int) -> dict[int, bytes]:
        """Return the highest bodies of the session that are here, by number."""
        with self._lock:
            numbers = self._numbers.get(session_id, ())
            return {
                number: self._bodies[session_id, number]
                for number in sorted(numbers, reverse=True)[:most]
            }

    def outline(self, key: tuple[str, int]) -> Outline | None:
        """Return the outline of the state of a body that is here."""
        return self._outlines.get(key)

    def keep_outline(self, key: tuple[str, int], outline: Outline) -> None:
        """Keep the outline as long as the body, if that is here."""
        with self._lock:
            if key in self._bodies:
                self._outlines[key] = outline

    def seal(self, key: tuple[str, int]) -> Seal | None:
        """Return what a body that is here was verified by, if it was."""
        return self._seals.get(key)

    def put(self, key: tuple[str, int], raw: bytes, seal: Seal | None = None) -> None:
        """Keep the body, unless it alone would fill more than half of the cache."""
        if 2 * len(raw) > self._max_bytes:
            return
        with self._lock:
            if key in self._bodies and self._bodies[key] == raw:
                # With what else is kept of it.
                self._bodies.move_to_end(key)
            else:
                self._drop(key)
                self._bodies[key] = raw
                self._bytes += len(raw)
            if seal is not None:
                self._seals[key] = seal
            self._numbers.setdefault(key[0], set()).add(key[1])
            while self._bytes > self._max_bytes:
                self._drop(next(iter(self._bodies)))

    def forget(self, session_id: str, number: int | None = None) -> None:
        """Drop one body, or all of the session."""
        with self._lock:
            for key in list(self._bodies):
                if key[0] == session_id and number in (None, key[1]):
                    self._drop(key)

    @property
    def size(self) -> int:
        """How many bytes are held."""
        return self._bytes

    def _drop(self, key: tuple[str, int]) -> None:
        if key not in self._bodies:
            return
        self._bytes -= len(self._bodies.pop(key))
        self._outlines.pop(key, None)
        self._seals.pop(key, None)
        session_id, number = key
        self._numbers[session_id].discard(number)
        if not self._numbers[session_id]:
            del self._numbers[session_id]


cache = Cache()
