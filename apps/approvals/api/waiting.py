"""Waiting for an outcome: a few requests of a process hold a thread, no more.

Whoever finds no place is answered at once, and asks again a little later.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from threading import BoundedSemaphore, Lock
from typing import TypeVar

T = TypeVar("T")

# Threads are what other requests are served with.
AT_ONCE = 2
LONGEST_SECONDS = 30
EVERY_SECONDS = 0.25
# Who finds no place asks again later, the more there are: so many a second in all.
RETRY_SECONDS, LATEST_RETRY_SECONDS = 2, 30
RETRIES_A_SECOND = 4

_places = BoundedSemaphore(AT_ONCE)


class Crowd:
    """Those who found no place lately, within the time after which they ask again."""

    def __init__(self) -> None:
        self._asked: deque[float] = deque()
        self._told = RETRY_SECONDS
        self._lock = Lock()

    def retry_after(self, now: float) -> int:
        """Return after how many seconds one more asks again."""
        with self._lock:
            self._asked.append(now)
            while self._asked[0] < now - self._told:
                self._asked.popleft()
            wanted = len(self._asked) // RETRIES_A_SECOND
            self._told = min(max(wanted, RETRY_SECONDS), LATEST_RETRY_SECONDS)
            return self._told


CROWD = Crowd()


def wait_for(
    look: Callable[[], T], *, is_over: Callable[[T], bool], seconds: int
) -> tuple[T, bool]:
    """Look until it is over or the time is; say whether there was a place to wait."""
    found = look()
    if is_over(found) or not seconds:
        return found, True
    if not _places.acquire(blocking=False):
        return found, False
    try:
        until = time.monotonic() + seconds
        while not is_over(found) and time.monotonic() < until:
            time.sleep(EVERY_SECONDS)
            found = look()
    finally:
        _places.release()
    return found, True
