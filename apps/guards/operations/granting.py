"""What people decided of a budget that asked for more, or of what a guard found.

Granted, a budget's limit grows, and the session goes on.
"""

from __future__ import annotations

from decimal import Decimal

from apps.approvals.hooks.deciding import Decided
from apps.approvals.words import Status
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.guards.covered import BUDGET
from apps.guards.live.storing import REASON
from apps.guards.live.storing import TOOL as PASS
from apps.guards.models import Budget
from apps.guards.operations.watching import TOOL, written
from apps.timeline import operations as timeline
from apps.timeline.errors import BUDGET as REACHED
from apps.timeline.models import Version
from apps.timeline.operations import Step
from apps.timeline.words import Hold, Op


def decided(decided: Decided) -> None:
    """Raise the limit by what was granted, and let the session go on; under its lock.

    However it ended, the budget may ask again.
    """
    if decided.tool == PASS and decided.outcome == Status.APPROVED:
        _resume(decided, REASON)
    budget = held(decided)
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
    _resume(decided, REACHED)
    # Last: the project's chain stays locked until all of it is stored.
    audit.record_act(
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
            **BUDGET.left(budget, decided.act.project.index_key).details(),
        },
    )


def held(decided: Decided) -> Budget | None:
    """Lock the budget that asked, if one did: before the decision is chained."""
    if decided.tool != TOOL:
        return None
    mine = Budget.objects.filter(
        project_id=decided.act.project_id, approval_id=decided.approval_id
    )
    return mine.select_for_update(no_key=True, of=("self",)).first()


def _resume(decided: Decided, reason: str) -> None:
    """Resume what was paused for this reason; a pause of somebody else's stays."""
    act, session_id = decided.act, decided.session_id
    head = timeline.lock_head(act=act, session_id=session_id)
    if head.hold != Hold.PAUSED or not _is_paused_for(session_id, reason):
        return
    timeline.resume(act=act, session_id=session_id, step=Step())


def _is_paused_for(session_id: str, reason: str) -> bool:
    holds = Version.objects.filter(
        session_id=session_id, op__in=(Op.PAUSE, Op.RESUME)
    ).order_by("-number")
    last = holds.values_list("op", "reason_code").first()
    return last == (Op.PAUSE.value, reason)
