"""Makes plans through the operations, and does them as the worker would."""

from django.utils import timezone

from apps.plans import operations as plans
from apps.plans import running
from apps.plans.models import Item, Plan
from apps.plans.operations import Picked
from apps.timeline.models import Session
from tests.acts import act_in
from tests.console.make import Story


def make_sessions(project, n, **about):
    """Return the ids of sessions that began now, in the order of their making."""
    return [
        Story(project, {"n": place}, now=timezone.now(), **about).id
        for place in range(n)
    ]


def make_plan(project, actor, kind, ids, **params) -> Plan:
    return plans.make(
        act=act_in(project, actor),
        kind=kind,
        picked=Picked(session_ids=ids),
        params=params,
    )


def confirmed(project, actor, kind, ids, *, reason="", **params) -> Plan:
    plan = make_plan(project, actor, kind, ids, **params)
    return plans.confirm(
        act=act_in(project, actor, id="req_confirmed"), plan_id=plan.id, reason=reason
    )


def done(project, actor, kind, ids, **more) -> Plan:
    """Return a plan that was confirmed and done."""
    plan = confirmed(project, actor, kind, ids, **more)
    running.sweep(now=timezone.now())
    return Plan.objects.get(id=plan.id)


def undone(project, actor, plan) -> Plan:
    """Return the undo of a plan, confirmed and done."""
    undo = plans.undo(act=act_in(project, actor), plan_id=plan.id)
    plans.confirm(act=act_in(project, actor), plan_id=undo.id)
    running.sweep(now=timezone.now())
    return Plan.objects.get(id=undo.id)


def states(plan) -> list[str]:
    return [one.state for one in Item.objects.of_plan(plan.id).in_order()]


def reasons(plan) -> list[str]:
    return [one.words for one in Item.objects.of_plan(plan.id).in_order()]


def codes(plan) -> list[str]:
    return [one.code for one in Item.objects.of_plan(plan.id).in_order()]


def statuses(ids) -> list[str]:
    found = dict(Session.objects.values_list("id", "status"))
    return [found[id] for id in ids]
