"""What has been going on lately: of each agent, and in a project as a whole.

For pages that open often, so every question looks at a bounded number of rows, the
newest ones, however many there are: the answer is told together with how far it looked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.core import sql

COUNTED = 1_000
NEWEST_SESSIONS = 50

# One index read per agent and question: sessions by agent, newest first.
AGENTS = """
SELECT a.id, counted.sessions, newest.last_seen, newest.rollbacks,
       coalesce(newest.releases, '{}') AS releases,
       coalesce(newest.models, '{}') AS models
  FROM unnest(%(agents)s::varchar[]) AS a (id)
 CROSS JOIN LATERAL (
       SELECT count(*) AS sessions FROM (
              SELECT 1 FROM timeline_session s
               WHERE s.project_id = %(project)s AND s.agent_id = a.id
               LIMIT %(counted)s) AS first_ones) AS counted
 CROSS JOIN LATERAL (
       SELECT max(n.updated_at) AS last_seen,
              coalesce(sum(n.rollback_count), 0)::bigint AS rollbacks,
              array_agg(DISTINCT v.release) FILTER (WHERE v.release IS NOT NULL)
                AS releases,
              array_agg(DISTINCT v.model) FILTER (WHERE v.model IS NOT NULL) AS models
         FROM (SELECT s.id, s.head_number, s.updated_at, s.rollback_count
                 FROM timeline_session s
                WHERE s.project_id = %(project)s AND s.agent_id = a.id
                ORDER BY s.id DESC LIMIT %(newest)s) AS n
         JOIN timeline_version v
           ON v.session_id = n.id AND v.number = n.head_number) AS newest
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentActivity:
    """What one agent has been doing; all but `sessions` is of its newest sessions."""

    id: str
    # At most `COUNTED` + 1, which stands for "more than that".
    sessions: int
    last_seen: datetime | None
    rollbacks: int
    releases: list[str]
    models: list[str]

    @property
    def has_more(self) -> bool:
        return self.sessions > COUNTED


def of_agents(project_id: str, agent_ids: Sequence[str]) -> dict[str, AgentActivity]:
    """Return the activity of these agents, in one statement."""
    asked = {
        "project": project_id,
        "agents": list(agent_ids),
        "counted": COUNTED + 1,
        "newest": NEWEST_SESSIONS,
    }
    return {one.id: one for one in sql.records(AgentActivity, AGENTS, asked)}
