"""Bisect by eye: which version to look at next, after what was said of others."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from apps.core.errors import InvalidRequest
from apps.timeline.bisect import Along, Eyed, Said, Trial, look_between
from apps.timeline.errors import RangeRefused
from apps.timeline.models import Session
from tests.timeline.keeping.gaps import with_gaps
from tests.timeline.runs import Begin, Run

pytestmark = pytest.mark.django_db

GOOD, BAD, SKIPPED = Said.GOOD, Said.BAD, Said.SKIPPED


@pytest.fixture
def long(begin: Begin) -> Run:
    """A session with v0 to v20."""
    run = begin({"n": 0})
    run.post("versions", {"versions": [{"state": {"n": n}} for n in range(1, 21)]})
    return run


def look(
    run: Run, good: int, bad: int, *trials: Trial, along: Along = Along.LIVE
) -> Eyed:
    session = Session.objects.get(id=run.id)
    return look_between(session, good, bad, along, trials)


def judged(
    run: Run, good: int, bad: int, says: Callable[[int], Said]
) -> tuple[Eyed, list[Trial]]:
    """Answer for each version that is asked about until none is left."""
    trials: list[Trial] = []
    while (found := look(run, good, bad, *trials)).middle is not None:
        trials.append(Trial(found.middle, says(found.middle)))
    return found, trials


def test_every_first_wrong_version_is_found_in_few_trials(long: Run) -> None:
    most = look(long, 0, 20).n_left
    assert most == 5

    for wrong in range(1, 21):
        # Each is bound by the loop that asks it.
        found, trials = judged(
            long, 0, 20, lambda n, wrong=wrong: BAD if n >= wrong else GOOD
        )
        assert (found.good, found.bad) == (wrong - 1, wrong)
        assert found.is_certain
        assert len(trials) <= most


def test_what_is_skipped_is_asked_about_no_more(long: Run) -> None:
    found = look(long, 0, 20, Trial(10, SKIPPED))

    assert found.middle in (9, 11)
    assert found.skipped == [10]
    assert 10 in found.between


def test_where_nothing_can_be_judged_it_is_over_and_not_certain(long: Run) -> None:
    found, trials = judged(long, 3, 9, lambda _: SKIPPED)

    assert sorted(trial.number for trial in trials) == [4, 5, 6, 7, 8]
    assert (found.good, found.bad, found.n_left) == (3, 9, 0)
    assert not found.is_certain


def test_what_was_skipped_before_does_not_count_once_it_is_out_of_question(
    long: Run,
) -> None:
    found = look(long, 0, 20, Trial(10, SKIPPED), Trial(9, BAD))

    assert (found.skipped, found.bad) == ([], 9)
    assert found.middle == 4


def test_neighbours_leave_nothing_to_look_at(long: Run) -> None:
    found = look(long, 4, 5)

    assert (found.middle, found.n_left, found.is_certain) == (None, 0, True)


def test_what_a_rollback_set_aside_is_passed_by(long: Run) -> None:
    long.rollback(2)
    long.patch({"n": 30})

    live = look(long, 0, 22)
    every = look(long, 0, 22, along=Along.ALL)

    assert list(live.passed) == [0, 1, 2, 21, 22]
    assert list(live.between) == [1, 2, 21]
    assert len(every.between) == 21


def test_what_was_set_aside_may_be_the_right_one(long: Run) -> None:
    long.rollback(2)

    found = look(long, 10, 21)

    assert list(found.passed) == [10, 21]
    assert found.middle is None


def test_what_is_gone_is_not_asked_about(begin: Begin) -> None:
    # v1 to v3 were pruned, v6 and v7 emptied.
    gaps = with_gaps(begin)

    found = look(gaps, 0, 9)

    assert list(found.between) == [4, 5, 8]
    assert found.n_gone == 5
    found, _ = judged(gaps, 0, 9, lambda n: BAD if n >= 8 else GOOD)
    assert (found.good, found.bad) == (5, 8)
    # It may have been one of those that are gone.
    assert (found.n_gone, found.is_certain) == (2, False)


@pytest.mark.parametrize(
    ("good", "bad", "param"),
    [(5, 5, "good"), (6, 5, "good"), (0, 21, "bad"), (22, 20, "good")],
)
def test_ends_that_are_none_are_refused(
    long: Run, good: int, bad: int, param: str
) -> None:
    with pytest.raises(RangeRefused) as refused:
        look(long, good, bad)

    assert refused.value.param == param


@pytest.mark.parametrize(
    "trials",
    [
        [Trial(4, GOOD)],
        [Trial(12, GOOD)],
        [Trial(8, BAD), Trial(9, GOOD)],
        [Trial(8, SKIPPED), Trial(8, SKIPPED)],
    ],
)
def test_a_trial_of_what_is_not_in_question_is_refused(
    long: Run, trials: list[Trial]
) -> None:
    with pytest.raises(InvalidRequest, match="is not in question") as refused:
        look(long, 4, 12, *trials)

    assert refused.value.param == "tried"
