"""Many sessions are rolled back, each to its own version, as the dry run has shown."""

import pytest
from django.utils import timezone

from apps.plans import dry_running, running
from apps.plans import operations as plans
from apps.plans.errors import (
    NotPickable,
    PlanChanged,
    PlanConfirmed,
    PlanNotLooked,
    PlanRunning,
)
from apps.plans.models import Item, Plan
from apps.plans.operations import Consent, Picked
from apps.timeline import operations as timeline
from apps.timeline.errors import EffectsUnconfirmed, ReasonRequired
from apps.timeline.models import Compensation, Session, Version
from tests.acts import act_in
from tests.console.make import Story
from tests.plans.make import codes, reasons, states, undone

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
    return plans.confirm(
        act=act_in(project, actor), plan_id=plan.id, consent=consent
    )


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
