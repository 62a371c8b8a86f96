"""Send large responses in pieces, within a memory budget for all of them.

A response that waits for its reader has no thread, but is in memory. When all of them
together exceed the budget, the one that has made no progress for longest is given up;
its Content-Length was sent before, so no client mistakes it for complete.
"""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Awaitable, Callable
from threading import Lock
from time import monotonic
from typing import Any

Send = Callable[[dict[str, Any]], Awaitable[None]]

PIECE = 64 * 1024
# What readers may leave untaken in one process, for the largest and some more.
UNTAKEN_BYTES = 64 * 1024 * 1024
# A reader who takes no piece for so long is not waited for.
STALL_SECONDS = 30.0


class _Departure:
    """One answer; `left` bytes of it are not taken."""

    __slots__ = ("_awaited", "_is_given_up", "left", "moved_at")

    def __init__(self, size: int) -> None:
        self.left = size
        self.moved_at = monotonic()
        self._awaited: Any = None
        self._is_given_up = False

    async def send(self, body: bytes, send: Send) -> None:
        while self.left and not self._is_given_up:
            at = len(body) - self.left
            piece = body[at : at + PIECE]
            self._awaited = send(
                {
                    "type": "http.response.body",
                    "body": piece,
                    "more_body": len(piece) < self.left,
                }
            )
            await self._awaited
            self.left -= len(piece)
            self.moved_at = monotonic()

    def give_up(self) -> None:
        """End it, from any thread."""
        self._is_given_up = True
        cancel = getattr(self._awaited, "cancel", None)
        if cancel is not None:
            cancel()


class Departures:
    """All large answers on their way from this process."""

    def __init__(self, *, untaken: int = UNTAKEN_BYTES) -> None:
        self._most = untaken
        self._departing: dict[_Departure, None] = {}
        self._lock = Lock()

    async def send(self, body: bytes, send: Send) -> None:
        """Send a body whose headers are sent; each wait gives the thread back."""
        departure = _Departure(len(body))
        self._admit(departure)
        try:
            await departure.send(body, send)
        except CancelledError:  # It was given up.
            pass
        finally:
            with self._lock:
                self._departing.pop(departure, None)

    def sweep(self, now: float) -> None:
        """Give up those whose readers take nothing."""
        with self._lock:
            late = [
                each for each in self._departing if now - each.moved_at > STALL_SECONDS
            ]
        for departure in late:
            departure.give_up()

    def _admit(self, departure: _Departure) -> None:
        """Give up as many others as are too many together with this one."""
        with self._lock:
            excess = departure.left - self._most
            excess += sum(each.left for each in self._departing)
            stalled = []
            for each in sorted(self._departing, key=lambda one: one.moved_at):
                if excess <= 0:
                    break
                stalled.append(each)
                excess -= each.left
                del self._departing[each]
            self._departing[departure] = None
        for each in stalled:
            each.give_up()
