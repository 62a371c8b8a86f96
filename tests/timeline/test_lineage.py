"""Which versions are live: the walk from the head, over the rollbacks."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.timeline.models import Version
from apps.timeline.versions import lineage as walk
from apps.timeline.versions.lineage import Lineage, lineage, set_aside_by


def live_numbers(head, rollbacks):
    return {n for live in lineage(head, rollbacks) for n in live}


def test_without_a_rollback_everything_is_live():
    assert lineage(4, []) == [range(5)]


def test_a_rollback_sets_aside_what_it_stepped_over():
    assert lineage(6, [(5, 2)]) == [range(5, 7), range(3)]


def test_a_rollback_that_was_set_aside_itself_has_no_say():
    # 4 restores 1, then 6 restores 3, which was live before 4.
    assert live_numbers(6, [(6, 3), (4, 1)]) == {0, 1, 2, 3, 6}


def test_a_rollback_to_a_version_set_aside_makes_it_live_again():
    assert live_numbers(7, [(7, 4), (5, 1)]) == {0, 1, 2, 3, 4, 7}


def test_a_rollback_of_a_rollback_restores_the_line_before_it():
    assert live_numbers(5, [(5, 3), (4, 0)]) == {0, 1, 2, 3, 5}


def test_a_version_names_the_rollback_that_set_it_aside():
    ranges = lineage(9, [(8, 6), (5, 2)])

    assert {n: set_aside_by(ranges, n) for n in range(10)} == {
        **dict.fromkeys((0, 1, 2, 5, 6, 8, 9)),
        3: 5,
        4: 5,
        7: 8,
    }


def test_a_damaged_rollback_never_leads_up_again():
    assert lineage(9, [(8, 9), (5, 7)]) == [range(8, 10), range(5, 8), range(5)]


@st.composite
def histories(draw):
    head = draw(st.integers(0, 40))
    found = []
    for number in range(head, 0, -1):
        if draw(st.booleans()):
            found.append((number, draw(st.integers(0, number - 1))))
    return head, found


@given(histories())
def test_the_ranges_are_the_walk_one_version_at_a_time(history):
    head, rollbacks = history
    restores = dict(rollbacks)

    walked, number = set(), head
    while number >= 0:
        walked.add(number)
        number = restores.get(number, number - 1)

    assert live_numbers(head, rollbacks) == walked


@given(histories())
def test_exactly_the_versions_that_are_not_live_were_set_aside_by_a_rollback(history):
    head, rollbacks = history
    ranges = lineage(head, rollbacks)
    live = live_numbers(head, rollbacks)

    for number in range(head + 1):
        rollback = set_aside_by(ranges, number)
        assert (rollback is None) == (number in live)
        assert rollback is None or (rollback in live and rollback > number)


@pytest.mark.django_db
def test_a_walk_in_pages_is_the_walk_at_once(begin, monkeypatch):
    monkeypatch.setattr(walk, "FIRST_PAGE", 1)
    monkeypatch.setattr(walk, "LARGEST_PAGE", 4)
    chance = Random(5)
    run = begin({"n": 0})
    for head in range(40):
        if head and chance.random() < 0.6:
            run.rollback(chance.randrange(head))
        else:
            run.patch({"n": head})
    rollbacks = Version.objects.filter(session_id=run.id, restored_number__gte=0)
    found = rollbacks.order_by("-number").values_list("number", "restored_number")
    whole = lineage(40, found)

    for number in range(41):
        ranges = Lineage(run.id, 40).down_to(number)

        assert ranges == whole[: len(ranges)]
        assert set_aside_by(ranges, number) == set_aside_by(whole, number)


@pytest.mark.django_db
@pytest.mark.parametrize("page", [1_000, 3])
def test_lines_from_several_versions_are_those_from_each(begin, monkeypatch, page):
    run = begin({"n": 0})
    for to in (0, 2, 1, 4, 0):
        run.patch({"n": run.head + 1})
        run.rollback(to)
    each = [walk.live_ranges(run.id, one) for one in (10, 5, 2)]
    monkeypatch.setattr(walk, "FIRST_PAGE", page)

    assert walk.live_ranges_from(run.id, [10, 5, 2]) == each


@pytest.mark.django_db
def test_only_the_newest_rollbacks_are_read_for_the_newest_versions(begin, monkeypatch):
    monkeypatch.setattr(walk, "FIRST_PAGE", 2)
    run = begin({"n": 0})
    for _ in range(10):
        run.patch({"n": 1})
        run.rollback(-1)

    assert len(Lineage(run.id, 20).down_to(20)) == 2
    assert len(Lineage(run.id, 20).down_to(0)) == 11
