"""Waiting for an outcome: a few requests of a process hold a thread, no more.

Whoever finds no place is answered at once, and asks again a little later. Who waits
looks at a sign that costs little, such as the number of the session's newest version,
and only where that has changed, or now and then, at the whole.
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
# What comes of it by time alone changes no sign.
LOOK_EVERY_SECONDS = 1.0
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
    look: Callable[[], T],
    *,
    is_over: Callable[[T], bool],
    sign: Callable[[T], object],
    seconds: int,
) -> tuple[T, bool]:
    """Look until it is over or the time is; say whether there was a place to wait.

    `sign` is asked instead between two looks: what ends it otherwise than by time
    changes the sign.
    """
    found = look()
    if is_over(found) or not seconds:
        return found, True
    if not _places.acquire(blocking=False):
        return found, False
    try:
        return _waited(found, look, is_over, sign, seconds), True
    finally:
        _places.release()


def _waited(
    found: T,
    look: Callable[[], T],
    is_over: Callable[[T], bool],
    sign: Callable[[T], object],
    seconds: int,
) -> T:
    until = time.monotonic() + seconds
    # What changed before the first sign was seen shows in the look that follows it.
    seen, looked_at = object(), 0.0
    while not is_over(found) and time.monotonic() < until:
        time.sleep(EVERY_SECONDS)
        now, last = time.monotonic(), seen
        seen = sign(found)
        is_due = now - looked_at >= LOOK_EVERY_SECONDS or now >= until
        if seen != last or is_due:
            found, looked_at = look(), now
    return found
