"""Many sessions are rolled back, each to its own version, as the dry run has shown."""

import pytest
from django.db import connection
from django.utils import timezone

from apps.core.roles.names import Role as DatabaseRole
from apps.plans import dry_running, running
from apps.plans import operations as plans
from apps.plans.errors import (
    NotPickable,
    PlanChanged,
    PlanConfirmed,
    PlanNotLooked,
    PlanRunning,
)
from apps.plans.models import Item, ItemState, Plan
from apps.plans.operations import Consent, Picked
from apps.timeline import operations as timeline
from apps.timeline.errors import EffectsUnconfirmed
from apps.timeline.models import Compensation, Session, Version
from apps.timeline.queries import preview_rollback
from tests.acting import acting_as
from tests.acts import act_in
from tests.console.make import Story
from tests.plans.make import codes, reasons, states, undone
from tests.timeline.test_blame import counted

pytestmark = pytest.mark.django_db


def story(project, **about):
    """Return a session whose third version is the bad one."""
    made = Story(project, {"n": 0}, now=timezone.now(), **about)
    return made.update({"n": 1}).update({"n": 2}).update({"bad": True})


def planned(project, actor, ids, target=None, **targets):
    rule = target or {"rule": "check", "check": "NOT state.bad=true"}
    picked = Picked(session_ids=ids, targets=targets.get("targets", {}))
    return plans.make(
        act=act_in(project, actor), kind="rollback", picked=picked, params=rule
    )


def confirm(project, actor, plan, **more):
    plan = Plan.objects.get(id=plan.id)
    consent = Consent(**{"reason": "Bad release.", "digest": plan.digest} | more)
    return plans.confirm(act=act_in(project, actor), plan_id=plan.id, consent=consent)


def sweep():
    return running.sweep(now=timezone.now())


def heads(ids):
    found = dict(Session.objects.values_list("id", "head_number"))
    return [found[id] for id in ids]


def targets(plan):
    return [one.target for one in Item.objects.of_plan(plan.id).in_order()]


def verdicts(plan):
    return [one.verdict for one in Item.objects.of_plan(plan.id).in_order()]


def begin(story, effect_class, key="k"):
    return timeline.begin_effect(
        act=act_in(story.scope),
        session_id=story.id,
        effect=timeline.NewEffect(
            key=key, tool="book", arguments={}, effect_class=effect_class
        ),
    )


def test_each_session_goes_back_to_the_version_before_its_first_bad_one(project, olga):
    one, other = story(project), story(project).update({"n": 9})

    plan = planned(project, olga, [one.id, other.id])
    assert (targets(plan), verdicts(plan)) == ([2, 2], ["clean", "clean"])
    assert heads([one.id, other.id]) == [3, 4]
    confirm(project, olga, plan)
    sweep()

    assert states(plan) == ["done", "done"]
    made = Version.objects.filter(op="rollback").order_by("session_id")
    assert {one.restored_number for one in made} == {2}
    assert {one.reasoning for one in made} == {"Bad release."}
    assert {one.request_key for one in made} == {
        f"plan:{plan.id}:{id}" for id in (one.id, other.id)
    }


@pytest.mark.parametrize(
    ("rule", "target"),
    [
        ({"rule": "check", "check": "NOT state.bad=true"}, 2),
        ({"rule": "release", "release": "1.0"}, 1),
        ({"rule": "label", "label": "good"}, 0),
    ],
)
def test_a_rule_finds_the_version_of_each_session(project, olga, rule, target):
    made = Story(project, {"n": 0}, now=timezone.now())
    made.update({"n": 1}, release="1.0").update({"n": 2}, release="2.0")
    made.update({"bad": True}, release="2.0").label(0, "good")

    assert targets(planned(project, olga, [made.id], rule)) == [target]


def test_before_a_moment_is_the_last_version_from_before_it(project, olga):
    made = story(project)
    at = Version.objects.get(session_id=made.id, number=2).created_at
    rule = {"rule": "before", "before": at}

    plan = planned(project, olga, [made.id], rule)

    assert targets(plan) == [1]
    assert plan.params["before"].endswith("Z")


def test_what_a_rollback_set_aside_is_no_place_to_go_back_to(project, olga):
    made = Story(project, {"n": 0}, now=timezone.now())
    made.update({"n": 1}, release="1.0").rollback(0).update({"n": 2}, release="2.0")

    plan = planned(project, olga, [made.id], {"rule": "release", "release": "1.0"})

    assert (states(plan), codes(plan)) == (["left_out"], ["no_target"])


def test_versions_that_are_named_by_hand(project, olga):
    one, other = story(project), story(project)

    plan = planned(
        project, olga, [one.id, other.id], {"rule": "versions"}, targets={one.id: 1}
    )

    assert (targets(plan), codes(plan)) == ([1, None], ["", "no_target"])


def test_what_passes_is_gone_closed_or_held_by_a_person_is_blocked_and_said(
    project, olga
):
    fine = Story(project, {"n": 0}, now=timezone.now()).update({"n": 1})
    closed, deleted = story(project).close(), story(project).delete()
    held, from_start = story(project).pause(), Story(project, {"bad": True})
    missing = f"sess_{'0' * 26}"
    ids = [one.id for one in (fine, closed, deleted, held, from_start)]

    plan = planned(project, olga, [*ids, missing])

    assert set(verdicts(plan)) == {"blocked"}
    assert codes(plan) == [
        *("nothing_to_roll_back", "session_closed", "session_deleted", "held"),
        *("bad_from_start", "session_not_found"),
    ]
    assert reasons(plan)[3] == "held by olga"


def test_what_a_plan_holds_and_what_i_hold_can_be_rolled_back(project, olga):
    mine, planned_hold = story(project), story(project)
    timeline.pause(act=act_in(project, olga), session_id=mine.id, step=timeline.Step())
    timeline.pause(
        act=act_in(project, id="r", key=f"plan:p:{planned_hold.id}", digest=b"x"),
        session_id=planned_hold.id,
        step=timeline.Step(),
    )

    plan = planned(project, olga, [mine.id, planned_hold.id])

    assert verdicts(plan) == ["clean", "clean"]


def test_what_has_effects_behind_it_or_later_turns_is_not_picked_by_itself(
    project, olga
):
    sent, booked, spoken = story(project), story(project), story(project)
    begin(sent, "irreversible")
    begin(booked, "compensable")
    for n in range(2):
        heard = {"type": "text", "content": "And now?"}
        spoken.said(heard, {"type": "text", "content": "."}, {"bad": True, "n": n})

    plan = planned(project, olga, [sent.id, booked.id, spoken.id])

    assert verdicts(plan) == ["look"] * 3
    assert states(plan) == ["unpicked"] * 3
    assert codes(plan)[2] == "turns_since"
    assert reasons(plan)[2] == "1 later customer turn"


def test_what_is_not_picked_is_left_as_it_is(project, olga):
    clean, sent = story(project), story(project)
    begin(sent, "irreversible")
    plan = planned(project, olga, [clean.id, sent.id])

    confirm(project, olga, plan)
    sweep()

    assert states(plan) == ["done", "unpicked"]
    assert heads([sent.id]) == [3]
    assert Plan.objects.get(id=plan.id).is_finished


def test_what_cannot_be_undone_is_gone_behind_only_where_that_is_said(project, olga):
    sent = story(project)
    begin(sent, "irreversible")
    plan = planned(project, olga, [sent.id])
    plans.pick(
        act=act_in(project, olga), plan_id=plan.id, is_picked=True, verdict="look"
    )

    with pytest.raises(EffectsUnconfirmed):
        confirm(project, olga, plan)
    confirm(project, olga, plan, crosses=True)
    sweep()

    assert states(plan) == ["done"]
    assert Compensation.objects.filter(session_id=sent.id).exists()


def test_an_effect_that_began_since_the_dry_run_is_not_gone_behind(project, olga):
    made = story(project)
    plan = planned(project, olga, [made.id])
    confirm(project, olga, plan)
    begin(made, "compensable")

    sweep()

    assert (states(plan), codes(plan)) == (["refused"], ["effects_crossed"])
    assert heads([made.id]) == [3]


def test_what_has_moved_since_the_dry_run_is_left_and_said(project, olga):
    moved, closed, deleted = (story(project) for _ in range(3))
    plan = planned(project, olga, [moved.id, closed.id, deleted.id])
    confirm(project, olga, plan)
    moved.update({"n": 4})
    closed.close()
    deleted.delete()

    sweep()

    assert states(plan) == ["moved", "refused", "refused"]
    assert reasons(plan) == [
        "has moved on: v3 is not its head, v4 is",
        "closed: it can be read, not changed",
        "deleted or expired meanwhile",
    ]
    assert not Version.objects.filter(op="rollback").exists()


def test_a_plan_is_bound_to_the_items_that_were_seen(project, olga):
    one, other = story(project), story(project)
    plan = planned(project, olga, [one.id, other.id])
    seen = plan.digest
    plans.pick(
        act=act_in(project, olga),
        plan_id=plan.id,
        is_picked=False,
        session_ids=[other.id],
    )

    with pytest.raises(PlanChanged):
        confirm(project, olga, plan, digest=seen)
    confirm(project, olga, plan)
    sweep()

    assert states(plan) == ["done", "unpicked"]


def test_a_plan_whose_items_were_changed_behind_its_back_is_not_run(project, olga):
    one, other = story(project), story(project)
    plan = planned(project, olga, [one.id, other.id])
    Item.objects.filter(plan=plan, session_id=one.id).update(target=0)

    with pytest.raises(PlanChanged):
        confirm(project, olga, plan)

    plans.look_again(act=act_in(project, olga), plan_id=plan.id)
    dry_running.sweep(now=timezone.now())
    assert targets(plan) == [2, 2]
    confirm(project, olga, plan)


def test_what_is_left_out_cannot_be_picked(project, olga):
    closed = story(project).close()
    plan = planned(project, olga, [closed.id])

    with pytest.raises(NotPickable):
        plans.pick(
            act=act_in(project, olga),
            plan_id=plan.id,
            is_picked=True,
            session_ids=[closed.id],
        )


def test_a_long_list_is_looked_at_by_the_worker_before_anything_runs(
    project, olga, monkeypatch
):
    monkeypatch.setattr("apps.plans.operations.making.JUDGED", 1)
    monkeypatch.setattr(dry_running, "JUDGED_AT_ONCE", 2)
    ids = [story(project).id for _ in range(3)]
    plan = planned(project, olga, ids)

    assert states(plan) == ["unseen"] * 3
    with pytest.raises(PlanNotLooked):
        confirm(project, olga, plan, digest="x")
    assert dry_running.sweep(now=timezone.now()) == 3

    assert states(plan) == ["planned"] * 3
    confirm(project, olga, plan)
    assert sweep() == 3


def test_one_that_takes_too_long_to_look_at_is_left_out_alone(
    project, olga, monkeypatch
):
    ids = [story(project).id for _ in range(6)]

    def preview(scope, session_id, *rest, **named):
        if session_id == ids[2]:
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL statement_timeout = 1")
                cursor.execute("SELECT pg_sleep(1)")
        return preview_rollback(scope, session_id, *rest, **named)

    monkeypatch.setattr("apps.plans.operations.making.JUDGED", 1)
    plan = planned(project, olga, ids)
    monkeypatch.setattr("apps.plans.cases.rollbacks.preview_rollback", preview)

    assert dry_running.sweep(now=timezone.now()) == len(ids)

    left = Item.objects.get(plan=plan, state=ItemState.LEFT_OUT)
    assert (left.session_id, left.code) == (ids[2], "internal_error")
    assert Item.objects.filter(plan=plan, state=ItemState.PLANNED).count() == 5
    confirm(project, olga, plan)
    assert sweep() == 5


def test_undo_takes_back_what_still_stands(project, olga):
    kept, moved = story(project), story(project)
    plan = planned(project, olga, [kept.id, moved.id])
    confirm(project, olga, plan)
    with pytest.raises(PlanRunning):
        plans.undo(act=act_in(project, olga), plan_id=plan.id)
    sweep()
    moved.update({"n": 5})

    undo = undone(project, olga, plan)

    assert (states(undo), codes(undo)) == (
        ["done", "left_out"],
        ["", "version_conflict"],
    )
    assert states(plan) == ["undone", "done"]
    last = Version.objects.filter(session_id=kept.id).order_by("-number").first()
    assert (last.restored_number, last.undo_of) == (3, 4)

    again = undone(project, olga, undo)
    assert states(again) == ["done"]
    last = Version.objects.filter(session_id=kept.id).order_by("-number").first()
    assert last.restored_number == 4


def test_a_plan_is_paused_gone_on_with_and_stopped(project, olga, monkeypatch):
    monkeypatch.setattr(running, "SWEEP_SECONDS", -1.0)
    ids = [story(project).id for _ in range(4)]
    plan, act = planned(project, olga, ids), act_in(project, olga)
    confirm(project, olga, plan)
    sweep()

    plans.pause(act=act, plan_id=plan.id)
    assert sweep() == 0
    assert states(plan) == ["done", "planned", "planned", "planned"]
    plans.go_on(act=act, plan_id=plan.id)
    assert sweep() == 1
    plans.stop(act=act, plan_id=plan.id)
    assert sweep() == 0

    assert states(plan) == ["done", "done", "stopped", "stopped"]
    assert Plan.objects.get(id=plan.id).is_finished
    assert heads(ids) == [4, 4, 3, 3]


def test_a_pace_is_never_exceeded_within_a_minute(project, olga):
    ids = [story(project).id for _ in range(3)]
    plan = planned(project, olga, ids)
    confirm(project, olga, plan, pace=2)

    assert sweep() == 2
    assert sweep() == 0
    later = timezone.now() + timezone.timedelta(seconds=61)
    assert running.sweep(now=later, clock=lambda: later) == 1


def test_running_it_twice_does_it_once(project, olga):
    made = story(project)
    plan = planned(project, olga, [made.id])
    confirm(project, olga, plan)

    with pytest.raises(PlanConfirmed):
        confirm(project, olga, plan)
    assert (sweep(), sweep()) == (1, 0)
    assert heads([made.id]) == [4]


def test_the_forks_behind_many_sessions_are_read_at_once(project, olga):
    few, many = ([story(project).id for _ in range(n)] for n in (2, 7))
    for ids in (few, many):
        planned(project, olga, ids)
    with counted() as less:
        planned(project, olga, few)
    with counted() as more:
        planned(project, olga, many)

    chains = [str(one).count("WITH RECURSIVE chain") for one in more]
    assert sum(chains) == 1
    # What looking into one takes is what five take more.
    assert (len(more) - len(less)) % 5 == 0


def test_what_takes_long_to_judge_is_judged_by_the_worker(project, olga, monkeypatch):
    monkeypatch.setattr("apps.plans.cases.rollbacks.JUDGING_SECONDS", 0)
    ids = [story(project).id for _ in range(3)]

    plan = planned(project, olga, ids)
    assert (plan.status, plan.digest) == ("looking", None)
    assert sorted(states(plan)) == ["planned", "unseen", "unseen"]
    with pytest.raises(PlanNotLooked):
        confirm(project, olga, plan)

    assert dry_running.sweep(now=timezone.now()) > 0
    assert (states(plan), targets(plan)) == (["planned"] * 3, [2] * 3)
    assert Plan.objects.get(id=plan.id).status == "draft"
    confirm(project, olga, plan)
    sweep()
    assert states(plan) == ["done"] * 3


def test_a_plan_that_is_slowed_down_slows_down_at_once(project, olga, monkeypatch):
    ids = [story(project).id for _ in range(12)]
    plan = planned(project, olga, ids)
    confirm(project, olga, plan)
    run, did = running.run_item, []

    def slowed(one, session_id, *, clock):
        if not did:
            with acting_as(DatabaseRole.WEB):
                plans.set_pace(act=act_in(project, olga), plan_id=plan.id, pace=1)
        did.append(session_id)
        return run(one, session_id, clock=clock)

    monkeypatch.setattr(running, "run_item", slowed)
    sweep()

    assert len(did) == running.CLAIMED
    assert states(plan).count("planned") == 2
