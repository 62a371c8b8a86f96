"""A time beside the one before: whether the rate moved, and what moved it."""

from datetime import UTC, datetime, timedelta

import pytest

from apps.agents.models import Agent
from apps.metrics.comparison import Direction, period_before, trend_of
from apps.metrics.comparison.trend import direction_of
from apps.metrics.figures import Figures
from apps.metrics.ranges import Range, between, window
from tests.metrics.make import Told, at, reading


def of(rolled_back, sessions):
    return Figures(sessions=sessions, rolled_back=rolled_back)


def test_the_period_before_is_as_long_and_ends_where_the_range_begins():
    found = window("24h", now=datetime(2026, 3, 10, 9, 30, tzinfo=UTC))

    before = period_before(found)

    assert before == Range(start=found.start - timedelta(hours=25), end=found.start)


def test_nothing_lies_before_the_earliest_moment():
    start = datetime(1970, 1, 3, tzinfo=UTC)
    found = between(start, start + timedelta(days=30), now=at("00:00"))

    assert period_before(found) is None


@pytest.mark.parametrize(
    ("now", "before", "said"),
    [
        (of(0, 0), of(5, 100), Direction.NOTHING),
        (of(19, 19), of(0, 1_000), Direction.FEW),
        (of(20, 20), of(0, 19), Direction.UNCOMPARED),
        (of(12, 100), of(2, 100), Direction.RISEN),
        (of(2, 100), of(12, 100), Direction.FALLEN),
        # Twice as many, which a hundred sessions often show by chance.
        (of(4, 100), of(2, 100), Direction.STEADY),
        (of(0, 100), of(0, 100), Direction.STEADY),
        (of(100, 100), of(100, 100), Direction.STEADY),
    ],
)
def test_a_rate_moves_only_beyond_few_sessions_and_chance(now, before, said):
    assert direction_of(now, before) == said


def sessions(project, moment, count, *, bad=0, agent="travel", release=None):
    for number in range(count):
        one = Told(project, moment, agent=agent, release=release)
        one.update(moment, release=release)
        if number < bad:
            one.back(0, moment)


def trend(project):
    before = reading(project, "+0 10:00", "+0 20:00")
    return trend_of(reading(project, "+0 20:00", "+1 06:00"), before)


def name_of(found):
    return Agent.objects.get(id=found.agent_id).external_id


@pytest.mark.django_db
def test_the_release_that_brought_the_rollbacks_is_the_cause(project, counted):
    sessions(project, "11:00", 25, bad=1, release="1.8.0")
    sessions(project, "11:00", 20, agent="refund")
    sessions(project, "21:00", 20, agent="refund", bad=1)
    sessions(project, "21:00", 20, bad=1, release="1.8.0")
    sessions(project, "22:00", 20, bad=12, release="1.8.1")
    counted()

    found = trend(project)

    assert found.direction is Direction.RISEN
    assert (name_of(found.cause), found.cause.release) == ("travel", "1.8.1")
    assert found.factor == pytest.approx((14 / 60) / (1 / 45))


@pytest.mark.django_db
def test_an_agent_without_another_release_is_the_cause_alone(project):
    sessions(project, "11:00", 25, release="1.8.0")
    sessions(project, "21:00", 25, bad=12, release="1.8.0")

    found = trend(project)

    assert (name_of(found.cause), found.cause.release) == ("travel", None)
    assert found.factor is None


@pytest.mark.django_db
def test_an_agent_that_was_always_as_bad_is_no_cause(project):
    sessions(project, "11:00", 20, bad=15, agent="old")
    sessions(project, "11:00", 40, agent="travel")
    sessions(project, "21:00", 20, bad=15, agent="old")
    sessions(project, "21:00", 40, bad=14, agent="travel")

    assert name_of(trend(project).cause) == "travel"


@pytest.mark.django_db
def test_where_many_share_it_no_cause_is_named(project):
    for agent in ("a", "b", "c"):
        sessions(project, "11:00", 20, agent=agent)
        sessions(project, "21:00", 20, bad=6, agent=agent)

    found = trend(project)

    assert (found.direction, found.cause) == (Direction.RISEN, None)
