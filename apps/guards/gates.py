"""The gate of budgets: an agent does not resume what one of them has paused."""

from __future__ import annotations

from django.db.models import Q

from apps.guards.models import Budget
from apps.guards.standing import since_of
from apps.guards.words import OnReach
from apps.timeline.errors import BudgetReached
from apps.timeline.hooks import ResumeAsked


def before_resume(asked: ResumeAsked) -> None:
    """Refuse it while a budget of the session, or of its agent, is reached.

    A release's is left to people: whose next turn it will be is not known.

    Raises: BudgetReached, which names the budget.
    """
    reached = Budget.objects.filter(
        Q(session_id=asked.session_id)
        | Q(agent_id=asked.agent_id, session_id=None, release=None),
        project_id=asked.act.project_id,
        reached_at__isnull=False,
    ).exclude(on_reach=OnReach.WARN)
    for budget in reached.order_by("id"):
        # Of a period that is over it was another one.
        start = None if budget.session_id else since_of(budget, asked.act.now)
        if budget.period_start == start:
            raise BudgetReached(
                f"Budget {budget.id} of {budget} is reached: people resume the "
                "session, or raise the limit."
            )
