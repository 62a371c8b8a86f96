"""Changing a plan: which sessions are picked, another look, and how it goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

from django.db import transaction

from apps.agents.acts import Act
from apps.audit.actions import Action
from apps.core.errors import InvalidRequest
from apps.plans.errors import (
    NotPickable,
    PlanConfirmed,
    PlanNotLooked,
    PlanNotRunning,
)
from apps.plans.models import Item, ItemState, Plan, PlanStatus, Verdict
from apps.plans.operations.looking import digest_of
from apps.plans.operations.recording import record

FASTEST = 6_000
MOST_PICKED = 500
STOPPED = "the plan was stopped before its turn"
_PICKABLE = (ItemState.PLANNED, ItemState.UNPICKED)


@dataclass(frozen=True, kw_only=True, slots=True)
class Changes:
    """One change of a plan: whether it goes on, how fast, or which sessions are picked.

    What is picked is named by ids, or by what the dry run says of it.
    """

    status: str | None = None
    pace: int | None = None
    pick: Sequence[str] | None = None
    unpick: Sequence[str] | None = None
    pick_verdict: str | None = None
    unpick_verdict: str | None = None

    def require_one(self) -> str:
        """Return the name of the one that is given.

        Raises: InvalidRequest.
        """
        given = [
            one.name for one in fields(self) if getattr(self, one.name) is not None
        ]
        if len(given) != 1:
            names = ", ".join(one.name for one in fields(self))
            raise InvalidRequest(f"Give one of {names}.", param="status")
        return given[0]


@transaction.atomic
def change(*, act: Act, plan_id: str, changes: Changes) -> Plan:
    """Change one thing of a plan.

    Raises: PlanNotFound, InvalidRequest, and what `pick`, `pause`, `go_on`, `stop` and
    `set_pace` raise.
    """
    named = changes.require_one()
    if named == "status":
        if changes.status not in _TURNS:
            raise InvalidRequest(f"status takes {', '.join(_TURNS)}.", param="status")
        return _TURNS[changes.status](act=act, plan_id=plan_id)
    if named == "pace":
        return set_pace(act=act, plan_id=plan_id, pace=changes.pace)
    return pick(
        act=act,
        plan_id=plan_id,
        is_picked=named.startswith("pick"),
        session_ids=changes.unpick if changes.pick is None else changes.pick,
        verdict=changes.pick_verdict or changes.unpick_verdict,
    )


@transaction.atomic
def pick(
    *,
    act: Act,
    plan_id: str,
    is_picked: bool,
    session_ids: Sequence[str] | None = None,
    verdict: str | None = None,
) -> Plan:
    """Pick sessions, or leave them, by their ids or all that are judged so.

    Raises: PlanNotFound, PlanConfirmed, PlanNotLooked, NotPickable, InvalidRequest.
    """
    plan = _draft(act, plan_id)
    mine, named = Item.objects.of_plan(plan.id), "pick" if is_picked else "unpick"
    if session_ids is not None:
        chosen = mine.filter(session_id__in=_bounded(session_ids, named))
        allowed = set(
            chosen.filter(state__in=_PICKABLE).values_list("session_id", flat=True)
        )
        others = [one for one in session_ids if one not in allowed]
        if others:
            raise NotPickable(param=named, sessions=others[:50])
    elif verdict in (Verdict.CLEAN, Verdict.LOOK):
        chosen = mine.filter(verdict=verdict)
    else:
        param = f"{named}_verdict"
        raise InvalidRequest(f"{param} takes clean or look.", param=param)
    state = ItemState.PLANNED if is_picked else ItemState.UNPICKED
    chosen.filter(state__in=_PICKABLE).update(state=state)
    plan.digest = digest_of(plan.id)
    plan.save(update_fields=["digest"])
    said = {"changed": "picked" if is_picked else "unpicked", "digest": plan.digest}
    record(Action.PLAN_CHANGED, plan, act, said)
    return plan


@transaction.atomic
def look_again(*, act: Act, plan_id: str) -> Plan:
    """Have the worker look at every session of a draft once more.

    What was asked for by hand stays; what was picked is judged anew.

    Raises: PlanNotFound, PlanConfirmed, PlanNotLooked.
    """
    plan = _draft(act, plan_id)
    Item.objects.of_plan(plan.id).update(
        state=ItemState.UNSEEN, code="", words="", verdict=None, about=None
    )
    plan.status, plan.digest = PlanStatus.LOOKING, None
    plan.save(update_fields=["status", "digest"])
    record(Action.PLAN_CHANGED, plan, act, {"changed": "look"})
    return plan


@transaction.atomic
def pause(*, act: Act, plan_id: str) -> Plan:
    """Have the worker wait; what it has in hand it ends.

    Raises: PlanNotFound, PlanNotRunning.
    """
    return _turned(act, plan_id, PlanStatus.RUNNING, PlanStatus.PAUSED)


@transaction.atomic
def go_on(*, act: Act, plan_id: str) -> Plan:
    """Have the worker go on with a plan that was paused.

    Raises: PlanNotFound, PlanNotRunning.
    """
    return _turned(act, plan_id, PlanStatus.PAUSED, PlanStatus.RUNNING)


@transaction.atomic
def stop(*, act: Act, plan_id: str) -> Plan:
    """End a plan: what still waits is not done; what was done stays.

    Raises: PlanNotFound, PlanNotRunning.
    """
    plan = _held(act, plan_id)
    if not (plan.is_running or plan.is_paused):
        raise PlanNotRunning
    # What a worker has in hand is waited for, and no longer waits then.
    waiting = Item.objects.of_plan(plan.id).in_state(ItemState.PLANNED)
    stopped = waiting.update(state=ItemState.STOPPED, code="stopped", words=STOPPED)
    plan.status, plan.finished_at = PlanStatus.FINISHED, act.now
    plan.save(update_fields=["status", "finished_at"])
    told = {"changed": "stopped", "sessions": stopped}
    record(Action.PLAN_CHANGED, plan, act, told)
    return plan


@transaction.atomic
def set_pace(*, act: Act, plan_id: str, pace: int | None) -> Plan:
    """Set how many sessions a minute a plan does at most; None: as fast as it goes.

    Raises: PlanNotFound, PlanNotRunning, InvalidRequest.
    """
    plan = _held(act, plan_id)
    if not (plan.is_running or plan.is_paused):
        raise PlanNotRunning
    plan.pace = pace_of(pace)
    plan.save(update_fields=["pace"])
    record(Action.PLAN_CHANGED, plan, act, {"changed": "pace", "pace": plan.pace})
    return plan


def pace_of(pace: int | None) -> int | None:
    """Raises: InvalidRequest."""
    if pace is not None and not 1 <= pace <= FASTEST:
        raise InvalidRequest(
            f"pace takes 1 to {FASTEST:,} sessions a minute.", param="pace"
        )
    return pace


def _turned(act: Act, plan_id: str, was: PlanStatus, becomes: PlanStatus) -> Plan:
    plan = _held(act, plan_id)
    if plan.status != was:
        raise PlanNotRunning
    plan.status = becomes
    plan.save(update_fields=["status"])
    record(Action.PLAN_CHANGED, plan, act, {"changed": becomes.value})
    return plan


def _held(act: Act, plan_id: str) -> Plan:
    return Plan.objects.visible_to(act.actor, act.scope).locked(plan_id)


def _draft(act: Act, plan_id: str) -> Plan:
    plan = _held(act, plan_id)
    if plan.is_looking:
        raise PlanNotLooked
    if not plan.is_draft:
        raise PlanConfirmed
    return plan


def _bounded(session_ids: Sequence[str], param: str) -> list[str]:
    ids = list(dict.fromkeys(session_ids))
    if not ids or len(ids) > MOST_PICKED:
        raise InvalidRequest(
            f"{param} takes 1 to {MOST_PICKED} ids of sessions.", param=param
        )
    return ids


# What somebody says that a plan is to be, once it was confirmed.
_TURNS: dict[str, Callable[..., Plan]] = {
    "running": go_on,
    "paused": pause,
    "stopped": stop,
}
