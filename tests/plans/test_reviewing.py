"""Reviewing many sessions at once, and taking it back: what counted before counts."""

import pytest
from django.utils import timezone

from apps.audit.models import AuditRecord, Event
from apps.plans import operations as plans
from apps.plans import running
from apps.timeline import operations as timeline
from apps.timeline.models import Review, Session
from tests.acts import act_in
from tests.console.make import Story
from tests.plans.make import (
    codes,
    confirmed,
    done,
    make_plan,
    make_sessions,
    reasons,
    states,
    undone,
)

pytestmark = pytest.mark.django_db


def listed(ids):
    """Return what lists show of the sessions, as narrowing by review does."""
    found = dict(Session.objects.values_list("id", "review"))
    return [found[id] for id in ids]


def newest(id):
    return Review.objects.of_session(id).newest()


def test_sessions_are_reviewed_as_acts_of_the_person(project, olga):
    ids = make_sessions(project, 3)

    plan = done(project, olga, "review", ids, outcome="failed", reason="No refund.")

    assert states(plan) == ["done"] * 3
    assert listed(ids) == ["failed"] * 3
    given = [newest(id) for id in ids]
    assert {(one.actor_id, one.why) for one in given} == {(olga.id, "No refund.")}
    assert AuditRecord.objects.filter(action="session.reviewed").count() == 3


def test_the_dry_run_leaves_out_what_is_gone_or_reviewed_so_already(project, olga):
    now = timezone.now()
    same, other, closed, deleted, fine = (Story(project, now=now) for _ in range(5))
    same.review("failed", "Seen.")
    other.review("fine")
    ids = [one.id for one in (same, other, closed.close(), deleted.delete(), fine)]

    plan = make_plan(project, olga, "review", ids, outcome="failed")

    assert states(plan) == ["left_out", "planned", "planned", "left_out", "planned"]
    assert reasons(plan)[0] == "reviewed as failed already"
    assert reasons(plan)[3] == "deleted"
    assert Review.objects.count() == 2


def test_the_dry_run_says_what_it_overrules(project, olga):
    now = timezone.now()
    same, other, none, deleted = (Story(project, now=now) for _ in range(4))
    same.review("failed")
    other.review("failed").review("fine", "Seen.")
    deleted.review("fine").delete()
    ids = [one.id for one in (same, other, none, deleted)]

    plan = make_plan(project, olga, "review", ids, outcome="failed")

    assert states(plan) == ["left_out", "planned", "planned", "left_out"]
    assert reasons(plan)[1:] == ["reviewed as fine until now", "", "deleted"]
    assert codes(plan)[1:3] == ["review_overruled", ""]


def test_what_was_done_or_is_taken_back_overrules_nothing(project, olga):
    story = Story(project, now=timezone.now()).review("fine")

    plan = done(project, olga, "review", [story.id], outcome="failed")
    undo = undone(project, olga, plan)
    again = plans.undo(act=act_in(project, olga), plan_id=undo.id)

    assert [codes(one) for one in (plan, undo, again)] == [[""]] * 3


def test_taking_it_back_brings_back_what_counted_before(project, olga):
    stories = [Story(project, now=timezone.now()) for _ in range(2)]
    stories[0].review("fine", "Seen by hand.")
    ids = [one.id for one in stories]
    plan = done(project, olga, "review", ids, outcome="failed", reason="Bad release")

    undo = undone(project, olga, plan)

    assert states(undo) == ["done", "done"]
    assert listed(ids) == ["fine", None]
    assert newest(ids[0]).why == "Seen by hand."
    assert [Review.objects.of_session(id).count() for id in ids] == [3, 2]
    told = Event.objects.filter(action="session.reviewed", stream_id=ids[1])
    assert [one.details["outcome"] for one in told.order_by("id")] == ["failed", None]
    unreviewed = Session.objects.of_project(project.id).reviewed("none")
    assert [one.id for one in unreviewed] == [ids[1]]


def test_who_has_reviewed_it_since_has_decided(project, olga):
    stories = [Story(project, now=timezone.now()) for _ in range(3)]
    ids = [one.id for one in stories]
    plan = done(project, olga, "review", ids, outcome="failed")
    reviewed_now(stories[0], "fine")

    undo = plans.undo(act=act_in(project, olga), plan_id=plan.id)
    assert states(undo) == ["left_out", "planned", "planned"]
    # And who reviews it after the dry run.
    reviewed_now(stories[1], "fine")
    plans.confirm(act=act_in(project, olga), plan_id=undo.id)
    running.sweep(now=timezone.now())

    assert states(undo) == ["left_out", "left_out", "done"]
    assert set(reasons(undo)[:2]) == {"somebody has reviewed it since"}
    assert listed(ids) == ["fine", "fine", None]


def test_the_undo_can_be_undone(project, olga):
    ids = make_sessions(project, 2)
    plan = done(project, olga, "review", ids, outcome="fine", reason="All looked at")

    again = undone(project, olga, undone(project, olga, plan))

    assert states(again) == ["done", "done"]
    assert again.kind == "review"
    assert listed(ids) == ["fine", "fine"]
    assert {newest(id).why for id in ids} == {"All looked at"}


def test_what_was_reviewed_so_by_hand_meanwhile_is_not_taken_back(project, olga):
    story = Story(project, now=timezone.now())
    plan = confirmed(project, olga, "review", [story.id], outcome="failed")
    by_hand = {"act": act_in(project, olga), "session_id": story.id}
    timeline.review(outcome="failed", **by_hand)

    running.sweep(now=timezone.now())

    assert states(plan) == ["left_out"]
    assert codes(plan) == ["review_given"]
    assert Review.objects.count() == 1


def reviewed_now(story, outcome):
    story.now = timezone.now()
    story.review(outcome)
