"""Posts a whole file, then reads all of it back: two passes, a few runs at a time.

The second pass begins when the first is over, so that a session which another run's
writes had touched would be seen. Memory holds the runs under way and the session ids.
"""

from __future__ import annotations

import queue
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from tests.replay import runs
from tests.replay.doors import Doors
from tests.replay.posting import post
from tests.replay.progress import Progress
from tests.replay.runs import Run
from tests.replay.verifying import Counted, verify

Item = TypeVar("Item")
Result = TypeVar("Result")

THREADS = 4
BACKWARDS_EVERY = 4


@dataclass(frozen=True, slots=True)
class Summary:
    """What was posted and found whole, and how long either took."""

    sessions: tuple[str, ...]
    versions: int
    turns: int
    calls: int
    posting_seconds: float
    verifying_seconds: float

    def __str__(self) -> str:
        writes = self.versions + self.calls
        return (
            f"{len(self.sessions):,} runs, {self.versions:,} versions, "
            f"{self.turns:,} turns ({self.calls:,} of them tool calls) "
            f"posted in {self.posting_seconds:.1f} s: "
            f"{self.versions / self.posting_seconds:,.0f} versions/s, "
            f"{writes / self.posting_seconds:,.0f} writes/s; "
            f"all read back equal in {self.verifying_seconds:.1f} s"
        )


def replay(
    path: Path,
    *,
    url: str,
    secret: str,
    limit: int | None = None,
    threads: int = THREADS,
) -> Summary:
    """Post the runs of the file, then verify them in the file's order.

    Raises: Difference for the first; MalformedRun; httpx.HTTPError.
    """
    total = runs.count(path, limit)
    with _doors(url, secret, threads) as lent:
        posting = Progress("posted", total)

        def posted(run: Run) -> str:
            with lent() as doors:
                return post(run, doors)

        sessions = []
        for session_id in in_parallel(runs.read(path, limit), posted, threads):
            sessions.append(session_id)
            posting.advance()
        posting_seconds = posting.seconds
        verifying = Progress("verified", total)

        def verified(numbered: tuple[int, Run]) -> Counted:
            index, run = numbered
            backwards = index % BACKWARDS_EVERY == 0
            with lent() as doors:
                return verify(run, sessions[index], doors, backwards=backwards)

        found = []
        again = enumerate(runs.read(path, limit))
        for counted in in_parallel(again, verified, threads):
            found.append(counted)
            verifying.advance()
    return Summary(
        sessions=tuple(sessions),
        versions=sum(counted.versions for counted in found),
        turns=sum(counted.turns for counted in found),
        calls=sum(counted.calls for counted in found),
        posting_seconds=posting_seconds,
        verifying_seconds=verifying.seconds,
    )


def in_parallel(
    items: Iterable[Item], act: Callable[[Item], Result], threads: int
) -> Iterator[Result]:
    """Return the results in the order of the items, of which few are read ahead.

    The first failure, in that order, is raised; what has not begun is given up.
    """
    under_way: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for item in items:
                under_way.append(pool.submit(act, item))
                if len(under_way) >= 2 * threads:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            for future in under_way:
                future.cancel()


@contextmanager
def _doors(url: str, secret: str, count: int) -> Iterator[Callable[[], _Lent]]:
    """Lend one pair of clients to each thread; their connections are kept."""
    free: queue.SimpleQueue[Doors] = queue.SimpleQueue()
    everything = [Doors(url, secret) for _ in range(count)]
    for doors in everything:
        free.put(doors)
    try:
        yield lambda: _Lent(free)
    finally:
        for doors in everything:
            doors.close()


class _Lent:
    """One pair of clients until the end of the block."""

    def __init__(self, free: queue.SimpleQueue[Doors]) -> None:
        self.free = free
        self.doors = free.get()

    def __enter__(self) -> Doors:
        return self.doors

    def __exit__(self, *_: object) -> None:
        self.free.put(self.doors)
