"""The gate for costly requests, in each process.

In each process one request at a time takes a body over 1 MiB in hand, because parsing,
merging, comparing and compressing one takes many times its size; and one at a time
goes on with what takes much work, such as to verify a long history. The others wait,
a bounded number of them, and the projects take turns (`fairness`): no project waits
longer because another one asks more often.

What a request will need is often known only below its view (a small PATCH of a large
head, a rollback), so whatever takes a large body in hand calls `enter` first, and what
counts its work calls `spend`; the request keeps the gate to its end. One that cannot
end early, such as a batch, makes way between two steps (`make_way`) where another
project waits. Outside a request, in commands, nothing is held back.

Each process has a gate of its own, and threads of its own to answer with. So whatever a
project does in one worker or in all of them, in each the others wait for one turn of
it, not for all.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import NamedTuple

from apps.core.admission.fairness import FairQueue
from apps.core.errors import Busy

GATED_BYTES = 1024 * 1024
# In units of `work`: what a request does beyond a tenth of a second is costly.
GATED_WORK = 100_000
GATE_SECONDS = 10.0
RETRY_SECONDS = 5
# So many requests wait at the gate; with the one inside they take seven of the eight
# threads that answer, and the last one is left for what is quickly done.
PLACES = 6


class _Place:
    """A request in front of the gate; `settled` is set when it is let in or refused."""

    __slots__ = ("is_inside", "settled")

    def __init__(self) -> None:
        self.settled = threading.Event()
        self.is_inside = False

    def settle(self, *, is_inside: bool) -> None:
        self.is_inside = is_inside
        self.settled.set()


class _Turn(NamedTuple):
    """Who is inside, and since when."""

    lane: str
    began: float


class Gate:
    """Lets a set number of requests in at once, their projects in turn.

    What a turn costs a project is how long it was inside, by the `clock`.
    """

    def __init__(
        self,
        *,
        permits: int,
        seconds: float,
        places: int = PLACES,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._permits = permits
        self._seconds = seconds
        self._clock = clock
        self._queue: FairQueue[_Place] = FairQueue(places=places, share=permits)
        self._lock = threading.Lock()

    @contextmanager
    def hold(self, lane: str = "") -> Iterator[None]:
        """Go in; raises `Busy` without a place to wait, or when it takes too long."""
        turn = self.enter(lane)
        try:
            yield
        finally:
            self.leave(turn)

    def enter(self, lane: str, *, again: bool = False) -> _Turn:
        """As `hold`; `leave` has to follow. `again`: it was inside and made way."""
        place = _Place()
        with self._lock:
            refused = self._queue.add(lane, place, first=again)
            if refused is not None:
                refused.settle(is_inside=False)
            self._let_in()
        if not place.settled.wait(self._seconds):
            self._give_up(lane, place)
        if not place.is_inside:
            raise _busy()
        return _Turn(lane, self._clock())

    def leave(self, turn: _Turn) -> None:
        """Let the next in."""
        with self._lock:
            self._permits += 1
            self._queue.finish(turn.lane, self._clock() - turn.began)
            self._let_in()

    def is_wanted(self, lane: str) -> bool:
        """Say whether a request of another project waits."""
        with self._lock:
            return self._queue.has_others(lane)

    def _let_in(self) -> None:
        while self._permits and (taken := self._queue.take()):
            self._permits -= 1
            taken[1].settle(is_inside=True)

    def _give_up(self, lane: str, place: _Place) -> None:
        with self._lock:
            # It may have been let in, or refused, just now.
            if not place.settled.is_set():
                self._queue.remove(lane, place)
                place.settle(is_inside=False)


class _Visit:
    """One request: its project, how much it has worked, whether it is inside."""

    def __init__(self, gate: Gate, held: ExitStack) -> None:
        self.lane = ""
        self._gate = gate
        self._held = held
        self._work = 0
        self._turn: _Turn | None = None
        self._is_inside = False

    def enter(self) -> None:
        if not self._is_inside:
            self._turn = self._gate.enter(self.lane)
            self._held.callback(self._leave)
            self._is_inside = True

    def is_wanted(self) -> bool:
        return self._turn is not None and self._gate.is_wanted(self.lane)

    def make_way(self) -> None:
        self._leave()
        self._turn = self._gate.enter(self.lane, again=True)

    def _leave(self) -> None:
        turn, self._turn = self._turn, None
        if turn is not None:
            self._gate.leave(turn)

    def spend(self, work: int) -> None:
        self._work += work
        if self._work > GATED_WORK:
            self.enter()

    def exempt(self) -> None:
        self._is_inside = True


GATE = Gate(permits=1, seconds=GATE_SECONDS)
_VISIT: ContextVar[_Visit | None] = ContextVar("visit", default=None)


@contextmanager
def visiting(gate: Gate) -> Iterator[None]:
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


def spend(work: int) -> None:
    """Count work that the request has done, and enter the gate where it is costly.

    Raises: Busy, as `enter` does and where it may.
    """
    visit = _VISIT.get()
    if visit is not None:
        visit.spend(work)


def is_wanted() -> bool:
    """Say whether the request is inside and another project waits: then make way."""
    visit = _VISIT.get()
    return visit is not None and visit.is_wanted()


def make_way() -> None:
    """Let others in, and go on after them.

    Only where nothing is held that they may need: no lock, no large body.

    Raises: Busy, as `enter` does.
    """
    visit = _VISIT.get()
    if visit is not None and visit.is_wanted():
        visit.make_way()


def take_turns_as(lane: str) -> None:
    """Say whose turn the request takes at the gate: a project's."""
    visit = _VISIT.get()
    if visit is not None:
        visit.lane = lane


def exempt() -> None:
    """Let the request go on without the gate: it has stored something.

    What is read for its answer must not be refused any more.
    """
    visit = _VISIT.get()
    if visit is not None:
        visit.exempt()


def _busy() -> Busy:
    return Busy(
        "Other costly requests are being worked on; nothing was stored. Retry shortly.",
        retry_after=RETRY_SECONDS,
    )
