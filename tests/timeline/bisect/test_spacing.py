"""Which candidates are looked into where they are too many: pure."""

import itertools
import random
from collections.abc import Callable, Sequence

import pytest

from apps.checks import Outcome
from apps.timeline.bisect.runs import Runs
from apps.timeline.bisect.spacing import Seen, survey

HOLDS, FAILS = Outcome.HOLDS, Outcome.FAILS


class Looks:
    """Looks that are counted, and end with a budget."""

    def __init__(self, outcome: Callable[[int], Outcome | None], most: int) -> None:
        self.outcome, self.most = outcome, most
        self.rounds = 0
        self.seen: list[int] = []

    def __call__(self, indexes: Sequence[int]) -> Seen:
        self.rounds += 1
        wanted = indexes[: self.most - len(self.seen)]
        self.seen += wanted
        return {one: self.outcome(one) for one in wanted}


def surveyed(
    looks: Looks, count: int, *, limit: int = 200, newest: bool = True
) -> Seen:
    ends = looks([0, count - 1])
    return survey(ends, looks, limit=limit, newest_first=newest)


def flips(seen: Seen) -> list[int]:
    return [one for one in seen if one - 1 in seen and seen[one] != seen[one - 1]]


@pytest.mark.parametrize("count", [2, 3, 100, 10_000])
def test_ends_that_differ_are_told_apart_by_halves(count: int) -> None:
    draw = random.Random(count)
    for _ in range(200):
        turn = draw.randint(1, count - 1)
        looks = Looks(lambda one, turn=turn: FAILS if one >= turn else HOLDS, 400)

        seen = surveyed(looks, count, limit=1)

        assert flips(seen) == [turn]
        assert len(looks.seen) <= 16


def test_evenly_spaced_ones_are_looked_into_where_ends_agree() -> None:
    looks = Looks(lambda one: HOLDS, 400)

    seen = surveyed(looks, 10_000)

    assert len(seen) == 400
    places = sorted(seen)
    gaps = [b - a for a, b in itertools.pairwise(places)]
    assert max(gaps) <= 40
    assert looks.rounds < 8


def test_a_stretch_among_ends_that_agree_is_found() -> None:
    looks = Looks(lambda one: FAILS if 4_000 <= one < 4_700 else HOLDS, 400)

    assert sorted(flips(surveyed(looks, 10_000, limit=2))) == [4_000, 4_700]
    assert len(looks.seen) < 60


def test_of_several_the_newest_or_the_oldest_is_found_first() -> None:
    def outcome(one: int) -> Outcome:
        return HOLDS if one < 3_000 or 5_000 <= one < 9_000 else FAILS

    newest = surveyed(Looks(outcome, 400), 10_000, limit=1, newest=True)
    seven = surveyed(Looks(outcome, 400), 10_000, limit=3, newest=False)

    assert flips(newest)
    assert sorted(flips(seven)) == [3_000, 5_000, 9_000]


def test_nothing_is_looked_into_twice_and_all_of_a_few() -> None:
    looks = Looks(lambda one: HOLDS if one % 3 else FAILS, 400)

    seen = surveyed(looks, 50)

    assert sorted(looks.seen) == sorted(seen) == list(range(50))


def test_what_cannot_be_read_ends_no_search() -> None:
    looks = Looks(lambda one: None if 10 < one < 90 else HOLDS, 400)

    seen = surveyed(looks, 100)

    assert len(seen) == 100


def test_runs_are_as_the_numbers_they_stand_for() -> None:
    draw = random.Random(7)
    for _ in range(300):
        numbers = sorted(draw.sample(range(40), draw.randint(0, 20)))
        others = sorted(draw.sample(range(40), draw.randint(0, 20)))
        runs = Runs.of(numbers)

        assert list(runs) == numbers
        assert [runs.at(one) for one in range(len(runs))] == numbers
        assert [n for n in range(-1, 42) if n in runs] == numbers
        for number in range(-1, 42):
            assert runs.below(number) == sum(one < number for one in numbers)
        both = runs.within(Runs.of(others).ranges)
        assert list(both) == [one for one in numbers if one in others]
