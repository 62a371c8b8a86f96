"""The sweep of dry runs: look at the sessions of long plans, some at a time.

Each step is one transaction under the plan's lock, as acts of who made the plan. One
that was killed in the middle has noted nothing, and the next takes it up.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime

import structlog
from django.db import transaction
from django.utils import timezone

from apps.core.database.troubles import is_in_trouble
from apps.core.errors import DomainError
from apps.plans import authority
from apps.plans.cases import CASES, Reason, reasons
from apps.plans.models import Item, Plan
from apps.plans.operations import looking

# How long one sweep goes on, and how many sessions are looked at in a step: judging
# takes a preview of each.
SWEEP_SECONDS = 10.0
AT_ONCE, JUDGED_AT_ONCE = 500, 25
Clock = Callable[[], datetime]

log = structlog.get_logger("stepback.plans")


def sweep(*, now: datetime, clock: Clock = timezone.now) -> int:
    """Go on with dry runs, the oldest first; return how many sessions were seen."""
    began, seen = time.monotonic(), 0
    for plan_id in list(Plan.objects.looking().values_list("id", flat=True)):
        while count := look_on(plan_id, now=clock()):
            seen += count
            if time.monotonic() - began > SWEEP_SECONDS:
                return seen
    return seen


def look_on(plan_id: str, *, now: datetime, most: int | None = None) -> int:
    """Look at the next sessions of a plan; 0 at its end, or where another does it.

    Where that fails it looks at half as many, down to the one that cannot be looked at.
    """
    items: list[Item] = []
    try:
        with transaction.atomic():
            held = _held(plan_id)
            if held is None:
                return 0
            items = _next(held)[:most]
            _look(held, items, now=now)
            looking.store(items)
            looking.end_look(held)
            return len(items)
    except Exception as error:
        # The database is gone or in need: nothing is wrong with the sessions.
        if is_in_trouble(error):
            raise
        if len(items) > 1:
            # One of them is broken, or all of them together take too long.
            return look_on(plan_id, now=now, most=len(items) // 2)
        # What is wrong with it must not keep the others waiting for ever.
        log.exception("a dry run failed", plan=plan_id)
        return _give_up(plan_id)


def _look(plan: Plan, items: list[Item], *, now: datetime) -> None:
    try:
        act = authority.maker_of(plan, now=now)
    except DomainError as refused:
        looking.leave_out(items, Reason(refused.code, refused.message))
        return
    looking.look_at(act, plan, items)


@transaction.atomic
def _give_up(plan_id: str) -> int:
    """Leave out the next session, which nobody could look at."""
    held = _held(plan_id)
    if held is None:
        return 0
    items = _next(held)[:1]
    looking.leave_out(items, reasons.UNREADABLE)
    looking.store(items)
    looking.end_look(held)
    return len(items)


def _held(plan_id: str) -> Plan | None:
    mine = Plan.objects.looking().filter(id=plan_id).select_related("project")
    return mine.select_for_update(skip_locked=True, no_key=True, of=("self",)).first()


def _next(plan: Plan) -> list[Item]:
    is_judged = CASES[plan.kind].judge is not None
    most = JUDGED_AT_ONCE if is_judged else AT_ONCE
    return list(Item.objects.of_plan(plan.id).to_look_at()[:most])
