"""Ascending numbers as ranges: of a long history there may be a million. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate


class Runs:
    """Numbers in ascending order, without any twice."""

    def __init__(self, ranges: Iterable[range]) -> None:
        """Take ranges that ascend and do not overlap."""
        self.ranges = tuple(one for one in ranges if one)

    @classmethod
    def of(cls, numbers: Iterable[int]) -> Runs:
        """Gather numbers, in any order."""
        found: list[range] = []
        for number in sorted(set(numbers)):
            if found and found[-1].stop == number:
                found[-1] = range(found[-1].start, number + 1)
            else:
                found.append(range(number, number + 1))
        return cls(found)

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __iter__(self) -> Iterator[int]:
        return (number for one in self.ranges for number in one)

    def __contains__(self, number: int) -> bool:
        place = bisect_right(self._starts, number) - 1
        return place >= 0 and number in self.ranges[place]

    def at(self, index: int) -> int:
        """Return the number with so many below it."""
        place = bisect_right(self._ends, index)
        behind = self._ends[place - 1] if place else 0
        return self.ranges[place][index - behind]

    def below(self, number: int) -> int:
        """Count those that are less than a number."""
        place = bisect_right(self._starts, number) - 1
        if place < 0:
            return 0
        behind = self._ends[place - 1] if place else 0
        one = self.ranges[place]
        return behind + min(number, one.stop) - one.start

    def within(self, others: Sequence[range]) -> Runs:
        """Keep those that are in one of these ranges, which ascend."""
        kept: list[range] = []
        at = 0
        for one in self.ranges:
            while at < len(others) and others[at].stop <= one.start:
                at += 1
            place = at
            while place < len(others) and others[place].start < one.stop:
                other = others[place]
                both = range(max(one.start, other.start), min(one.stop, other.stop))
                kept.append(both)
                place += 1
        return Runs(kept)

    @cached_property
    def _ends(self) -> list[int]:
        return list(accumulate(map(len, self.ranges)))

    @cached_property
    def _starts(self) -> list[int]:
        return [one.start for one in self.ranges]


@dataclass(frozen=True, slots=True)
class Known:
    """What is known to be there of a session's versions below a number."""

    listed: set[int]
    thinned_below: int | None

    def lacks(self, number: int) -> bool:
        """Say whether a version is gone, or what it held."""
        thinned = self.thinned_below
        return thinned is not None and number < thinned and number not in self.listed

    def count_gone(self, lineage: Runs) -> int:
        if self.thinned_below is None:
            return 0
        within = lineage.below(self.thinned_below)
        there = sum(n < self.thinned_below and n in lineage for n in self.listed)
        return within - there
