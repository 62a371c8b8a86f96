"""Lists begin in an index, and versions are read by their keys."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from apps.accounts.models import Project
from apps.timeline.models import Session
from apps.timeline.querysets import SessionQuerySet, id_bounds
from apps.timeline.versions import fetching

pytestmark = pytest.mark.django_db


def plan_of(found: SessionQuerySet) -> str:
    """Return how the planner reads sessions, if not from the first to the last."""
    with connection.cursor() as cursor:
        # Of a few rows it would.
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_sort = off")
    return found.newest_first().explain()


def test_an_agent_is_looked_up_before_its_sessions(project: Project) -> None:
    """A constant by then, so that the agent's own index has the order, too."""
    found = Session.objects.of_project(project.id).of_agent(project.id, "nobody")

    # As PostgreSQL 15 and 18 write it.
    once = re.compile(r"agent_id\)::text = \((\$0|\(InitPlan 1\)\.col1)\)")
    assert once.search(plan_of(found))


def test_the_time_they_began_is_looked_up_by_their_ids(project: Project) -> None:
    now = timezone.now()
    of_project = Session.objects.of_project(project.id)

    plan = plan_of(of_project.created_between(now, now + timedelta(days=1)))

    conditions = [line for line in plan.splitlines() if "Index Cond:" in line]
    assert any("id)::text >=" in line and "id)::text <" in line for line in conditions)


def test_moments_at_the_ends_of_time_bound_nothing() -> None:
    now = timezone.now()

    assert id_bounds(None, None) == ("", "~")
    assert id_bounds(now.min.replace(tzinfo=now.tzinfo), None) == ("", "~")
    assert id_bounds(None, now.max.replace(tzinfo=now.tzinfo)) == ("", "~")


@pytest.mark.parametrize(
    ("query", "looked_up"),
    [(fetching.AT, 2), (fetching.VERSIONS + " LIMIT 2", 1)],
)
def test_versions_and_bodies_are_looked_up_one_by_one(
    query: str, looked_up: int
) -> None:
    """Also where the planner would rather join what a whole session has."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_nestloop = off")
        cursor.execute("SET LOCAL enable_seqscan = off")
        asked = {"session": "sess_of_nobody", "numbers": [0, 1]}
        cursor.execute(f"EXPLAIN {query}", asked)
        plan = [line for (line,) in cursor.fetchall()]

    # A look-up of one row, which no join of whole sessions can take the place of.
    assert sum("->  Limit" in line for line in plan) == looked_up, "\n".join(plan)
