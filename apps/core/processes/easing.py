"""Work in the background that makes way for whoever is waiting to be answered.

A thread that could run and does not is one of more than there are processors for. The
kernel counts how long it stood so: where it does not tell, nobody makes way.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

# Of this thread: how long it ran, how long it stood ready, in nanoseconds.
_SCHEDULED = Path("/proc/thread-self/schedstat")
# Stood longer than this part of a step, others wanted the processor too.
CROWDED = 0.1
# Rested so much longer than was worked: a twentieth of the time is left for the work.
REST = 19
LONGEST_SECONDS = 5.0


def stood_seconds() -> float:
    """Return how long this thread has been ready to run and did not."""
    try:
        return int(_SCHEDULED.read_text().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0


@dataclass(slots=True)
class Ease:
    """Rests between the steps of one thread's work, if others want the processor."""

    stood: Callable[[], float] = stood_seconds
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    _last: tuple[float, float] = field(init=False)

    def __post_init__(self) -> None:
        self._last = self._now()

    def rest(self) -> None:
        """Rest for as long as the step since the last rest asks for, or not at all."""
        passed, stood = (
            now - then for now, then in zip(self._now(), self._last, strict=True)
        )
        if stood > CROWDED * passed:
            self.sleep(min((passed - stood) * REST, LONGEST_SECONDS))
        self._last = self._now()

    def _now(self) -> tuple[float, float]:
        return self.clock(), self.stood()
