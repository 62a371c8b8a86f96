"""Waiting, in both ways: a thread sleeps, a task lets others run."""

from __future__ import annotations

import asyncio
import time


async def pause_async(seconds: float) -> None:
    await asyncio.sleep(seconds)


def pause(seconds: float) -> None:
    time.sleep(seconds)


# Of one request, which the server lets wait for up to 30; and what of the time-out of
# a read is left for the answer.
LONGEST_WAIT, MARGIN = 25, 5
AGAIN_SECONDS, LONGEST_AGAIN = 2.0, 30.0


class Rounds:
    """Counts the requests that wait for one thing, each for some seconds.

    `read_timeout` is the client's: one that asked for longer would not hear the answer.
    """

    def __init__(self, seconds: float, *, read_timeout: float | None) -> None:
        self._until = time.monotonic() + seconds
        self._most = LONGEST_WAIT
        if read_timeout is not None:
            self._most = min(LONGEST_WAIT, int(read_timeout) - MARGIN)
        self._again = AGAIN_SECONDS
        self._began = self._left = 0.0

    @property
    def is_over(self) -> bool:
        """Whether the request of this round was the last."""
        return self._left <= 0

    def begin(self) -> int:
        """Begin a round; return the seconds for which its request may wait."""
        self._began = time.monotonic()
        self._left = self._until - self._began
        return max(0, min(self._most, int(self._left)))

    def pause(self) -> float:
        """Return the seconds before the next round.

        None after one that has waited. Of too many the server answers some at once:
        then each time twice as long as before, which is what it asks for.
        """
        if time.monotonic() - self._began >= AGAIN_SECONDS:
            self._again = AGAIN_SECONDS
            return 0.0
        again, self._again = self._again, min(2 * self._again, LONGEST_AGAIN)
        return min(again, max(0.0, self._left))
