"""Holding a session to its budgets: by the totals of its last turn, under its lock.

A turn that crosses a budget is stored: it happened. The pause is stored with it.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from decimal import Decimal

from django.db import transaction

from apps.agents.acts import Act
from apps.agents.scope import Scope
from apps.approvals import operations as approvals
from apps.approvals.errors import TooManyApprovals
from apps.approvals.queries import is_pending
from apps.approvals.words import Class
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.actors import SYSTEM
from apps.core.provenance import Request
from apps.guards.models import Budget
from apps.guards.standing import used_by
from apps.guards.words import OnReach
from apps.timeline import operations as timeline
from apps.timeline.errors import BUDGET, UsageCurrency
from apps.timeline.hooks import TurnStored
from apps.timeline.models import Turn
from apps.timeline.operations import Step
from apps.timeline.words import Hold

TOOL = "budget.raise"


def turn_stored(stored: TurnStored) -> None:
    """Hold the session to its budgets, the oldest first.

    Raises: UsageCurrency for a turn that none of them could count.
    """
    mine = Budget.objects.of_session(stored.session_id).select_related("project")
    for budget in mine.select_for_update(no_key=True, of=("self",)):
        said = (stored.turn.usage or {}).get("currency")
        if budget.currency is not None and said not in (None, budget.currency):
            raise UsageCurrency(param="usage.currency")
        hold_to(stored.act, budget, stored.turn, stored.began_at)


def hold_to(act: Act, budget: Budget, turn: Turn, began_at: datetime) -> None:
    """Warn, pause or ask, if the budget says so of what is used."""
    used = used_by(budget, turn, began_at)
    ours = by_system(act, budget)
    if used < budget.most:
        warn(ours, budget, used, str(budget.session_id))
        return
    reach(ours, budget, used, str(budget.session_id))


def by_system(act: Act, budget: Budget) -> Act:
    """Return what the system does because of an act; its key stays the act's own."""
    return Act(
        scope=Scope(budget.project),
        actor=SYSTEM,
        now=act.now,
        request=Request(id=act.request.id),
    )


def warn(act: Act, budget: Budget, used: Decimal, session_id: str) -> None:
    """Tell once that the share is reached from which the budget warns."""
    if budget.warn_percent is None or budget.warned_at is not None:
        return
    if used * 100 < budget.most * budget.warn_percent:
        return
    budget.warned_at = act.now
    budget.save(update_fields=["warned_at", "period_start"])
    tell(Action.BUDGET_WARNED, act, budget, used, session_id)


def reach(act: Act, budget: Budget, used: Decimal, session_id: str) -> None:
    """Do what the budget says of one that is reached; under the session's lock.

    Resumed without more, the session is paused again by its next turn.
    """
    was_reached = budget.reached_at is not None
    if was_reached and budget.on_reach == OnReach.WARN:
        return
    budget.reached_at = budget.reached_at or act.now
    if budget.on_reach != OnReach.WARN:
        if budget.on_reach == OnReach.ASK:
            _ask(act, budget, used, session_id)
        _pause(act, budget, used, session_id)
    budget.save(update_fields=["reached_at", "period_start", "asked_in", "approval_id"])
    if not was_reached:
        tell(Action.BUDGET_REACHED, act, budget, used, session_id)


def tell(
    action: Action, act: Act, budget: Budget, used: Decimal, session_id: str
) -> None:
    """Record it in the session's stream, from where webhooks are told."""
    audit.record(
        stream_id=session_id,
        project_id=budget.project_id,
        action=action,
        resource_type="budget",
        resource_id=budget.id,
        act=act,
        details={
            "budget_id": budget.id,
            "of": budget.scope,
            "measure": str(budget.measure),
            "limit": written(budget.most),
            "used": written(used),
            "unit": budget.unit,
            "on_reach": str(budget.on_reach),
            "percent": budget.warn_percent,
            "approval_id": budget.approval_id,
        },
    )


def written(value: Decimal) -> str:
    return format(value.normalize(), "f")


def _pause(act: Act, budget: Budget, used: Decimal, session_id: str) -> None:
    head = timeline.lock_head(act=act, session_id=session_id)
    if head.hold != Hold.OPEN:
        return
    why = (
        f"Budget {budget.id} of {written(budget.most)} {budget.unit} is reached: "
        f"{written(used)} are used by the {budget.scope}."
    )
    timeline.pause(
        act=act, session_id=session_id, step=Step(reasoning=why), reason_code=BUDGET
    )


def _ask(act: Act, budget: Budget, used: Decimal, session_id: str) -> None:
    """Ask people for more, unless they are asked already."""
    if budget.more is None or _is_asked(act, budget):
        return
    asked = approvals.Asked(
        tool=TOOL,
        arguments={
            "budget_id": budget.id,
            "measure": str(budget.measure),
            "limit": written(budget.most),
            "used": written(used),
            "unit": budget.unit,
            "more": written(budget.more),
        },
        effect_class=Class.REVERSIBLE,
        reason=f"The budget of the {budget.scope} is used up.",
        schema={
            "type": "object",
            "required": ["budget_id", "more"],
            "properties": {
                "budget_id": {"const": budget.id},
                "more": {
                    "type": "string",
                    "pattern": "^(0|[1-9][0-9]{0,11})(\\.[0-9]{1,12})?$",
                },
            },
        },
    )
    # Where so much is asked already it is paused without another question: the turn
    # happened.
    with suppress(TooManyApprovals), transaction.atomic():
        approval = approvals.ask(act=act, session_id=session_id, asked=asked)
        budget.asked_in, budget.approval_id = session_id, approval.id


def _is_asked(act: Act, budget: Budget) -> bool:
    """Say whether people can still answer what it asked.

    A question goes with its session, and with a rollback to before it.
    """
    if budget.asked_in is None or budget.approval_id is None:
        return False
    return is_pending(budget.asked_in, budget.approval_id, now=act.now)
