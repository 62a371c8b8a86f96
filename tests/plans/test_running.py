"""A plan is done item by item by the ordinary operations, as acts of who confirmed."""

import pytest
from django.db import connection
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts.models import ApiKey, Role, Scope
from apps.audit.models import AuditRecord, Event
from apps.core.actors import Actor, ActorKind
from apps.plans import operations as plans
from apps.plans import running
from apps.plans.cases import CASES
from apps.plans.errors import (
    NothingPlanned,
    NothingToRetry,
    PlanConfirmed,
    PlanNotFound,
)
from apps.plans.models import Item, Plan
from apps.timeline import operations as timeline
from apps.timeline.models import Label, Version
from tests.accounts.make import make_key, make_member
from tests.acts import act_by, act_in
from tests.console.make import Story
from tests.plans.make import (
    codes,
    confirmed,
    done,
    make_plan,
    make_sessions,
    reasons,
    states,
    statuses,
)

pytestmark = pytest.mark.django_db


def sweep():
    return running.sweep(now=timezone.now())


def test_nothing_is_done_before_it_is_confirmed(project, olga):
    ids = make_sessions(project, 2)
    make_plan(project, olga, "hold", ids)

    assert sweep() == 0
    assert statuses(ids) == ["active", "active"]


def test_sessions_are_held_as_acts_of_the_person(project, olga):
    ids = make_sessions(project, 3)

    plan = done(project, olga, "hold", ids, reason="bad release")

    assert plan.is_finished
    assert states(plan) == ["done"] * 3
    assert statuses(ids) == ["paused"] * 3
    made = Version.objects.filter(op="pause")
    assert {(one.actor_id, one.reasoning) for one in made} == {(olga.id, "bad release")}
    assert {one.request_key for one in made} == {f"plan:{plan.id}:{id}" for id in ids}
    chained = AuditRecord.objects.filter(action="session.paused")
    assert chained.count() == 3
    events = Event.objects.filter(action="session.paused")
    assert {one.request_id for one in events} == {"req_confirmed"}


def test_sessions_are_resumed_and_labelled(project, olga):
    held = [Story(project).pause().id for _ in range(2)]

    resumed = done(project, olga, "resume", held)
    labelled = done(project, olga, "label", held, label="handed-over")

    assert statuses(held) == ["active", "active"]
    assert states(resumed) == states(labelled) == ["done", "done"]
    labels = Label.objects.order_by("session_id")
    assert [(one.session_id, one.number) for one in labels] == [
        (id, 2) for id in sorted(held)
    ]


def test_a_label_goes_to_the_head_that_was_seen(project, olga):
    story = Story(project).update({"a": 1})
    plan = make_plan(project, olga, "label", [story.id], label="seen")
    story.update({"a": 2})

    plans.confirm(act=act_in(project, olga), plan_id=plan.id)
    sweep()

    assert Label.objects.get().number == 1


def test_what_changed_since_the_dry_run_is_left_out_and_said(project, olga):
    held, deleted, fine = (Story(project, now=timezone.now()) for _ in range(3))
    plan = confirmed(project, olga, "hold", [held.id, deleted.id, fine.id])
    held.pause()
    deleted.delete()

    sweep()

    assert states(plan) == ["left_out", "left_out", "done"]
    assert reasons(plan)[:2] == ["held already", "deleted or expired meanwhile"]


def test_a_plan_is_confirmed_once(project, olga):
    plan = confirmed(project, olga, "hold", make_sessions(project, 1))

    with pytest.raises(PlanConfirmed):
        plans.confirm(act=act_in(project, olga), plan_id=plan.id)

    assert AuditRecord.objects.filter(action="plan.confirmed").count() == 1


def test_a_plan_of_which_nothing_is_left_cannot_be_confirmed(project, olga):
    plan = make_plan(project, olga, "hold", [Story(project).pause().id])

    with pytest.raises(NothingPlanned):
        plans.confirm(act=act_in(project, olga), plan_id=plan.id)


def test_another_projects_plan_is_none(project, other_project, olga):
    plan = make_plan(project, olga, "hold", make_sessions(project, 1))

    for verb in (plans.confirm, plans.retry, plans.undo):
        with pytest.raises(PlanNotFound):
            verb(act=act_in(other_project), plan_id=plan.id)


def test_a_role_that_was_taken_is_refused_for_each_session_and_named(
    project, person, olga
):
    ids = make_sessions(project, 2)
    plan = confirmed(project, olga, "hold", ids)
    accounts.change_role(act=act_by(), project=project, user=person, role=Role.VIEWER)

    sweep()

    assert states(plan) == ["failed", "failed"]
    assert set(reasons(plan)) == {
        "olga has no right to write in this project any more."
    }
    assert statuses(ids) == ["active", "active"]


def test_whoever_left_the_project_is_refused_too(project, person, olga):
    make_member(project, "alice")
    plan = confirmed(project, olga, "hold", make_sessions(project, 1))
    accounts.remove_member(act=act_by(), project=project, user=person)

    sweep()

    assert codes(plan) == ["permission_denied"]


def test_what_failed_is_tried_again_as_who_asks_for_it(project, person, olga):
    ids = make_sessions(project, 2)
    plan = confirmed(project, olga, "hold", ids)
    accounts.change_role(act=act_by(), project=project, user=person, role=Role.VIEWER)
    sweep()
    alice = make_member(project, "alice")

    act = act_in(project, Actor(kind=ActorKind.USER, id=alice.id, label="alice"))
    plans.retry(act=act, plan_id=plan.id)
    sweep()

    assert states(plan) == ["done", "done"]
    assert set(Version.objects.filter(op="pause").values_list("actor_label")) == {
        ("alice",)
    }
    assert AuditRecord.objects.filter(action="plan.retried").count() == 1
    with pytest.raises(NothingToRetry):
        plans.retry(act=act, plan_id=plan.id)


def test_a_key_acts_with_its_own_rights(project):
    limited, _ = make_key(project, agents=["travel-agent"])
    key = Actor(kind=ActorKind.KEY, id=limited.id, label=limited.prefix)
    mine, other = Story(project, now=timezone.now()), Story(project, agent="other")

    plan = done(project, key, "hold", [mine.id, other.id])

    assert states(plan) == ["done", "left_out"]
    assert reasons(plan)[1] == "deleted or expired meanwhile"


def test_a_key_that_was_revoked_does_nothing(project):
    made, _ = make_key(project, scope=Scope.WRITE)
    key = Actor(kind=ActorKind.KEY, id=made.id, label=made.prefix)
    plan = confirmed(project, key, "hold", make_sessions(project, 1))
    accounts.revoke_key(act=act_by(), project=project, key_id=made.id)

    sweep()

    assert codes(plan) == ["permission_denied"]
    assert ApiKey.objects.get(id=made.id).prefix in reasons(plan)[0]


def break_down():
    raise RuntimeError("broken")


def take_too_long():
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 20")
        cursor.execute("SELECT pg_sleep(10)")


@pytest.mark.parametrize("breaks", [break_down, take_too_long])
def test_an_item_that_breaks_holds_up_nothing_and_leaves_nothing(
    project, olga, monkeypatch, breaks
):
    ids = make_sessions(project, 3)
    plan = confirmed(project, olga, "hold", ids)
    case, seen = CASES["hold"], []

    def breaking(task):
        came = case.do(task)
        seen.append(task.item.session_id)
        if len(seen) == 2:
            breaks()
        return came

    monkeypatch.setitem(CASES, "hold", _with(case, do=breaking))
    sweep()

    assert states(plan) == ["done", "failed", "done"]
    assert codes(plan)[1] == "internal_error"
    assert statuses(ids) == ["paused", "active", "paused"]
    assert Plan.objects.get(id=plan.id).is_finished


def test_what_was_done_is_not_done_again(project, olga):
    ids = make_sessions(project, 2)
    plan = done(project, olga, "hold", ids)
    timeline.resume(act=act_in(project, olga), session_id=ids[0], step=timeline.Step())

    assert sweep() == 0
    assert statuses(ids) == ["active", "paused"]
    assert states(plan) == ["done", "done"]


def test_a_sweep_that_is_cut_short_is_gone_on_with(project, olga, monkeypatch):
    plan = confirmed(project, olga, "hold", make_sessions(project, 3))
    monkeypatch.setattr(running, "SWEEP_SECONDS", -1.0)

    assert [sweep() for _ in range(3)] == [1, 1, 1]
    assert not Plan.objects.get(id=plan.id).is_finished

    assert sweep() == 0
    assert Plan.objects.get(id=plan.id).is_finished


def test_plans_take_turns_in_the_order_of_their_confirmation(project, olga):
    first = confirmed(project, olga, "hold", make_sessions(project, 1))
    second = confirmed(project, olga, "hold", make_sessions(project, 1))

    sweep()

    ended = [Item.objects.get(plan=one).done_at for one in (first, second)]
    assert ended == sorted(ended)


def _with(case, **changed):
    from dataclasses import replace

    return replace(case, **changed)
