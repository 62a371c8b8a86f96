"""What is told of plans outside."""

from __future__ import annotations

from typing import Any

from apps.core.time.moments import utc_text
from apps.plans.models import Item, ItemState, Plan

# Items that a plan is answered with; the others are read page by page.
SHOWN = 500


def plan_object(plan: Plan) -> dict[str, Any]:
    """Return a plan with the list that it was frozen with, or its first sessions."""
    mine = Item.objects.of_plan(plan.id)
    items = list(mine.in_order()[: SHOWN + 1])
    counts = dict.fromkeys(ItemState.values, 0) | mine.counts()
    return _about(plan, counts) | {
        "verdicts": mine.verdicts(),
        "items": [item_object(item) for item in items[:SHOWN]],
        "has_more_items": len(items) > SHOWN,
    }


def listed_plan(plan: Any) -> dict[str, Any]:
    """Return a plan that was read by `newest_counted`, without its items."""
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
        "target": plan.params if "rule" in plan.params else None,
        "undo_of": plan.undo_of_id,
        "incident_id": plan.incident_id,
        "pace": plan.pace,
        "digest": plan.digest,
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


def item_object(item: Item) -> dict[str, Any]:
    """Return one session of a plan."""
    return {
        "session_id": item.session_id,
        "state": item.state,
        "code": item.code or None,
        "why": item.words or None,
        "version": item.number,
        "result_version": item.result_number,
        "size": item.size,
        "target": item.target,
        "verdict": item.verdict,
        "about": item.about,
    }
