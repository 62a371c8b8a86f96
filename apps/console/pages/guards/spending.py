"""What a session has used, and how its budgets stand, in words above its timeline."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from apps.guards.models import Budget
from apps.guards.standing import last_turn, used_by, used_in
from apps.guards.words import Measure
from apps.timeline.models import Session

WHOLE = Decimal(100)
NOTHING = Decimal(0)
ON_REACH = {
    "warn": "it warns",
    "pause": "it is paused",
    "ask": "it is paused, and people are asked for more",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class BudgetRow:
    """A budget as it stands: so much of so much, and what happens at its end."""

    budget: Budget
    used: str
    most: str
    percent: int
    is_reached: bool
    on_reach: str
    of: str


def spending(session: Session) -> dict[str, Any]:
    """Return the totals of a session's turns, and its budgets if it is watched."""
    if not session.turn_count:
        return {}
    turn = last_turn(session.id)
    if turn is None:
        return {}
    budgets: Iterable[Budget] = ()
    if session.is_watched:
        budgets = Budget.objects.of_session(session.id)
    rows = [row(one, used_by(one, turn, session.created_at)) for one in budgets]
    return {"spent": turn.spent, "turns": turn.turn_number, "budgets": rows}


def of_agent(agent_id: str, now: datetime) -> list[BudgetRow]:
    """Return the budgets of an agent and its releases, with what is used of each."""
    return [row(one, used_in(one, now)) for one in Budget.objects.of_agent(agent_id)]


def of_session(session: Session) -> list[BudgetRow]:
    """Return the budgets of a session, with what is used of each."""
    turn = last_turn(session.id)
    return [
        row(one, NOTHING if turn is None else used_by(one, turn, session.created_at))
        for one in Budget.objects.of_session(session.id)
    ]


def row(budget: Budget, used: Decimal) -> BudgetRow:
    """Return one budget as a row."""
    return BudgetRow(
        budget=budget,
        used=amount(used, budget),
        most=amount(budget.most, budget),
        percent=int(min(used * WHOLE / budget.most, WHOLE)),
        is_reached=used >= budget.most,
        on_reach=ON_REACH[str(budget.on_reach)],
        of=budget.release or "",
    )


def amount(value: Decimal, budget: Budget) -> str:
    """Write an amount: a cost with its currency, all else with what it counts."""
    written = f"{value.normalize():,f}"
    if budget.measure == Measure.COST:
        return f"{written} {budget.currency}"
    return written
