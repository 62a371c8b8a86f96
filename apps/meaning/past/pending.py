"""How many versions wait to be embedded, of the sessions that a caller may see."""

from __future__ import annotations

from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.core import sql
from apps.timeline.projection import waiting_versions

MOST_COUNTED = 1_000

_DUE = """
SELECT session_id, number FROM meaning_paststream
 WHERE project_id = %(project)s AND due_at IS NOT NULL LIMIT %(most)s
"""
_REACHED = """
SELECT session_id, number FROM meaning_paststream
 WHERE session_id = ANY (%(sessions)s::text[])
"""
_HEADS = sql.across("""
SELECT s.id, s.head_number FROM timeline_session s
 WHERE s.id = ANY (%(sessions)s::text[])
   AND (%(agents)s::text[] IS NULL OR s.agent_id = ANY (%(agents)s::text[]))
 LIMIT %(most)s
""")


def count_pending(scope: Scope) -> int:
    """Count what waits of the sessions that the caller may see.

    What is not noticed yet waits as well, as while no worker runs. Of a session that is
    due all counts that is behind what is embedded of it.
    """
    asked = {"project": scope.project.id, "most": MOST_COUNTED}
    due = {row.session_id: row.number for row in sql.rows(_DUE, asked)}
    unnoticed = waiting_versions(scope.project.id)
    # By `manage.py embed` also what no worker has noticed may be embedded.
    noticed = {"sessions": sql.text_array(unnoticed)}
    reached = due | {row.session_id: row.number for row in sql.rows(_REACHED, noticed)}
    waiting = sorted({*due, *unnoticed})
    if not waiting:
        return 0
    told = {
        "sessions": sql.text_array(waiting),
        "agents": agents_of(scope),
        "most": len(waiting),
    }
    return sum(
        max(row.head_number - reached[row.id], 0)
        if row.id in reached
        else unnoticed[row.id]
        for row in sql.rows(_HEADS, told)
    )


def agents_of(scope: Scope) -> list[str] | None:
    """Return the ids of the agents that a key is limited to; None for all."""
    if scope.agents is None:
        return None
    mine = Agent.objects.filter(
        project_id=scope.project.id, external_id__in=scope.agents
    )
    return list(mine.values_list("id", flat=True))
