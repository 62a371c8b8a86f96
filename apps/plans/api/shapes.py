"""What is told of plans outside."""

from __future__ import annotations

from typing import Any

from apps.core.time.moments import utc_text
from apps.plans.models import Item, ItemState, Plan


def plan_object(plan: Plan) -> dict[str, Any]:
    """Return a plan with the list that it was frozen with."""
    items = list(Item.objects.of_plan(plan.id).in_order())
    counts = dict.fromkeys(ItemState.values, 0)
    for item in items:
        counts[item.state] += 1
    return _about(plan, counts) | {"items": [_item_object(item) for item in items]}


def listed_plan(plan: Any) -> dict[str, Any]:
    """Return a plan that was read `with_counts`, without its items."""
    return _about(plan, {one: getattr(plan, f"n_{one}") for one in ItemState.values})


def _about(plan: Plan, counts: dict[str, int]) -> dict[str, Any]:
    return {
        "object": "plan",
        "id": plan.id,
        "kind": plan.kind,
        "label": plan.params.get("label"),
        "outcome": plan.params.get("outcome"),
        "to_schema": plan.params.get("to_schema"),
        "status": plan.status,
        "undo_of": plan.undo_of_id,
        "q": plan.query,
        "has_more": plan.has_more,
        "reason": plan.reason or None,
        "made_by": plan.made_by_label,
        "confirmed_by": plan.runs_as_label,
        "created_at": utc_text(plan.created_at),
        "confirmed_at": utc_text(plan.confirmed_at),
        "finished_at": utc_text(plan.finished_at),
        "counts": counts,
    }


def _item_object(item: Item) -> dict[str, Any]:
    return {
        "session_id": item.session_id,
        "state": item.state,
        "code": item.code or None,
        "why": item.words or None,
        "version": item.number,
        "result_version": item.result_number,
        "size": item.size,
    }
