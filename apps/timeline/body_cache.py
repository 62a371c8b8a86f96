"""Decoded bodies of this process, by session and number, bounded by bytes."""

import threading
from collections import OrderedDict

CACHE_BYTES = 32 * 1024 * 1024


class Cache:
    """Decoded bodies, the least recently used dropped first; safe between threads.

    An entry is never stale, because bodies never change; but who erases a body must
    `forget` it, and other processes ask the database whether it still exists.
    """

    def __init__(self, max_bytes: int = CACHE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._bodies: OrderedDict[tuple[str, int], bytes] = OrderedDict()
        self._newest: dict[str, int] = {}
        self._lock = threading.Lock()

    def get(self, key: tuple[str, int]) -> bytes | None:
        """Return the body of (session id, number) if it is here."""
        with self._lock:
            if key in self._bodies:
                self._bodies.move_to_end(key)
            return self._bodies.get(key)

    def newest(self, session_id: str) -> tuple[int, bytes] | None:
        """Return the highest body of the session that is here, with its number."""
        with self._lock:
            number = self._newest.get(session_id)
            if number is None:
                return None
            self._bodies.move_to_end((session_id, number))
            return number, self._bodies[session_id, number]

    def put(self, key: tuple[str, int], raw: bytes) -> None:
        """Keep the body, unless it alone would fill more than half of the cache."""
        if 2 * len(raw) > self._max_bytes:
            return
        with self._lock:
            self._drop(key)
            self._bodies[key] = raw
            self._bytes += len(raw)
            session_id, number = key
            self._newest[session_id] = max(number, self._newest.get(session_id, 0))
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
        self._bytes -= len(self._bodies.pop(key, b""))
        session_id, number = key
        # Those below it may still be here: they are only missed.
        if self._newest.get(session_id) == number:
            del self._newest[session_id]


cache = Cache()
