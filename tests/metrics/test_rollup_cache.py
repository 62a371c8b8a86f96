"""Closed hours are asked once, and again when one of them has changed."""

from collections import namedtuple
from zoneinfo import ZoneInfo

import pytest
from django.db import connection

from apps.metrics import rollup_cache
from apps.metrics.rollup_cache import together
from tests.metrics.make import Told, at, reading, roll_up

Row = namedtuple("Row", "name first count")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The questions that went to the database, of those about closed hours."""
    found: list[str] = []
    really = rollup_cache.cached_rows

    def noting(question, ask):
        def noted():
            found.append(question[0])
            return ask()

        return really(question, noted)

    monkeypatch.setattr("apps.metrics.range_query.cached_rows", noting)
    return found


def everything(project, now="15:00"):
    found = reading(project, "00:00", "20:00", now=at(now))
    return found.totals(), found.series(), found.week(), found.groups("reason")


@pytest.mark.django_db(transaction=True)
def test_closed_hours_are_asked_once(project, asked):
    Told(project, "10:00").update("10:10").back(0, "11:00")
    roll_up("13:00")

    first = everything(project)
    once = len(asked)
    second = everything(project)

    assert once > 3
    assert len(asked) == once
    assert first == second


@pytest.mark.django_db(transaction=True)
def test_what_is_remembered_of_one_zone_is_told_in_no_other(project):
    # Tuesday 18:10 UTC: Wednesday in Tokyo.
    Told(project, "18:10")
    roll_up("23:00")
    tokyo = ZoneInfo("Asia/Tokyo")

    def told(*zone):
        found = reading(project, "-3 00:00", "+1 00:00", now=at("+2 00:00"))
        return [p.start for p in found.series(*zone)], list(found.week(*zone))

    for _ in range(2):
        assert told() == ([at("00:00")], [(2, 18)])
        assert told(tokyo) == ([at("15:00")], [(3, 3)])


@pytest.mark.django_db(transaction=True)
def test_an_hour_that_was_rolled_up_anew_is_asked_again(project, asked):
    early = Told(project, "10:00")
    Told(project, "12:00")
    roll_up("13:00")
    before, *_ = everything(project)

    early.update("12:45")
    late, *_ = everything(project)
    roll_up("14:00")
    after, *_ = everything(project)

    assert (before.versions, late.versions, after.versions) == (2, 3, 3)
    assert late == after


@pytest.mark.django_db(transaction=True)
def test_another_range_is_another_question(project, asked):
    Told(project, "10:00")
    roll_up("13:00")
    everything(project)
    once = len(asked)

    reading(project, "00:00", "12:00", now=at("15:00")).totals()

    assert len(asked) == once + 2


@pytest.mark.django_db(transaction=True)
def test_a_sweep_that_finds_nothing_changes_no_revision(project):
    Told(project, "10:00")
    roll_up("13:00")

    assert revision(project) == 1
    roll_up("13:10")
    assert revision(project) == 1


def revision(project) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT number FROM metrics_revision WHERE project_id = %s", [project.id]
        )
        return cursor.fetchone()[0]


def test_rows_of_one_key_are_added_up():
    closed = [Row("a", 3, 10), Row("b", 1, 1)]
    live = [Row("a", 2, 5), Row("c", 9, 7)]

    assert together(closed, live, by=("name",)) == [
        Row("a", 2, 15),
        Row("b", 1, 1),
        Row("c", 9, 7),
    ]


def test_only_so_much_is_remembered():
    for number in range(rollup_cache.ANSWERS + 10):
        rollup_cache.cached_rows(("bounded", number), list)
    large = [None] * (rollup_cache.ROWS + 1)
    rollup_cache.cached_rows(("bounded", "large"), lambda: large)

    assert len(rollup_cache._kept) <= rollup_cache.ANSWERS
    assert ("bounded", "large") not in rollup_cache._kept
    assert ("bounded", 0) not in rollup_cache._kept
