"""What a budget counted before turns were rolled up by release, it counts after."""

from __future__ import annotations

from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from apps.core.roles.names import Role
from apps.guards.models import Budget
from apps.guards.standing import used_of
from apps.metrics import rollups
from apps.metrics.models import Due
from tests.acting import acting_as
from tests.feeding import feed_all
from tests.metrics.make import Told
from tests.timeline.runs import succeeded

pytestmark = pytest.mark.django_db
UPGRADES = [
    import_module("apps.metrics.migrations.0006_worked"),
    import_module("apps.guards.migrations.0004_counted_since"),
]


def budget(admin: Any, **said: Any) -> Budget:
    body = {"agent_id": "travel", "measure": "turns", "limit": 100, **said}
    made = succeeded(admin.post("/v1/budgets", body)).body
    return Budget.objects.get(id=made["id"])


def upgrade() -> None:
    """Do what the migrations do to hours that were rolled up by earlier code."""
    with acting_as(Role.OWNER), connection.cursor() as cursor:
        cursor.execute("DELETE FROM metrics_worked")
        for one in UPGRADES:
            cursor.execute(one.ROLL_UP_AGAIN)


@pytest.mark.parametrize("said", [{}, {"period": "month"}, {"period": "day"}])
def test_a_budget_of_last_year_counts_what_it_counted(admin, project, said):
    now = timezone.now()
    then = now - timedelta(days=370)
    told = Told(project, then)
    made = budget(admin, **said)
    with acting_as(Role.OWNER):
        Budget.objects.filter(id=made.id).update(created_at=then)
    made.refresh_from_db()
    for moment in (then, now - timedelta(days=40), now - timedelta(hours=3)):
        told.turn(moment)
    feed_all(now=now)
    rollups.sweep(now=now)
    before = used_of(made, now)

    upgrade()
    counted_live = used_of(made, now)
    rollups.sweep(now=now)

    assert (counted_live, used_of(made, now)) == (before, before)
    assert said or before == 3


def test_what_no_budget_counts_is_left_as_it_is(admin, project):
    now = timezone.now()
    then = now - timedelta(days=40)
    Told(project, then).turn(then)
    budget(admin)
    feed_all(now=now)
    rollups.sweep(now=now)

    upgrade()

    assert not Due.objects.filter(hour__lt=now - timedelta(days=39)).exists()
