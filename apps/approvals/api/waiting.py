"""Waiting for an outcome: a few requests of a process hold a thread, no more.

Whoever finds no place is answered at once, and asks again a little later.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import BoundedSemaphore
from typing import TypeVar

T = TypeVar("T")

# Threads are what other requests are served with.
AT_ONCE = 2
LONGEST_SECONDS = 30
EVERY_SECONDS = 0.25
RETRY_SECONDS = 2

_places = BoundedSemaphore(AT_ONCE)


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
