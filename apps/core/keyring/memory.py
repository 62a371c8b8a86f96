"""Unwrapped keys of this process, for five minutes each.

So keys that are in use go on while what unwraps them is away, and who takes the
key-encryption key away has closed everything after five minutes.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from apps.core.keyring.sealing import Key

KEPT_SECONDS = 300.0
MOST = 10_000
# Returns the key with a mark, None where there is none (any more).
# Raises: KeysUnavailable.
Finder = Callable[[bytes], Key | None]
_finders: list[Finder] = []


def find_with(finder: Finder) -> None:
    """Have keys that are not in memory looked for so; said once, by who stores them."""
    _finders[:] = [finder]


class Memory:
    """Keys by their marks, safe between threads; the least recently used go first."""

    def __init__(
        self,
        *,
        seconds: float = KEPT_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._seconds = seconds
        self._clock = clock
        self._keys: OrderedDict[bytes, tuple[Key, float]] = OrderedDict()
        self._lock = threading.Lock()

    def known(self, mark: bytes) -> Key | None:
        """Return the key if it is here, looking nowhere else."""
        with self._lock:
            found = self._keys.get(mark)
            if found is None:
                return None
            key, until = found
            if until <= self._clock():
                del self._keys[mark]
                return None
            self._keys.move_to_end(mark)
            return key

    def key(self, mark: bytes) -> Key | None:
        """Return the key with this mark; None where it was destroyed, or never was.

        Raises: KeysUnavailable.
        """
        key = self.known(mark)
        if key is None and _finders:
            key = _finders[0](mark)
            if key is not None:
                self.keep(key)
        return key

    def keep(self, key: Key) -> None:
        """Keep a key that was unwrapped just now."""
        with self._lock:
            self._keys[key.mark] = key, self._clock() + self._seconds
            self._keys.move_to_end(key.mark)
            while len(self._keys) > MOST:
                self._keys.popitem(last=False)

    def forget(self, mark: bytes | None = None) -> None:
        """Drop one key, or all."""
        with self._lock:
            if mark is None:
                self._keys.clear()
            else:
                self._keys.pop(mark, None)


MEMORY = Memory()
