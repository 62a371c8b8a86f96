"""In which share of the sessions a check broke, by release and by model."""

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from apps.agents.scope import Scope as AgentScope
from apps.incidents.looking import Look
from apps.incidents.words import Verdict
from apps.surveys import looking
from apps.surveys import operations as surveys
from apps.surveys.counting import Share, shares_of, wilson
from apps.surveys.errors import UnacceptableSurvey
from apps.surveys.models import Sampled, Survey
from apps.timeline import operations as timeline
from tests.acts import act_in
from tests.console.make import Story

pytestmark = pytest.mark.django_db
CHECK = "state.total<=10"


def sweep():
    return looking.sweep(now=timezone.now())


def story_of(project, *steps, **about):
    """Return a session whose versions were written so: (total, release)."""
    story = Story(project, {"total": 0}, now=timezone.now(), **about)
    for total, release in steps:
        story.update({"total": total}, release=release)
    return story


def asked(project, olga, *, query=None):
    return surveys.ask(act=act_in(project, olga), check=CHECK, query=query)


def told(survey, agents=None):
    scope = AgentScope(survey.project, agents and frozenset(agents))
    return shares_of(survey, scope)


def by_release(survey):
    return {
        one.name: (one.sessions, one.bad, one.undecided)
        for one in told(survey).by_release
        if one.name is not None
    }


def test_a_release_counts_where_it_wrote_while_they_still_passed(project, olga):
    story_of(project, (1, "r1"), (11, "r2"), (3, "r3"))
    story_of(project, (1, "r1"), (2, "r2"))
    story_of(project, (20, "r1"), (2, "r2"))
    survey = asked(project, olga)

    assert sweep() == 3

    # r3 wrote only in a session that was wrong already, and r2 in one of three.
    assert by_release(survey) == {"r1": (3, 1, 0), "r2": (2, 1, 0)}
    found = told(survey)
    assert (found.good, found.bad, found.unknown, found.waiting) == (1, 2, 0, 0)
    survey.refresh_from_db()
    assert survey.is_over
    assert sweep() == 0


def test_one_that_expired_since_counts(project, olga):
    story_of(project, (1, "r1"), (11, "r2"), ttl_seconds=600)
    survey = asked(project, olga)

    later = timezone.now() + timedelta(days=1)
    looking.sweep(now=later, clock=lambda: later)

    assert by_release(survey) == {"r1": (1, 0, 0), "r2": (1, 1, 0)}


def test_what_was_rolled_back_since_counts_as_it_happened(project, olga):
    story = story_of(project, (1, "r1"), (11, "r2"))
    story.rollback(1)
    survey = asked(project, olga)

    sweep()

    assert by_release(survey) == {"r1": (1, 0, 0), "r2": (1, 1, 0)}


def test_a_fork_that_began_wrong_is_of_no_release(project, olga):
    story = story_of(project, (1, "r1"), (11, "r2"))
    timeline.update(
        act=act_in(project),
        session_id=story.fork(2),
        patch={"seen": True},
        step=timeline.Step(release="r3"),
    )
    survey = asked(project, olga)

    sweep()

    found = told(survey)
    assert (found.bad, found.inherited, found.unplaced) == (2, 1, 0)
    assert by_release(survey) == {"r1": (1, 0, 0), "r2": (1, 1, 0)}


def test_what_nobody_can_decide_is_in_no_share(project, olga, monkeypatch):
    story_of(project, (1, "r1"), (2, "r2"))
    survey = asked(project, olga)
    monkeypatch.setattr(
        looking,
        "look",
        lambda *_, **__: Look(verdict=Verdict.UNKNOWN),
    )

    sweep()

    found = told(survey)
    assert (found.good, found.bad, found.unknown) == (0, 0, 1)
    assert by_release(survey) == {"r1": (0, 0, 1), "r2": (0, 0, 1)}


def test_one_that_broke_since_nobody_knows_when_is_in_no_share(
    project, olga, monkeypatch
):
    story_of(project, (1, "r1"), (2, "r2"))
    survey = asked(project, olga)
    monkeypatch.setattr(looking, "look", lambda *_, **__: Look(verdict=Verdict.BAD))

    sweep()

    found = told(survey)
    assert (found.bad, found.unplaced) == (1, 1)
    assert by_release(survey) == {"r1": (0, 0, 1), "r2": (0, 0, 1)}


def test_of_few_sessions_no_share_is_told():
    few, enough = Share("r1", 19, 19, 0), Share("r2", 20, 10, 5)

    assert (few.share, few.interval) == (None, None)
    assert enough.share == 0.5
    low, high = enough.interval
    assert (round(low, 3), round(high, 3)) == (0.299, 0.701)


def test_the_bounds_stay_between_none_and_all():
    low, high = wilson(0, 20)
    assert low == 0.0
    assert 0.1 < high < 0.2
    low, high = wilson(20, 20)
    assert 0.8 < low < 0.9 < high <= 1.0


def test_the_worst_release_comes_first_and_few_come_last(project, olga):
    for place in range(20):
        story_of(project, (1, "good"), (2, "fine"))
        story_of(project, (1, "good"), (11 if place < 5 else 1, "bad"))
    story_of(project, (11, "few"))
    survey = asked(project, olga)

    sweep()

    shares = told(survey).by_release
    assert shares[0] == Share("bad", 20, 5, 0)
    assert shares[0].share == 0.25
    assert {one.name for one in shares[1:-1]} == {"good", "fine", None}
    assert shares[-1].name == "few"
    assert shares[-1].is_few


def test_more_than_the_newest_are_not_looked_into_and_it_says_so(
    project, olga, monkeypatch
):
    monkeypatch.setattr("apps.surveys.operations.asking.MOST", 2)
    old = story_of(project, (11, "r1"))
    new = [story_of(project, (1, "r1")).id for _ in range(2)]

    survey = asked(project, olga)

    assert not survey.is_all
    mine = Sampled.objects.of_survey(survey.id)
    assert set(mine.values_list("session_id", flat=True)) == set(new)
    assert old.id not in new
    assert survey.reaches_to > timezone.now() - timedelta(minutes=5)


def test_what_a_limited_key_does_not_see_is_not_counted(project, olga):
    story_of(project, (11, "r1"), agent="seen")
    story_of(project, (11, "secret"), agent="hidden")
    survey = asked(project, olga)
    sweep()

    found = told(survey, ["seen"])

    assert (found.sessions, found.bad) == (1, 1)
    assert {one.name for one in found.by_release} == {None, "r1"}


def test_no_session_is_refused(project, olga):
    with pytest.raises(UnacceptableSurvey) as refused:
        asked(project, olga)
    assert refused.value.param == "search"


def test_the_worker_is_not_given_more_than_it_can_do(project, olga, monkeypatch):
    monkeypatch.setattr("apps.surveys.operations.asking.MOST_WAITING", 1)
    story_of(project, (1, "r1"))
    asked(project, olga)

    with pytest.raises(UnacceptableSurvey, match="still looks"):
        asked(project, olga)

    sweep()
    asked(project, olga)
    assert Survey.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_find_the_same(project, olga):
    for _ in range(30):
        story_of(project, (1, "r1"), (11, "r2"))
    survey = asked(project, olga)

    def work():
        try:
            sweep()
        finally:
            connection.close()

    workers = [threading.Thread(target=work) for _ in range(2)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()

    assert by_release(survey) == {"r1": (30, 0, 0), "r2": (30, 30, 0)}
    survey.refresh_from_db()
    assert survey.is_over


def test_none_is_said_of_no_more_than_was_looked_through(project, olga, monkeypatch):
    for _ in range(3):
        story_of(project, (1, "r1"))
    monkeypatch.setattr("apps.timeline.search.finder.PROBED", 1)
    monkeypatch.setattr("apps.timeline.search.finder.MOST_LOOKED_AT", 1)
    monkeypatch.setattr("apps.surveys.operations.asking.WALKS", 1)

    with pytest.raises(UnacceptableSurvey) as refused:
        asked(project, olga, query="state.total=1 updated<2020-01-01")

    assert "older ones were not looked at" in refused.value.message
