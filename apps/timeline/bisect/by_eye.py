"""Bisect by eye: somebody says of one version after the other whether it is right.

Nothing is stored: what was said comes with each question. It is taken that the history
turned once, from right to wrong, as whoever looks takes it; nothing checks that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from apps.core.errors import InvalidRequest
from apps.timeline.bisect.candidates import Along
from apps.timeline.bisect.runs import Runs
from apps.timeline.errors import RangeRefused
from apps.timeline.models import Session
from apps.timeline.removed import Tombstone
from apps.timeline.versions.lineage import live_ranges


class Said(StrEnum):
    """What somebody said of a version."""

    GOOD = "good"
    BAD = "bad"
    SKIPPED = "skipped"


class Trial(NamedTuple):
    """A version that was looked at, and what was said of it."""

    number: int
    said: Said


@dataclass(frozen=True, kw_only=True, slots=True)
class Eyed:
    """How far one has got between a right version and a wrong one.

    `passed` are the versions asked about, both ends included; `between` those that are
    still in question, without what is gone. Without a `middle` it is over.
    """

    passed: Runs
    good: int
    bad: int
    between: Runs
    skipped: Sequence[int]
    n_gone: int
    middle: int | None

    @property
    def n_left(self) -> int:
        """Count the versions to be looked at, at most."""
        return (len(self.between) - len(self.skipped)).bit_length()

    @property
    def is_certain(self) -> bool:
        """Whether no other version can have been the first bad one."""
        return not (self.between or self.n_gone)


def look_between(
    session: Session, good: int, bad: int, along: Along, trials: Sequence[Trial]
) -> Eyed:
    """Return which version to look at next, after what was said of others.

    Raises: RangeRefused; InvalidRequest for a trial of a version not in question then.
    """
    passed = _passed(session, good, bad, along)
    skipped: list[int] = []
    for number, said in trials:
        if not good < number < bad or number in skipped or number not in passed:
            message = f"v{number} is not in question between v{good} and v{bad}."
            raise InvalidRequest(message, param="tried")
        if said is Said.GOOD:
            good = number
        elif said is Said.BAD:
            bad = number
        else:
            skipped.append(number)
    inside = passed.within([range(good + 1, bad)])
    between = _without_gone(session.id, inside)
    left = [number for number in skipped if number in between]
    return Eyed(
        passed=passed,
        good=good,
        bad=bad,
        between=between,
        skipped=left,
        n_gone=len(inside) - len(between),
        middle=_middle(between, left),
    )


def _passed(session: Session, good: int, bad: int, along: Along) -> Runs:
    """Raises: RangeRefused."""
    head = session.head_number
    for param, number in (("bad", bad), ("good", good)):
        if number > head:
            message = f"There is no v{number} yet: the head is v{head}."
            raise RangeRefused(message, param=param, head=head)
    if good >= bad:
        message = f"good is v{good}, which does not come before bad, v{bad}."
        raise RangeRefused(message, param="good", head=head)
    window = range(good, bad + 1)
    if along is Along.ALL:
        return Runs([window])
    live = Runs(reversed(live_ranges(session.id, bad))).within([window])
    # Where the right one was set aside, it is still what one begins with.
    return live if good in live else Runs([range(good, good + 1), *live.ranges])


def _without_gone(session_id: str, numbers: Runs) -> Runs:
    """Leave out what a removal took or emptied: there is nothing to look at."""
    if not numbers:
        return numbers
    low, high = numbers.at(0), numbers.at(len(numbers) - 1)
    stones = Tombstone.objects.of_session(session_id).filter(
        last_number__gte=low, first_number__lte=high
    )
    there: list[range] = []
    for stone in stones:
        there.append(range(low, stone.first_number))
        low = max(low, stone.last_number + 1)
    return numbers.within([one for one in (*there, range(low, high + 1)) if one])


def _middle(between: Runs, skipped: Sequence[int]) -> int | None:
    """Return the version nearest to the middle that was not skipped."""
    half = (len(between) - 1) // 2
    for step in range(len(between)):
        for index in dict.fromkeys((half - step, half + step)):
            if 0 <= index < len(between) and between.at(index) not in skipped:
                return between.at(index)
    return None
