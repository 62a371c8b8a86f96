"""An undo is a plan: it touches what still stands as the plan has left it."""

import pytest
from django.utils import timezone

from apps.audit.models import AuditRecord
from apps.plans import operations as plans
from apps.plans import running
from apps.plans.errors import NothingToUndo
from apps.plans.models import Plan
from apps.timeline.models import Label
from tests.acts import act_in
from tests.console.make import Story
from tests.plans.make import (
    confirmed,
    done,
    make_plan,
    make_sessions,
    reasons,
    states,
    statuses,
    undone,
)

pytestmark = pytest.mark.django_db


def test_what_was_held_is_resumed(project, olga):
    ids = make_sessions(project, 2)
    plan = done(project, olga, "hold", ids)

    undo = undone(project, olga, plan)

    assert statuses(ids) == ["active", "active"]
    assert undo.undo_of == plan
    assert states(undo) == ["done", "done"]


def test_nothing_is_undone_before_it_is_confirmed(project, olga):
    ids = make_sessions(project, 1)
    plan = done(project, olga, "hold", ids)

    undo = plans.undo(act=act_in(project, olga), plan_id=plan.id)
    running.sweep(now=timezone.now())

    assert undo.is_draft
    assert statuses(ids) == ["paused"]
    assert not AuditRecord.objects.filter(action="plan.undone").exists()


def test_undoing_is_one_chained_record_about_what_is_undone(project, olga):
    plan = done(project, olga, "hold", make_sessions(project, 1))

    undo = undone(project, olga, plan)

    (record,) = AuditRecord.objects.filter(action="plan.undone")
    assert record.resource_id == plan.id
    assert record.details["by"] == undo.id
    confirmed_too = AuditRecord.objects.filter(action="plan.confirmed")
    assert [one.resource_id for one in confirmed_too] == [plan.id]


def test_only_what_was_done_is_undone(project, olga):
    held = Story(project, now=timezone.now()).pause()
    ids = [held.id, *make_sessions(project, 1)]
    plan = done(project, olga, "hold", ids)

    undone(project, olga, plan)

    assert statuses(ids) == ["paused", "active"]


def test_a_session_that_has_moved_on_is_left_as_it_is_and_named(project, olga):
    stories = [Story(project, now=timezone.now()) for _ in range(3)]
    ids = [one.id for one in stories]
    plan = done(project, olga, "hold", ids)
    stories[0].rollback(0)

    undo = plans.undo(act=act_in(project, olga), plan_id=plan.id)
    assert states(undo) == ["left_out", "planned", "planned"]
    assert reasons(undo)[0] == "has moved on: v1 is not its head, v2 is"

    # And what moves on after the dry run.
    stories[1].rollback(0)
    plans.confirm(act=act_in(project, olga), plan_id=undo.id)
    running.sweep(now=timezone.now())
    assert states(undo) == ["left_out", "moved", "done"]
    assert reasons(undo)[1] == "has moved on: v1 is not its head, v2 is"
    assert statuses(ids) == ["paused", "paused", "active"]


def test_a_label_is_taken_away_where_the_plan_gave_it(project, olga):
    stories = [Story(project, now=timezone.now()) for _ in range(4)]
    stories[0].label(0, "seen")
    plan = done(project, olga, "label", [one.id for one in stories], label="seen")
    # Taken away by somebody, and taken away and given anew.
    labels = Label.objects.of_session
    for story in stories[1:3]:
        timeline_unlabel(project, olga, story.id)
    stories[2].now = timezone.now()
    stories[2].label(0, "seen")

    undo = undone(project, olga, plan)

    assert states(undo) == ["left_out", "left_out", "done"]
    assert reasons(undo)[:2] == [
        "the label was taken away already",
        "the label was taken away and given anew",
    ]
    kept = [bool(labels(one.id).count()) for one in stories]
    assert kept == [True, False, True, False]


def test_an_undo_can_be_undone(project, olga):
    ids = make_sessions(project, 2)
    plan = done(project, olga, "label", ids, label="seen")

    again = undone(project, olga, undone(project, olga, plan))

    assert states(again) == ["done", "done"]
    assert Label.objects.count() == 2


def test_two_undos_take_it_back_once(project, olga):
    ids = make_sessions(project, 1)
    plan = done(project, olga, "hold", ids)
    both = [plans.undo(act=act_in(project, olga), plan_id=plan.id) for _ in range(2)]
    for one in both:
        plans.confirm(act=act_in(project, olga), plan_id=one.id)

    running.sweep(now=timezone.now())

    assert [states(one) for one in both] == [["done"], ["moved"]]
    assert statuses(ids) == ["active"]


def test_there_is_nothing_to_undo_of_a_draft_an_export_or_what_did_nothing(
    project, olga
):
    (one,) = make_sessions(project, 1)
    draft = make_plan(project, olga, "hold", [one])
    running_one = confirmed(project, olga, "label", [one], label="x")
    export = done(project, olga, "export", [one])

    for plan in (draft, export):
        with pytest.raises(NothingToUndo):
            plans.undo(act=act_in(project, olga), plan_id=plan.id)
    assert Plan.objects.get(id=running_one.id).is_finished


def timeline_unlabel(project, actor, session_id):
    from apps.timeline import operations as timeline

    timeline.unlabel(
        act=act_in(project, actor), session_id=session_id, number=0, name="seen"
    )
