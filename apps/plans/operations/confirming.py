"""Confirming a plan, and trying again what has failed: both hand it to the worker."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from django.db import transaction

from apps.agents.acts import Act
from apps.audit.actions import Action
from apps.core.errors import InvalidRequest
from apps.plans.cases import CASES
from apps.plans.errors import (
    NothingPlanned,
    NothingToRetry,
    PlanChanged,
    PlanConfirmed,
    PlanNotLooked,
)
from apps.plans.models import Item, ItemState, Plan, PlanStatus
from apps.plans.operations.changing import pace_of
from apps.plans.operations.looking import digest_of
from apps.plans.operations.recording import record
from apps.timeline import hooks
from apps.timeline.errors import EffectsUnconfirmed, ReasonRequired
from apps.timeline.models import Session

LONGEST_REASON = 2_000
_RUN = (
    *("status", "runs_as_kind", "runs_as_id", "runs_as_label", "request_id"),
    *("confirmed_at", "finished_at"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Consent:
    """What whoever confirms has seen, and allows.

    `digest` is that of the items that were shown; `crosses`: what cannot be undone, or
    is not known, may be gone behind; `pace` is in sessions a minute.
    """

    reason: str = ""
    digest: str | None = None
    crosses: bool = False
    pace: int | None = None


@transaction.atomic
def confirm(
    *, act: Act, plan_id: str, reason: str = "", consent: Consent | None = None
) -> Plan:
    """Have the worker do what the dry run showed, as acts of who confirms it.

    Raises: PlanNotFound, PlanNotLooked, PlanConfirmed, NothingPlanned, PlanChanged,
    EffectsUnconfirmed, ReasonRequired, InvalidRequest, and what a gate refuses it with
    (`timeline.hooks`).
    """
    given = consent or Consent(reason=reason)
    plan = Plan.objects.visible_to(act.actor, act.scope).locked(plan_id)
    if plan.is_looking:
        raise PlanNotLooked
    if not plan.is_draft:
        raise PlanConfirmed
    planned = Item.objects.of_plan(plan.id).in_state(ItemState.PLANNED).count()
    if not planned:
        raise NothingPlanned
    _require_seen(plan, given)
    plan.reason = _valid(given.reason)
    _require_allowed(plan, act, given)
    plan.crosses, plan.pace = given.crosses, pace_of(given.pace)
    _ask_gates(plan, act)
    _run(plan, act)
    plan.save(update_fields=[*_RUN, "reason", "crosses", "pace"])
    if plan.undo_of is None:
        told = {"sessions": planned, "digest": plan.digest}
        record(Action.PLAN_CONFIRMED, plan, act, told)
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


def _require_seen(plan: Plan, given: Consent) -> None:
    """Hold a plan to its items as they are now, and to those that were shown.

    Raises: PlanChanged, InvalidRequest where a digest has to be given.
    """
    is_judged = CASES[plan.kind].judge is not None
    if given.digest is None and is_judged:
        raise InvalidRequest(
            "digest takes that of the plan as you have seen it.", param="digest"
        )
    if digest_of(plan.id) != plan.digest or given.digest not in (None, plan.digest):
        raise PlanChanged(param="digest", digest=plan.digest)


def _require_allowed(plan: Plan, act: Act, given: Consent) -> None:
    """Raises: ReasonRequired, EffectsUnconfirmed."""
    if CASES[plan.kind].judge is None:
        return
    if act.project.needs_rollback_reason and not plan.reason:
        raise ReasonRequired(param="reason")
    planned = Item.objects.of_plan(plan.id).in_state(ItemState.PLANNED)
    grave = planned.filter(about__grave=1).count()
    if grave and not given.crosses:
        raise EffectsUnconfirmed(
            f"{grave:,} of the sessions would go behind what cannot be undone or is "
            "not known: say so with `crosses`, or do not pick them.",
            param="crosses",
            count=grave,
        )


def _ask_gates(plan: Plan, act: Act) -> None:
    planned = Item.objects.of_plan(plan.id).in_state(ItemState.PLANNED)
    is_judged = CASES[plan.kind].judge is not None
    asked = hooks.PlanAsked(
        act=act,
        plan_id=plan.id,
        kind=plan.kind,
        agent_ids=partial(_agents, plan),
        sessions=planned.count(),
        digest=plan.digest if is_judged else None,
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
