"""Isolate kinds of callers from each other in thread pools (bulkheads).

A request waits for its turn without a thread, in the order of arrival within its pool.
No pool waits for another, so slow requests in one leave the others alone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass
from queue import SimpleQueue
from time import monotonic
from typing import Any

import structlog

from apps.accounts.hashing import PLACES
from apps.core.errors import Busy

log = structlog.get_logger(__name__)

# More than that in front of one, or longer, and it is better tried again later.
WAITING = 256
PATIENCE_SECONDS = 10.0
# Who is refused is told why, however busy the machine: it takes a millisecond, and
# tried again it would only be refused again.
REFUSAL_PATIENCE_SECONDS = 60.0
RETRY_SECONDS = 2

Step = Callable[[Any], None]


class Turn:
    """Await to continue on a thread of the pool, in order of arrival."""

    __slots__ = ("_asked_at", "_pool")

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._asked_at = monotonic()

    def __await__(self) -> Generator[Turn]:
        yield self

    def add_done_callback(self, step: Step) -> None:
        self._pool.queue.put((step, self))

    def result(self) -> None:
        """Raises: Busy if the turn came too late to be of use."""
        if monotonic() - self._asked_at > self._pool.patience:
            raise _busy()


class Pool:
    """Run turns from one queue on a fixed number of threads.

    They start with the first turn: workers are forked, and threads are not.
    """

    def __init__(
        self,
        name: str,
        *,
        threads: int,
        waiting: int = WAITING,
        patience: float = PATIENCE_SECONDS,
    ) -> None:
        self.queue: SimpleQueue[tuple[Step, Turn]] = SimpleQueue()
        self.patience = patience
        self._name = name
        self._size = threads
        self._waiting = waiting
        self._threads: list[threading.Thread] = []
        self._starting = threading.Lock()

    @property
    def threads(self) -> int:
        return self._size

    def turn(self) -> Turn:
        """Return a turn to await.

        Raises: Busy when too many are waiting.
        """
        if not self._threads:
            self._start()
        if self.queue.qsize() >= self._waiting:
            raise _busy()
        return Turn(self)

    def _start(self) -> None:
        with self._starting:
            if self._threads:
                return
            self._threads = [
                threading.Thread(
                    target=self._work, name=f"{self._name}-{at}", daemon=True
                )
                for at in range(self._size)
            ]
            for thread in self._threads:
                thread.start()

    def _work(self) -> None:
        while True:
            step, turn = self.queue.get()
            try:
                step(turn)
            except BaseException:
                log.exception("a request broke its thread")
            # Nothing of a request is kept while waiting for the next.
            del step, turn


@dataclass(frozen=True, slots=True)
class Pools:
    """The pools of one process.

    Together they use at most the default number of database connections
    (`STEPBACK_POOL_SIZE`), so that none waits for a connection of another.
    """

    live: Pool
    probes: Pool
    checks: Pool
    known: Pool
    anonymous: Pool
    refusals: Pool


def make_pools() -> Pools:
    return Pools(
        # On its own: a probe of the database may wait for one that is frozen.
        live=Pool("live", threads=1),
        probes=Pool("probe", threads=2),
        # Looks up keys and cookies that this process has not seen yet. As many wait as
        # there are connections: a burst would otherwise have valid keys refused.
        checks=Pool("check", threads=1, waiting=16 * WAITING),
        # Appends from 16 clients on two cores came out alike with 4, 8 and 16.
        known=Pool("known", threads=8),
        # More than can be waiting for the hash of a password: one answers the others.
        anonymous=Pool("anonymous", threads=PLACES + 1),
        # Says no; asks no database.
        refusals=Pool(
            "refusal",
            threads=1,
            waiting=4 * WAITING,
            patience=REFUSAL_PATIENCE_SECONDS,
        ),
    )


def _busy() -> Busy:
    return Busy(
        "Too many requests are waiting; nothing was done. Retry shortly.",
        retry_after=RETRY_SECONDS,
    )
