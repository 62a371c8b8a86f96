"""What is tried next in a lane, what came of it, how long to wait after a failure."""

from __future__ import annotations

import random
from dataclasses import dataclass

FIRST_PAUSE = 2.0
LONGEST_PAUSE = 3600.0
# Of a subscription and of the stream of events that it is told in order.
Lane = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Waiting:
    """The delivery whose turn it is in a lane."""

    lane: Lane
    id: str
    ordinal: int
    attempts: int
    message_id: str
    kind: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one attempt; `wait` is how many seconds it asked for, or 0.

    One that is vain says nothing of the receiver, and no other would come to more.
    """

    waiting: Waiting
    is_done: bool
    status_code: int | None
    error: str
    ms: int
    wait: float = 0.0
    is_vain: bool = False


def pause_after(attempts: int) -> float:
    """Return how many seconds to wait after so many attempts, give or take a fifth."""
    pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(attempts - 1, 20))
    return pause * random.uniform(0.8, 1.2)  # noqa: S311 - spreads, hides nothing
