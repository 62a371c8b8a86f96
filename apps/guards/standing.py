"""How a budget stands: since when it counts, and what is used by now."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from apps.guards.models import Budget
from apps.guards.words import Measure, Period
from apps.metrics.facts import hour_of
from apps.metrics.range_query import Reading
from apps.metrics.ranges import Range
from apps.metrics.spending import spent, worked
from apps.timeline.models import Session, Turn

OF_TURNS = (Measure.CALLS, Measure.TURNS, Measure.MINUTES)


def used_of(budget: Budget, now: datetime) -> Decimal:
    """Return what is used: by a session's last turn, or by the rollups."""
    if budget.session_id is None:
        return used_in(budget, now)
    last = last_turn(budget.session_id)
    if last is None:
        return Decimal(0)
    return used_by(budget, last, since_of(budget, now))


def since_of(budget: Budget, now: datetime) -> datetime:
    """Return since when a budget counts."""
    if budget.session_id is not None:
        mine = Session.objects.filter(id=budget.session_id)
        return mine.values_list("created_at", flat=True).first() or budget.created_at
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if budget.period == Period.DAY:
        return day
    if budget.period == Period.MONTH:
        return day.replace(day=1)
    return hour_of(budget.created_at)


def last_turn(session_id: str) -> Turn | None:
    """Return the turn that has the totals of a session."""
    mine = Turn.objects.of_session(session_id).defer("data", "reasoning")
    return mine.order_by("-turn_number").first()


def used_by(budget: Budget, turn: Turn, began_at: datetime) -> Decimal:
    """Return what a session had used after a turn, as the budget counts it."""
    spent_by_then: dict[str, Any] = turn.spent or {}
    match budget.measure:
        case Measure.TURNS:
            return Decimal(turn.turn_number)
        case Measure.MINUTES:
            lasted = max(turn.created_at - began_at, timedelta())
            return Decimal(lasted // timedelta(minutes=1))
        case Measure.CALLS:
            return Decimal(spent_by_then.get("tool_calls", 0))
        case Measure.COST:
            return Decimal(spent_by_then.get("cost") or 0)
    tokens = (spent_by_then.get(name, 0) for name in ("input_tokens", "output_tokens"))
    return Decimal(sum(tokens))


def used_in(budget: Budget, now: datetime) -> Decimal:
    """Return what an agent or a release has used since the budget counts."""
    start = since_of(budget, now)
    wanted = Range(start=start, end=max(now, start))
    reading = Reading(budget.project_id, wanted, [budget.agent_id])
    if budget.measure in OF_TURNS:
        work = worked(reading, release=budget.release)
        match budget.measure:
            case Measure.TURNS:
                return Decimal(work.turns)
            case Measure.CALLS:
                return Decimal(work.tool_calls)
        return Decimal(work.minutes)
    total = spent(reading, release=budget.release).total
    if budget.measure == Measure.COST:
        return total.costs.get(str(budget.currency), Decimal(0))
    return Decimal(total.tokens)
