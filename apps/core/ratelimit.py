"""Requests per minute, counted in this process alone.

Each worker grants its share of the limit, so no request waits for another process
or for the database. Counters are bounded: the one unused longest goes first.
"""

import math
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic, time

from apps.core.errors import DomainError

WINDOW_SECONDS = 60.0
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
    """Counts per caller in windows of a minute that begin with the first request."""

    def __init__(
        self,
        *,
        workers: int,
        clock: Callable[[], float] = monotonic,
        wall_clock: Callable[[], float] = time,
        maximum: int = MAXIMUM_COUNTERS,
    ) -> None:
        self._workers = max(1, workers)
        self._clock = clock
        self._wall_clock = wall_clock
        self._maximum = maximum
        self._counters: OrderedDict[str, _Counter] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Return how many callers are being counted."""
        return len(self._counters)

    def take(self, caller: str, limit: int) -> Allowance:
        """Count one request of the caller and say what is left.

        `limit` is for all workers; the share of this one is rounded up, so that a
        small limit never becomes none. What remains is told for all workers, as if
        the others had been used alike.
        """
        share = max(1, math.ceil(limit / self._workers))
        now = self._clock()
        with self._lock:
            counter = self._counter(caller, now)
            is_exceeded = counter.used >= share
            if not is_exceeded:
                counter.used += 1
            left, seconds = share - counter.used, counter.ends_at - now
        return Allowance(
            limit=limit,
            remaining=min(limit, left * self._workers),
            reset_at=math.ceil(self._wall_clock() + seconds),
            retry_after=max(1, math.ceil(seconds)),
            is_exceeded=is_exceeded,
        )

    def _counter(self, caller: str, now: float) -> _Counter:
        counter = self._counters.get(caller)
        if counter is None or counter.ends_at <= now:
            counter = self._counters[caller] = _Counter(now + WINDOW_SECONDS)
        self._counters.move_to_end(caller)
        while len(self._counters) > self._maximum:
            self._counters.popitem(last=False)
        return counter
