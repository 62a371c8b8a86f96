"""What people decided of a budget that asked for more: granted, its limit grows."""

from __future__ import annotations

from decimal import Decimal

from apps.approvals.hooks.deciding import Decided
from apps.approvals.words import Status
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.guards.models import Budget
from apps.guards.operations.watching import TOOL, written
from apps.timeline import operations as timeline
from apps.timeline.errors import BUDGET
from apps.timeline.models import Version
from apps.timeline.operations import Step
from apps.timeline.words import Hold, Op


def decided(decided: Decided) -> None:
    """Raise the limit by what was granted, and let the session go on; under its lock.

    However it ended, the budget may ask again.
    """
    if decided.tool != TOOL:
        return
    mine = Budget.objects.filter(
        project_id=decided.act.project_id, approval_id=decided.approval_id
    )
    budget = mine.select_for_update(no_key=True, of=("self",)).first()
    if budget is None:
        return
    budget.asked_in = budget.approval_id = None
    fields = ["asked_in", "approval_id"]
    if decided.outcome == Status.APPROVED:
        budget.most += Decimal(str(decided.arguments["more"]))
        budget.warned_at = budget.reached_at = None
        fields += ["most", "warned_at", "reached_at"]
    budget.save(update_fields=fields)
    if decided.outcome != Status.APPROVED:
        return
    audit.record(
        stream_id=decided.session_id,
        project_id=decided.act.project_id,
        action=Action.BUDGET_CHANGED,
        resource_type="budget",
        resource_id=budget.id,
        act=decided.act,
        details={
            "budget_id": budget.id,
            "agent_id": budget.agent_id,
            "of": budget.scope,
            "measure": str(budget.measure),
            "limit": written(budget.most),
            "approval_id": decided.approval_id,
        },
    )
    _resume(decided)


def _resume(decided: Decided) -> None:
    """Resume what a budget paused; a pause of somebody else's stays."""
    act, session_id = decided.act, decided.session_id
    head = timeline.lock_head(act=act, session_id=session_id)
    if head.hold != Hold.PAUSED or not _paused_by_budget(session_id):
        return
    timeline.resume(act=act, session_id=session_id, step=Step())


def _paused_by_budget(session_id: str) -> bool:

    holds = Version.objects.filter(
        session_id=session_id, op__in=(Op.PAUSE, Op.RESUME)
    ).order_by("-number")
    last = holds.values_list("op", "reason_code").first()
    return last == (Op.PAUSE.value, BUDGET)
