"""Receive request bodies without a thread: size limit, deadline, minimum rate.

A request whose body is incomplete has no thread and no database connection. It costs
the bytes received so far, so slow ones may be many; when all of them together hold too
much memory, those that began first are refused.
"""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Awaitable, Callable
from io import BytesIO
from math import inf
from time import monotonic
from typing import Any

from apps.core.admission.gate import GATE_SECONDS, GATED_BYTES
from apps.core.errors import Busy, DomainError, InvalidRequest, PayloadTooLarge
from apps.server.front.room import Room

Receive = Callable[[], Awaitable[dict[str, Any]]]

# A body may take so long to begin with, and a second more for every so many bytes.
START_SECONDS = 10.0
LEAST_RATE = 16 * 1024
# So fast has a large one to come while others want the room that it holds.
HURRIED_SECONDS = 5.0
HURRIED_RATE = 1024 * 1024
# Up to here a body needs no room.
SMALL_BYTES = 64 * 1024
# What all small ones together may have in memory before they are whole.
UNFINISHED_BYTES = 16 * 1024 * 1024
SWEEP_SECONDS = 0.5
STOPPING_RETRY_SECONDS = 1


class RequestTimeout(DomainError):
    """The body came too slowly; nothing was stored."""

    code = "request_timeout"


class Arrival:
    """A body on its way: `length` bytes, or in chunks; at most `most`.

    `share` is whose share of the room a large one takes.
    """

    __slots__ = (
        "_awaited",
        "_receive",
        "_refusal",
        "began",
        "is_dropped",
        "length",
        "most",
        "received",
        "room",
        "share",
    )

    def __init__(
        self, receive: Receive, *, length: int | None, most: int, share: str = ""
    ) -> None:
        self.length = length
        self.most = most
        self.share = share
        self.began = monotonic()
        self.received = 0
        # How many bytes of the room it holds.
        self.room = 0
        # Whether what comes is not kept.
        self.is_dropped = False
        self._receive = receive
        self._awaited: Any = None
        self._refusal: DomainError | None = None

    async def piece(self) -> tuple[bytes, bool]:
        """Return what came next, and whether it was the last.

        Raises: InvalidRequest when the connection was cut; what it was refused with.
        """
        self._awaited = self._receive()
        try:
            message = await self._awaited
        except CancelledError:
            message = {"type": "http.disconnect"}
        if self._refusal is not None:
            raise self._refusal
        if message["type"] == "http.disconnect":
            raise InvalidRequest("The connection was cut before the body was whole.")
        piece: bytes = message["body"]
        self.received += len(piece)
        return piece, not message["more_body"] or self.received == self.length

    def refuse(self, refusal: DomainError) -> None:
        """End the wait for the next piece, from any thread.

        Between two waits there is none to end: the sweep refuses it again later.
        """
        self._refusal = refusal
        awaited = self._awaited
        if awaited is not None:
            awaited.cancel()

    def end(self) -> None:
        """Let go of the connection and of the refusal, which knows where it was raised.

        They and this refer to each other: circles that the collector comes for late,
        and until then granian would keep the connection open.
        """
        del self._receive
        self._awaited = self._refusal = None

    @property
    def unfinished(self) -> int:
        """How many bytes it has in memory beside the room."""
        return 0 if self.room or self.is_dropped else self.received

    @property
    def wanted_room(self) -> int:
        """How much room it needs by what is known of its size."""
        size = self.received if self.length is None else self.length
        if size <= SMALL_BYTES:
            return 0
        if self.length is not None:
            return size
        return GATED_BYTES if size <= GATED_BYTES else self.most

    def is_late(self, now: float) -> bool:
        return now > self.began + START_SECONDS + self.received / LEAST_RATE

    def is_in_the_way(self, now: float) -> bool:
        """Say whether it holds room and comes slowly."""
        hurried = HURRIED_SECONDS + self.received / HURRIED_RATE
        return self.room > 0 and now > self.began + hurried

    def refuse_larger(self) -> None:
        """Raises: PayloadTooLarge."""
        if max(self.length or 0, self.received) > self.most:
            raise PayloadTooLarge(
                f"The body is larger than {self.most:,} bytes, the most that is "
                "accepted.",
                limit=self.most,
            )


class Bodies:
    """All bodies on their way to this process."""

    def __init__(self, *, largest: int) -> None:
        self._room = Room(largest=largest, patience=GATE_SECONDS)
        # In the order in which they began.
        self._arriving: dict[Arrival, None] = {}

    async def receive(self, arrival: Arrival) -> bytes:
        """Return the whole body; a large one holds room until it leaves.

        Raises: PayloadTooLarge, RequestTimeout, InvalidRequest, Busy.
        """
        arrival.refuse_larger()
        self._arriving[arrival] = None
        try:
            return await self._whole(arrival)
        finally:
            self._arriving.pop(arrival, None)
            arrival.end()

    def leave(self, arrival: Arrival) -> None:
        """Let others have the room of this one."""
        if arrival.room:
            size, arrival.room = arrival.room, 0
            self._room.release(size, arrival.share)

    def stop(self) -> None:
        """Refuse all that are on their way: this process is about to end."""
        self._room.expire(inf)
        for arrival in list(self._arriving):
            arrival.refuse(_stopping())

    def sweep(self, now: float) -> None:
        """Refuse those that are too slow, or too many together."""
        self._room.expire(now)
        is_wanted = self._room.is_wanted_since(now - 2 * SWEEP_SECONDS)
        arriving = list(self._arriving)
        excess = sum(arrival.unfinished for arrival in arriving) - UNFINISHED_BYTES
        for arrival in arriving:
            is_slow = arrival.is_late(now)
            if is_slow or (is_wanted and arrival.is_in_the_way(now)):
                arrival.refuse(RequestTimeout())
            elif excess > 0 and arrival.unfinished:
                excess -= arrival.unfinished
                arrival.refuse(RequestTimeout())

    async def _whole(self, arrival: Arrival) -> bytes:
        await self._make_room(arrival)
        piece, is_last = await arrival.piece()
        if is_last and arrival.length is not None:
            # The usual one, which came with its headers.
            return self._checked(arrival, piece)
        # A list of pieces would stand beside the whole for a moment: twice the memory.
        whole = BytesIO()
        whole.write(piece)
        while not is_last:
            arrival.refuse_larger()
            await self._make_room(arrival)
            piece, is_last = await arrival.piece()
            whole.write(piece)
        return self._checked(arrival, whole.getvalue())

    def _checked(self, arrival: Arrival, whole: bytes) -> bytes:
        arrival.refuse_larger()
        if arrival.length is not None and len(whole) < arrival.length:
            raise InvalidRequest("The body ended before its Content-Length.")
        return whole

    async def _make_room(self, arrival: Arrival) -> None:
        """Hold the room that it needs, as far as that is known.

        Where there is none, what still comes is received and dropped: a client that is
        cut off while it sends does not read that it should retry.

        Raises: Busy.
        """
        if arrival.wanted_room <= arrival.room:
            return
        # Who holds some and waits for more would keep others from theirs.
        self.leave(arrival)
        try:
            await self._wait_for_room(arrival)
        except Busy:
            arrival.is_dropped = True
            is_last = False
            while not is_last and arrival.received <= arrival.most:
                _, is_last = await arrival.piece()
            raise

    async def _wait_for_room(self, arrival: Arrival) -> None:
        """Raises: Busy."""
        # It is not late for the time that it waits here, unread.
        self._arriving.pop(arrival, None)
        asked_at, wanted = monotonic(), arrival.wanted_room
        try:
            await self._room.hold(wanted, arrival.share)
            arrival.room = wanted
        finally:
            arrival.began += monotonic() - asked_at
            self._arriving[arrival] = None


def _stopping() -> Busy:
    return Busy(
        "The server is stopping; nothing was stored. Retry shortly.",
        retry_after=STOPPING_RETRY_SECONDS,
    )
