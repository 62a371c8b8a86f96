"""Names are looked for in indexes, from bound to bound, whatever begins so.

Which of several indexes the planner prefers for a few rows depends on what autovacuum
has seen of other tests. So each statement is shown one index of its table, and has to
meet all its conditions inside of it.
"""

import re

import pytest
from django.db import connection

from apps.accounts.models import Project
from apps.core.roles.names import Role
from apps.timeline.models import Session
from apps.timeline.search.conditions import identifying, tracing
from apps.timeline.search.prefixes import Prefix
from tests.acting import acting_as

pytestmark = pytest.mark.django_db

# Each statement, its index, and the conditions that have to be met inside of it.
PLANS = {
    "USERS": ("timeline_session_by_user", ["user_id ~>=~", "user_id ~<~"]),
    "OF_USERS": ("timeline_session_by_user", ["user_id = ", "id)::text <"]),
    "OF_ALL_USERS": ("timeline_session_by_user", ["user_id ~>=~", "user_id ~<~"]),
    "AGENTS": ("agents_agent_by_name", ["name)::text ~>=~", "name)::text ~<~"]),
    "OF_AGENTS": ("timeline_session_by_agent", ["agent_id)::text = ", "id)::text <"]),
    "NAMED": ("timeline_sessionname_pkey", ["external_id)::text >=", "_id)::text <"]),
    "SESSIONS": ("timeline_session_newest", ["(id)::text >=", "(id)::text <"]),
    "NAMED_AMONG": (
        "timeline_version_one_per_external_id",
        ["session_id = ", "external_id ~>=~", "external_id ~<~"],
    ),
    "ACTS": ("audit_event_by_project", ["id)::text >=", "id)::text <"]),
}
# By their id, agents are looked for as well: in the same statement, by another index.
BESIDE = {"AGENTS": "agents_agent_one_per_external_id"}

OTHERS = """
SELECT other.indexrelid::regclass AS name, other.indrelid::regclass AS of, c.conname
  FROM pg_index shown
  JOIN pg_index other ON other.indrelid = shown.indrelid
   AND other.indexrelid <> ALL (%s::regclass[])
  LEFT JOIN pg_constraint c ON c.conindid = other.indexrelid
   AND c.conrelid = other.indrelid
 WHERE shown.indexrelid = %s::regclass
"""


def show_only(*indexes: str) -> None:
    """Drop the other indexes of a table, until the test's transaction is over."""
    with acting_as(Role.OWNER), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(OTHERS, [list(indexes), indexes[0]])
        for name, of, constraint in cursor.fetchall():
            if constraint is None:
                cursor.execute(f"DROP INDEX {name}")
            else:
                cursor.execute(
                    f'ALTER TABLE {of} DROP CONSTRAINT "{constraint}" CASCADE'
                )
        # Of a few rows the planner would read all.
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_sort = off")
        cursor.execute("SET LOCAL enable_bitmapscan = off")


def plan_of(name: str, project: Project) -> str:
    named_among = {"NAMED_AMONG": tracing.NAMINGS[0].among}
    statement = {**vars(identifying), **vars(tracing), **named_among}[name]
    asked = {
        **Prefix("cust_30").bounds,
        "project": project.id,
        "agents": None,
        "names": ["cust_3084", "cust_3085"],
        "ids": ["sess_1", "sess_2"],
        "before": None,
        "limit": 200,
        "most": 5_000,
    }
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {statement}", asked)
        return "\n".join(row[0] for row in cursor.fetchall())


@pytest.mark.parametrize("name", PLANS)
def test_each_is_a_range_of_its_index(project: Project, name: str) -> None:
    index, conditions = PLANS[name]
    show_only(index, *filter(None, [BESIDE.get(name)]))

    plan = plan_of(name, project)

    assert "Seq Scan" not in plan
    read = plan.partition(f" {index} ")[2]
    bounds = re.findall(r"Index Cond: (.*)", read)
    assert bounds, plan
    assert all(one in bounds[0] for one in conditions), plan


def test_sessions_of_a_user_are_still_listed_in_order(project: Project) -> None:
    show_only("timeline_session_by_user")
    found = Session.objects.of_project(project.id).by(user="cust_3084")

    plan = found.newest_first(after_id="sess_1").explain()

    assert "timeline_session_by_user" in plan
    assert "Sort" not in plan


def test_a_name_of_a_version_is_still_looked_up(project: Project) -> None:
    show_only("timeline_version_one_per_external_id")
    with connection.cursor() as cursor:
        cursor.execute(
            "EXPLAIN SELECT FROM timeline_version v"
            " WHERE v.session_id = 'sess_1' AND v.external_id = 'step-3'"
        )
        plan = "\n".join(row[0] for row in cursor.fetchall())

    assert "timeline_version_one_per_external_id" in plan
