"""Keeps the memory that large bodies take bounded: a gate in each process.

A body over 1 MiB is parsed, merged, compared and compressed by one request at a time in
each process, because that takes many times its size. What a request will need is often
known only below its view (a small PATCH of a large head, a rollback), so whatever takes
a large body in hand calls `enter` first, and the request keeps the gate to its end.
Outside a request, in commands, nothing is held back.
"""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar

from apps.core.errors import Busy

GATED_BYTES = 1024 * 1024
GATE_SECONDS = 10.0
RETRY_SECONDS = 5


class BodyGate:
    """Lets a set number of large bodies be worked on at once."""

    def __init__(self, *, permits: int, seconds: float) -> None:
        self._permits = threading.BoundedSemaphore(permits)
        self._seconds = seconds

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Hold a permit; raises `Busy` when none comes free in time."""
        if not self._permits.acquire(timeout=self._seconds):
            raise _busy()
        try:
            yield
        finally:
            self._permits.release()


class _Visit:
    """One request, and whether it is past the gate."""

    def __init__(self, gate: BodyGate, held: ExitStack) -> None:
        self._gate = gate
        self._held = held
        self._is_inside = False

    def enter(self) -> None:
        if not self._is_inside:
            self._held.enter_context(self._gate.hold())
            self._is_inside = True

    def excuse(self) -> None:
        self._is_inside = True


GATE = BodyGate(permits=1, seconds=GATE_SECONDS)
_VISIT: ContextVar[_Visit | None] = ContextVar("visit", default=None)


@contextmanager
def visiting(gate: BodyGate) -> Iterator[None]:
    """Let what is done inside enter this gate once, and leave it at the end."""
    with ExitStack() as held:
        before = _VISIT.set(_Visit(gate, held))
        try:
            yield
        finally:
            _VISIT.reset(before)


def enter(size: int) -> None:
    """Enter the gate before a body of this size is decoded or made.

    A request that is inside goes on at once. What writes calls this before it stores
    anything, so that the refusal never follows a commit.

    Raises: Busy.
    """
    visit = _VISIT.get()
    if size > GATED_BYTES and visit is not None:
        visit.enter()


def excuse() -> None:
    """Let the request go on without the gate: it has stored something.

    What is read for its answer must not be refused any more.
    """
    visit = _VISIT.get()
    if visit is not None:
        visit.excuse()


def _busy() -> Busy:
    return Busy(
        "Other large bodies are being worked on; nothing was stored. Retry shortly.",
        retry_after=RETRY_SECONDS,
    )
