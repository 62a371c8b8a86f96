"""Password hashing off the threads that answer requests, one at a time.

A hash takes a third of a second of a processor on purpose. Twenty tries at once used
to take every thread of the server with them, and both cores; now a worker computes one
hash at a time, in a thread of its own with a lower priority, and only so many requests
wait for it. The next one is refused at once, and repeats later.
"""

import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, TimeoutError

from django.contrib.auth.hashers import PBKDF2PasswordHasher

from apps.core.errors import Busy

# Of the threads that answer requests, these may be waiting for a hash.
PLACES = 3
# Alone on a machine that is busy with everything else, a hash took more than 5 s.
WAIT_SECONDS = 10.0
RETRY_SECONDS = 3
# A third of the weight of a thread that answers agents.
NICENESS = 5


def _busy() -> Busy:
    return Busy(
        "Too many passwords are being checked at this moment; this one was not. "
        "Try again in a few seconds.",
        retry_after=RETRY_SECONDS,
    )


def _give_way() -> None:
    if sys.platform == "linux":  # where a thread has a priority of its own
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


class HashingGate:
    """Runs one computation at a time and lets a bounded number of callers wait."""

    def __init__(self, *, places: int, seconds: float) -> None:
        self._places = threading.BoundedSemaphore(places)
        self._seconds = seconds
        # Its thread is started by the first hash, in the worker that computes it.
        self._thread = ThreadPoolExecutor(
            max_workers=1, thread_name_prefix="password", initializer=_give_way
        )

    def run(self, compute: Callable[[], str]) -> str:
        """Return what is computed; raises `Busy` without a place, or in the end."""
        if not self._places.acquire(blocking=False):
            raise _busy()
        result = self._thread.submit(compute)
        # Only then: a computation that nobody waits for any more still runs.
        result.add_done_callback(self._leave)
        try:
            return result.result(timeout=self._seconds)
        except TimeoutError:
            result.cancel()
            raise _busy() from None

    def _leave(self, result: Future[str]) -> None:
        self._places.release()


GATE = HashingGate(places=PLACES, seconds=WAIT_SECONDS)


class GatedPBKDF2(PBKDF2PasswordHasher):
    """Django's default hasher, with its work done behind the gate.

    Everything that hashes comes by here: setting a password, checking one, and the hash
    that Django computes for a name that nobody has, so that time says nothing.
    """

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        """Raises: Busy."""
        return GATE.run(
            lambda: super(GatedPBKDF2, self).encode(password, salt, iterations)
        )
