"""Grants, sweeps and changes of one budget at once: all are stored, none deadlocks."""

from __future__ import annotations

import time
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from apps.accounts.models import User
from apps.approvals.words import Verdict
from apps.core.actors import SYSTEM
from apps.core.roles.names import Role
from apps.guards import operations as guards
from apps.guards.operations import budgeting
from tests.acting import acting_as
from tests.plans.test_at_once import at_once
from tests.timeline.runs import Run, succeeded
from tests.usage.test_agents import budget, spend
from tests.usage.test_budgets import grant, standing

pytestmark = pytest.mark.django_db(transaction=True)
WAITING = "SELECT 1 FROM pg_locks WHERE NOT granted LIMIT 1"


def wait_for_a_waiter() -> None:
    """Go on once somebody else waits for a lock that is held here."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with connection.cursor() as cursor:
            cursor.execute(WAITING)
            if cursor.fetchone():
                return
        time.sleep(0.02)
    raise AssertionError("Nobody waited.")


def test_a_grant_waits_for_who_has_the_budget_and_holds_up_nobody(
    admin: Any, run: Run, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = budget(admin, 5, on_reach="ask", ask_for=100)
    spend(run)
    with acting_as(Role.WORKER):
        guards.sweep(actor=SYSTEM, now=timezone.now())
    approval_id = standing(admin, made)["approval_id"]
    record = budgeting.audit.record_act

    def late(**said: Any) -> Any:
        # It has the budget's row, and wants the project's chain.
        if said["details"].get("limit") == "7":
            wait_for_a_waiter()
        return record(**said)

    monkeypatch.setattr(budgeting.audit, "record_act", late)

    outcomes = at_once(
        lambda: succeeded(admin.patch(f"/v1/budgets/{made['id']}", {"limit": "7"})),
        lambda: (time.sleep(0.3), grant(ada, run, approval_id, Verdict.APPROVE)),
    )

    assert [one for one in outcomes if isinstance(one, Exception)] == []
    after = standing(admin, made)
    assert (after["limit"], after["approval_id"]) == ("107", None)
