"""Bound the memory that large request bodies take in one process, in fair shares.

A body waits for memory without a thread, unread: TCP holds the client back. Requests
are served first come, first served, but one share (a project or a signed-in person) has
at most what the largest body needs; the rest is reserved for others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator
from concurrent.futures import Future
from threading import Lock
from time import monotonic

from apps.core.admission.gate import RETRY_SECONDS
from apps.core.errors import Busy

# What one share cannot take from all others together.
FOR_OTHERS = 8 * 1024 * 1024


class _Place:
    """A place in the queue; await it until the memory is granted."""

    __slots__ = ("asked_at", "given", "share", "size")

    def __init__(self, size: int, share: str) -> None:
        self.size = size
        self.share = share
        self.asked_at = monotonic()
        self.given: Future[None] = Future()

    def __await__(self) -> Generator[Future[None]]:
        yield self.given


class Room:
    """So many bytes for each share, and `for_others` more for all together."""

    def __init__(
        self, *, largest: int, patience: float, for_others: int = FOR_OTHERS
    ) -> None:
        self._largest = largest
        self._left = largest + for_others
        self._held: defaultdict[str, int] = defaultdict(int)
        self._patience = patience
        self._waiting: list[_Place] = []
        self._lock = Lock()

    async def hold(self, size: int, share: str) -> None:
        """Hold so many bytes until they are released.

        Raises: Busy when they do not come free in time.
        """
        place = _Place(size, share)
        with self._lock:
            self._waiting.append(place)
            given = self._give()
        _resume(given)
        await place

    def release(self, size: int, share: str) -> None:
        with self._lock:
            self._left += size
            self._held[share] -= size
            if not self._held[share]:
                del self._held[share]
            given = self._give()
        _resume(given)

    def is_wanted_since(self, moment: float) -> bool:
        """Whether somebody has been waiting since then, by the monotonic clock."""
        with self._lock:
            return any(place.asked_at <= moment for place in self._waiting)

    def expire(self, now: float) -> None:
        """Refuse those who have waited too long."""
        with self._lock:
            late = [
                place
                for place in self._waiting
                if now - place.asked_at > self._patience
            ]
            for place in late:
                self._waiting.remove(place)
            given = self._give()
        for place in late:
            place.given.set_exception(_busy())
        _resume(given)

    def _give(self) -> list[_Place]:
        """Take those from the queue for whom there is room now."""
        given, waiting = [], []
        is_full = False
        for place in self._waiting:
            # Who waits for his own share lets others pass.
            may_have = self._held.get(place.share, 0) + place.size <= self._largest
            is_full = is_full or (may_have and place.size > self._left)
            if is_full or not may_have:
                waiting.append(place)
                continue
            self._left -= place.size
            self._held[place.share] += place.size
            given.append(place)
        self._waiting = waiting
        return given


def _resume(given: list[_Place]) -> None:
    # Not under the lock: a coroutine goes on here, in this thread.
    for place in given:
        place.given.set_result(None)


def _busy() -> Busy:
    return Busy(
        "Other large bodies are being received; nothing was stored. Retry shortly.",
        retry_after=RETRY_SECONDS,
    )
