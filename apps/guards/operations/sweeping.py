"""The sweep: hold agents and releases to their budgets, by the rollups.

What turns used is in the rollups at once, closed hours added up and open ones counted,
so a budget is found to be reached by the next sweep: within a minute. It is every
session that wrote in the last hour which is paused then, some at a time; any other is
once it writes again. A budget or a session that fails holds up no other.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import structlog
from django.db import transaction

from apps.agents.acts import Act
from apps.agents.scope import Scope
from apps.core import sql
from apps.core.actors import Actor
from apps.core.database.troubles import is_in_trouble
from apps.core.errors import DomainError
from apps.core.ids import first_id, new_id
from apps.core.provenance import Request
from apps.guards.models import Budget, Refusal
from apps.guards.operations.watching import reach, warn
from apps.guards.standing import since_of, used_in
from apps.guards.words import OnReach
from apps.metrics.spending import who_worked
from apps.timeline import operations as timeline
from apps.timeline.errors import SessionNotFound

log = structlog.get_logger("stepback.guards")

# Sessions of one budget in one sweep; the next one finds what is left.
AT_ONCE = 100
# Budgets that are read at once.
AT_A_TIME = 1_000
RECENT = timedelta(hours=1)
FORGOTTEN = timedelta(days=90)
WROTE = sql.query("guards", "wrote")
AMONG = sql.query("guards", "among")


def sweep(*, actor: Actor, now: datetime) -> int:
    """Hold each to its budgets; return how many budgets were looked at."""
    looked_at, after = 0, None
    while page := _page(after):
        for _, budget_id in page:
            _alone(partial(_look, budget_id, actor, now), budget=budget_id)
        looked_at, after = looked_at + len(page), page[-1]
    return looked_at


def _page(after: tuple[str, str] | None) -> list[tuple[str, str]]:
    """Return the next budgets, each with its agent."""
    found = Budget.objects.beyond_sessions(after).values_list("agent_id", "id")
    return list(found[:AT_A_TIME])


def forget_refusals(*, actor: Actor, now: datetime) -> int:
    """Forget refusals of sessions that never began; return how many.

    All others go with their session. Nothing is recorded: no act of anybody is undone.
    """
    old = Refusal.objects.filter(session_id=None, created_at__lt=now - FORGOTTEN)
    return old.delete()[0]


def _look(budget_id: str, actor: Actor, now: datetime) -> None:
    budget = Budget.objects.filter(id=budget_id).select_related("project").first()
    if budget is None:
        return
    used = used_in(budget, now)
    for session_id in _sessions(budget, used, now):
        hold = partial(_hold, budget_id, session_id, used, actor, now)
        _alone(hold, budget=budget_id, session=session_id)


def _alone(step: Callable[[], None], **about: str) -> None:
    """Look at one budget, or at one of its sessions; a failure holds up no other."""
    try:
        step()
    except DomainError:
        # It may be over, closed or removed by now: nothing of it is left to pause.
        return
    except Exception as error:
        # The database is gone or in need: the next sweep goes on. A lock that somebody
        # keeps is of this one alone.
        if is_in_trouble(error, with_locks=False):
            raise
        log.exception("a budget was not held to", **about)


def _sessions(budget: Budget, used: Decimal, now: datetime) -> list[str]:
    """Return the sessions that are told or paused: those that wrote lately."""
    most = AT_ONCE
    if used < budget.most:
        share = budget.warn_percent
        is_new = (
            budget.period_start != since_of(budget, now) or budget.warned_at is None
        )
        if share is None or not is_new or used * 100 < budget.most * share:
            return []
        most = 1
    elif budget.on_reach == OnReach.WARN:
        if budget.reached_at and budget.period_start == since_of(budget, now):
            return []
        most = 1
    asked: dict[str, Any] = {"any": most == 1, "limit": most}
    if budget.release is not None:
        # As their turns are laid to it; the clock of who wrote may be ahead of ours.
        wrote = who_worked(
            budget.project_id,
            budget.agent_id,
            budget.release,
            now - RECENT,
            now + RECENT,
        )
        return [row.id for row in sql.rows(AMONG, asked | {"sessions": wrote})]
    asked |= {
        "project": budget.project_id,
        "agent": budget.agent_id,
        "first": first_id("trace", now - RECENT),
    }
    return [row.id for row in sql.rows(WROTE, asked)]


@transaction.atomic
def _hold(
    budget_id: str, session_id: str, used: Decimal, actor: Actor, now: datetime
) -> None:
    """Raises: DomainError where the session takes no more."""
    seen = Budget.objects.select_related("project").get(id=budget_id)
    act = Act(
        scope=Scope(seen.project),
        actor=actor,
        now=now,
        request=Request(id=new_id("req", now=now)),
    )
    with suppress(SessionNotFound):
        timeline.lock_head(act=act, session_id=session_id)
    budget = Budget.objects.select_related("project").locked(budget_id)
    start = since_of(budget, now)
    if budget.period_start != start:
        budget.period_start, budget.warned_at, budget.reached_at = start, None, None
        budget.save(update_fields=["period_start", "warned_at", "reached_at"])
    if used < budget.most:
        warn(act, budget, used, session_id)
    else:
        reach(act, budget, used, session_id)
