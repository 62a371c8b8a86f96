"""Requests per minute, counted without asking another process or the database.

A limit that anybody could reach by hand is counted exactly, in memory that all workers
of the server share (`shared_counts.py`). A larger one, such as the installation's, is
divided: each worker grants its share, for which it needs no lock but its own. Counters
are bounded: the one unused longest goes first.
"""

import math
import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from time import monotonic, time

from apps.core.admission.shared_counts import VARIABLE, SharedCounts
from apps.core.errors import DomainError

WINDOW_SECONDS = 60.0
# Above it a worker counts its share alone: at 1,000 requests a second the workers use
# it up alike, and what a count costs begins to be felt.
LARGEST_EXACT = 60_000
MAXIMUM_COUNTERS = 10_000


class RateLimitExceeded(DomainError):
    """Too many requests in this minute; wait and retry."""

    code = "rate_limit_exceeded"


@dataclass(frozen=True, kw_only=True, slots=True)
class Allowance:
    """What a caller has left of its minute."""

    limit: int
    remaining: int
    reset_at: int
    retry_after: int
    is_exceeded: bool

    @property
    def headers(self) -> dict[str, str]:
        return {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(self.remaining),
            "X-RateLimit-Reset": str(self.reset_at),
        }

    def check(self) -> None:
        """Raises: RateLimitExceeded."""
        if self.is_exceeded:
            raise RateLimitExceeded(retry_after=self.retry_after)


@dataclass(slots=True)
class _Counter:
    ends_at: float
    used: int = 0


class RateLimiter:
    """Counts per caller in windows, of a minute unless said, from the first request.

    `shared`: the file of the counts that are shared; without one, as in a command or
    under another server, each process grants its share of every limit.
    """

    def __init__(
        self,
        *,
        workers: int,
        clock: Callable[[], float] = monotonic,
        wall_clock: Callable[[], float] = time,
        maximum: int = MAXIMUM_COUNTERS,
        shared: Callable[[], str | None] = lambda: os.environ.get(VARIABLE),
    ) -> None:
        self._workers = max(1, workers)
        self._clock = clock
        self._wall_clock = wall_clock
        self._maximum = maximum
        self._counters: OrderedDict[str, _Counter] = OrderedDict()
        self._lock = threading.Lock()
        self._shared_file = shared

    @cached_property
    def _shared(self) -> SharedCounts | None:
        """Opened by the first count: before it, the worker may not be forked yet."""
        path = self._shared_file()
        return SharedCounts(path) if path else None

    def __len__(self) -> int:
        """Return how many callers are being counted."""
        return len(self._counters)

    def take(
        self, caller: str, limit: int, *, window: float = WINDOW_SECONDS
    ) -> Allowance:
        """Count one request of the caller and say what is left.

        `limit` is for all workers. Where it is divided, the share of this one is
        rounded up, so that a small limit never becomes none, and what remains is said
        for all workers, as if the others had been used alike.
        """
        now = self._clock()
        if self._shared is not None and limit <= LARGEST_EXACT:
            used, ends_at, is_counted = self._shared.take(
                caller, limit, now=now, window=window
            )
            left = limit - used
        else:
            left, ends_at, is_counted = self._take_share(caller, limit, now, window)
        seconds = ends_at - now
        return Allowance(
            limit=limit,
            remaining=max(0, left),
            reset_at=math.ceil(self._wall_clock() + seconds),
            retry_after=max(1, math.ceil(seconds)),
            is_exceeded=not is_counted,
        )

    def give_back(self, caller: str, limit: int) -> None:
        """Uncount one request of the caller, which turned out not to matter."""
        now = self._clock()
        if self._shared is not None and limit <= LARGEST_EXACT:
            self._shared.give_back(caller, now=now)
            return
        with self._lock:
            counter = self._counters.get(caller)
            if counter is not None and counter.used and counter.ends_at > now:
                counter.used -= 1

    def _take_share(
        self, caller: str, limit: int, now: float, window: float
    ) -> tuple[int, float, bool]:
        share = max(1, math.ceil(limit / self._workers))
        with self._lock:
            counter = self._counter(caller, now, window)
            is_counted = counter.used < share
            counter.used += is_counted
            left = min(limit, (share - counter.used) * self._workers)
            return left, counter.ends_at, is_counted

    def _counter(self, caller: str, now: float, window: float) -> _Counter:
        counter = self._counters.get(caller)
        if counter is None or counter.ends_at <= now:
            counter = self._counters[caller] = _Counter(now + window)
        self._counters.move_to_end(caller)
        while len(self._counters) > self._maximum:
            self._counters.popitem(last=False)
        return counter
