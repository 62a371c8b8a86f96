"""Lists of sessions begin in an index, also when few or none are found."""

from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from apps.accounts.models import Project
from apps.timeline.models import Session
from apps.timeline.querysets import SessionQuerySet, id_bounds

pytestmark = pytest.mark.django_db


def index_conditions(found: SessionQuerySet) -> str:
    """Return how the planner goes into the indexes of sessions."""
    with connection.cursor() as cursor:
        # Of a few rows it would read all.
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_sort = off")
    plan = found.newest_first().explain()
    return "\n".join(line for line in plan.splitlines() if "Index Cond:" in line)


def test_an_agents_sessions_are_read_from_its_own_index(project: Project) -> None:
    found = Session.objects.of_project(project.id).of_agent(project.id, "nobody")

    assert "agent_id" in index_conditions(found)


def test_the_time_they_began_is_looked_up_by_their_ids(project: Project) -> None:
    now = timezone.now()
    of_project = Session.objects.of_project(project.id)

    found = index_conditions(of_project.created_between(now, now + timedelta(days=1)))

    assert "id)::text >=" in found
    assert "id)::text <" in found


def test_moments_at_the_ends_of_time_bound_nothing() -> None:
    now = timezone.now()

    assert id_bounds(None, None) == ("", "~")
    assert id_bounds(now.min.replace(tzinfo=now.tzinfo), None) == ("", "~")
    assert id_bounds(None, now.max.replace(tzinfo=now.tzinfo)) == ("", "~")
