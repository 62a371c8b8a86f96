"""What is told of budgets and price lists outside."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

from apps.core.time.moments import utc_text
from apps.guards.models import Budget, PriceList
from apps.guards.standing import since_of, used_of


def budget_object(budget: Budget, now: datetime) -> dict[str, Any]:
    """Return a budget with what is used of it."""
    return {
        "object": "budget",
        "id": budget.id,
        "scope": budget.scope,
        "agent_id": budget.agent.external_id,
        "session_id": budget.session_id,
        "release": budget.release,
        "measure": budget.measure,
        "limit": amount_text(budget.most),
        "used": amount_text(used_of(budget, now)),
        "currency": budget.currency,
        "period": budget.period,
        "since": utc_text(since_of(budget, now)),
        "on_reach": budget.on_reach,
        "warn_percent": budget.warn_percent,
        "ask_for": None if budget.more is None else amount_text(budget.more),
        "warned_at": utc_text(budget.warned_at),
        "reached_at": utc_text(budget.reached_at),
        "approval_id": budget.approval_id,
        "created_by": budget.actor_label,
        "created_at": utc_text(budget.created_at),
    }


def price_list_object(prices: PriceList) -> dict[str, Any]:
    return {
        "object": "price_list",
        "id": prices.id,
        "valid_from": utc_text(prices.valid_from),
        "currency": prices.currency,
        "models": prices.by_model,
        "created_by": prices.actor_label,
        "created_at": utc_text(prices.created_at),
    }


def amount_text(value: Decimal) -> str:
    return f"{value.normalize():f}"
