"""A bounded queue in which lanes take turns, whichever of them asks more often.

Start-time fair queuing: what a lane was given moves it back by what that cost, and the
lane that is furthest ahead goes next. One that comes after a pause starts where the
others are now, neither with a credit nor with what it used long ago. A lane is a
project; the queue knows only its name. It is not locked: whoever uses it holds a lock.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import Generic, TypeVar

Item = TypeVar("Item")

# Lanes that are remembered although they want nothing now. It takes as many projects
# at the same time to have one forgotten, and what it used with it.
MOST_IDLE = 10_000


class FairQueue(Generic[Item]):
    """Items that wait, by lane.

    At most `places` wait. Of one lane at most `share` are in progress: taken, and not
    finished.
    """

    def __init__(self, *, places: int, share: int) -> None:
        self._places = places
        self._share = share
        self._waiting: dict[str, deque[Item]] = {}
        self._in_progress: Counter[str] = Counter()
        # Where each lane is; `_now` is where the one was that was served last.
        self._at: dict[str, float] = {}
        self._now = 0.0

    def __len__(self) -> int:
        """Return how many are waiting."""
        return sum(map(len, self._waiting.values()))

    def add(self, lane: str, item: Item, *, first: bool = False) -> Item | None:
        """Let an item wait; return the one that has no place, if there are too many.

        That is the newest of the longest lane. The others lose nothing to it, however
        many it sends. `first`: before the others of its lane, as one that was begun.
        """
        items = self._waiting.setdefault(lane, deque())
        if first:
            items.appendleft(item)
        else:
            items.append(item)
        if len(self) <= self._places:
            return None
        # Of equally long ones it is this one.
        longest = max(self._waiting, key=lambda one: (self._length(one), one == lane))
        refused = self._waiting[longest].pop()
        self._forget_empty(longest)
        return refused

    def has_others(self, lane: str) -> bool:
        """Say whether items of other lanes wait."""
        return any(one != lane for one in self._waiting)

    def take(self) -> tuple[str, Item] | None:
        """Take the next item that may go; `finish` has to follow."""
        ready = [one for one in self._waiting if self._running(one) < self._share]
        if not ready:
            return None
        lane = min(ready, key=lambda one: (self._running(one), self._place_of(one)))
        self._now = self._at[lane] = self._place_of(lane)
        # To the end: of equals the one comes next that has waited longest.
        items = self._waiting.pop(lane)
        item = items.popleft()
        if items:
            self._waiting[lane] = items
        self._in_progress[lane] += 1
        return lane, item

    def finish(self, lane: str, cost: float) -> None:
        """Say that a taken item is done, and what it cost."""
        self._in_progress[lane] -= 1
        if not self._in_progress[lane]:
            del self._in_progress[lane]
        self._at[lane] = self._at.get(lane, self._now) + cost
        if len(self._at) > MOST_IDLE:
            self._forget_idle()

    def remove(self, lane: str, item: Item) -> None:
        """Remove an item that waits no longer."""
        self._waiting[lane].remove(item)
        self._forget_empty(lane)

    def _running(self, lane: str) -> int:
        return self._in_progress.get(lane, 0)

    def _length(self, lane: str) -> int:
        return len(self._waiting[lane])

    def _place_of(self, lane: str) -> float:
        return max(self._at.get(lane, self._now), self._now)

    def _forget_empty(self, lane: str) -> None:
        if not self._waiting[lane]:
            del self._waiting[lane]

    def _forget_idle(self) -> None:
        """Forget where the lanes are that gain or lose least by it."""
        idle = [one for one in self._at if one not in self._waiting]
        for lane in sorted(idle, key=self._place_of)[: len(idle) // 2]:
            del self._at[lane]
