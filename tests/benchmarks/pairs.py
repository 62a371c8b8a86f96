"""Lanes measured in turn, A B A B, and what the pairs say.

A machine slows down and speeds up by itself, so that two figures taken minutes apart
say little. Here every round measures each lane once; a ratio is the median of the
rounds' ratios; and the noise is how far a lane differs from itself, from one round to
the next.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from statistics import median, quantiles

# Returns one measurement: a rate, or a time.
Lane = Callable[[], float]

PAIRS = 7
# What a lane left under way when its time was up ends before the next begins.
PAUSE_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Samples:
    """What each lane measured, round by round."""

    found: Mapping[str, list[float]]

    def median(self, lane: str) -> float:
        return median(self.found[lane])

    def ratio(self, one: str, other: str) -> float:
        """Return the median of the rounds' ratios."""
        pairs = zip(self.found[one], self.found[other], strict=True)
        return median(mine / theirs for mine, theirs in pairs)

    def noise(self, lane: str) -> tuple[float, float]:
        """Return the middle half of the lane's ratios to itself a round before."""
        ratios = [after / before for before, after in pairwise(self.found[lane])]
        if len(ratios) < 2:
            return (ratios[0], ratios[0]) if ratios else (1.0, 1.0)
        low, _, high = quantiles(ratios, n=4)
        return low, high


def alternate(lanes: Mapping[str, Lane], *, rounds: int = PAIRS) -> Samples:
    """Measure all lanes once to warm them, then in turn, round after round."""
    found: dict[str, list[float]] = {name: [] for name in lanes}
    for turn in range(rounds + 1):
        for name, lane in lanes.items():
            measured = lane()
            if turn:
                found[name].append(measured)
            time.sleep(PAUSE_SECONDS)
    return Samples(found)


def milliseconds(act: Callable[[], object]) -> float:
    """Return how long the act took."""
    start = time.perf_counter()
    act()
    return (time.perf_counter() - start) * 1000
