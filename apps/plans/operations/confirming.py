"""Confirming a plan, and trying again what has failed: both hand it to the worker."""

from __future__ import annotations

from functools import partial

from django.db import transaction

from apps.agents.acts import Act
from apps.audit.actions import Action
from apps.core.errors import InvalidRequest
from apps.plans.errors import NothingPlanned, NothingToRetry, PlanConfirmed
from apps.plans.models import Item, ItemState, Plan, PlanStatus
from apps.plans.operations.recording import record
from apps.timeline import hooks
from apps.timeline.models import Session

LONGEST_REASON = 2_000
_RUN = (
    *("status", "runs_as_kind", "runs_as_id", "runs_as_label", "request_id"),
    *("confirmed_at", "finished_at"),
)


@transaction.atomic
def confirm(*, act: Act, plan_id: str, reason: str = "") -> Plan:
    """Have the worker do what the dry run showed, as acts of who confirms it.

    Raises: PlanNotFound, PlanConfirmed, NothingPlanned, InvalidRequest, and what a gate
    refuses it with (`timeline.hooks`).
    """
    plan = Plan.objects.visible_to(act.actor, act.scope).locked(plan_id)
    if not plan.is_draft:
        raise PlanConfirmed
    planned = Item.objects.of_plan(plan.id).in_state(ItemState.PLANNED).count()
    if not planned:
        raise NothingPlanned
    plan.reason = _valid(reason)
    _ask_gates(plan, act)
    _run(plan, act)
    plan.save(update_fields=[*_RUN, "reason"])
    if plan.undo_of is None:
        record(Action.PLAN_CONFIRMED, plan, act, {"sessions": planned})
    else:
        told = {"by": plan.id, "sessions": planned}
        record(Action.PLAN_UNDONE, plan.undo_of, act, told)
    return plan


@transaction.atomic
def retry(*, act: Act, plan_id: str) -> Plan:
    """Have the worker try again what has failed, as acts of who asks for it.

    Raises: PlanNotFound, NothingToRetry, and what a gate refuses it with.
    """
    plan = Plan.objects.visible_to(act.actor, act.scope).locked(plan_id)
    if not plan.is_finished:
        raise NothingToRetry
    failed = Item.objects.of_plan(plan.id).in_state(ItemState.FAILED)
    again = failed.update(state=ItemState.PLANNED, code="", words="")
    if not again:
        raise NothingToRetry
    _ask_gates(plan, act)
    _run(plan, act)
    plan.save(update_fields=_RUN)
    record(Action.PLAN_RETRIED, plan, act, {"sessions": again})
    return plan


def _ask_gates(plan: Plan, act: Act) -> None:
    asked = hooks.PlanAsked(
        act=act, plan_id=plan.id, kind=plan.kind, agent_ids=partial(_agents, plan)
    )
    hooks.ask_plan(asked)


def _agents(plan: Plan) -> frozenset[str]:
    """Return whose sessions a plan is about to change."""
    planned = Item.objects.of_plan(plan.id).in_state(ItemState.PLANNED)
    ids = list(planned.values_list("session_id", flat=True))
    found = Session.objects.filter(id__in=ids).values_list("agent_id", flat=True)
    return frozenset(found[: len(ids)])


def _run(plan: Plan, act: Act) -> None:
    plan.status, plan.finished_at = PlanStatus.RUNNING, None
    plan.confirmed_at, plan.request_id = act.now, act.request.id
    plan.runs_as_kind = act.actor.kind.value
    plan.runs_as_id, plan.runs_as_label = act.actor.id, act.actor.label


def _valid(reason: str) -> str:
    said = reason.strip()
    if len(said) > LONGEST_REASON or "\0" in said:
        raise InvalidRequest(
            f"reason takes at most {LONGEST_REASON:,} characters, none of them NUL.",
            param="reason",
        )
    return said
