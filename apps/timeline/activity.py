"""What has been going on lately: of each agent, and in a project as a whole.

For pages that open often, so every question looks at a bounded number of rows, the
newest ones, however many there are: the answer is told together with how far it looked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.audit.actions import Action
from apps.core import keyset, sql

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


# A project's newest acts; every question of its first page is asked of these alone.
LOOKED_AT = 2_000
RECENT = """
WITH recent AS MATERIALIZED (
     SELECT e.stream_id, e.number, e.id FROM audit_event e
      WHERE e.project_id = %(project)s ORDER BY e.id DESC LIMIT %(looked_at)s)
"""
# A version that lost something, unless somebody has rolled behind it since. What a
# rollback drops was meant to go.
FLAGGED = (
    RECENT
    + """
SELECT s.id AS session_id, v.number, v.flags, v.created_at, a.external_id AS agent,
       s.user_id
  FROM (SELECT DISTINCT ON (r.stream_id, r.number) r.stream_id, r.number, r.id
          FROM recent r WHERE r.number IS NOT NULL) AS touched
  JOIN timeline_version v
    ON v.session_id = touched.stream_id AND v.number = touched.number
  JOIN timeline_session s ON s.id = v.session_id AND s.status <> 'deleted'
  JOIN agents_agent a ON a.id = s.agent_id
 WHERE v.flags <> '[]'::jsonb AND v.op <> 'rollback'
   AND NOT EXISTS (
       SELECT FROM timeline_version back
        WHERE back.session_id = v.session_id AND back.restored_number IS NOT NULL
          AND back.number > v.number AND back.restored_number < v.number)
 ORDER BY touched.id DESC LIMIT %(limit)s
"""
)
# Sessions whose agent asks for a human: in its state, or as its step's objective.
ESCALATED = (
    RECENT
    + """
SELECT s.id AS session_id, s.head_number AS number, s.updated_at AS created_at,
       a.external_id AS agent, s.user_id, v.objective_status,
       s.facets @> '{"/escalated": true}'
       OR s.facets @> '{"/escalated_to_human": true}' AS is_said_by_state
  FROM (SELECT DISTINCT r.stream_id FROM recent r) AS touched
  JOIN timeline_session s ON s.id = touched.stream_id
  JOIN timeline_version v ON v.session_id = s.id AND v.number = s.head_number
  JOIN agents_agent a ON a.id = s.agent_id
 WHERE s.status IN ('active', 'paused')
   AND (s.facets @> '{"/escalated": true}'
        OR s.facets @> '{"/escalated_to_human": true}'
        OR v.objective_status LIKE 'WAITING\\_FOR%%')
 ORDER BY s.updated_at DESC, s.id DESC LIMIT %(limit)s
"""
)
BUSIEST = (
    RECENT
    + """
SELECT a.id, a.external_id AS name, count(*) AS acts,
       count(DISTINCT s.id) AS sessions
  FROM recent r
  JOIN timeline_session s ON s.id = r.stream_id
  JOIN agents_agent a ON a.id = s.agent_id
 GROUP BY a.id, a.external_id ORDER BY acts DESC, a.id DESC LIMIT %(limit)s
"""
)


@dataclass(frozen=True, kw_only=True, slots=True)
class FlaggedVersion:
    """A version that seems to have lost something, and still counts."""

    session_id: str
    number: int
    flags: list[str]
    created_at: datetime
    agent: str
    user_id: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class EscalatedSession:
    """A session that waits for a human; `number` is its head."""

    session_id: str
    number: int
    created_at: datetime
    agent: str
    user_id: str | None
    objective_status: str | None
    is_said_by_state: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class BusyAgent:
    """An agent and how much of the newest acts was about its sessions."""

    id: str
    name: str
    acts: int
    sessions: int


def flagged(project_id: str, *, limit: int) -> list[FlaggedVersion]:
    """Return the newest versions that lost something, of the newest acts."""
    return sql.records(FlaggedVersion, FLAGGED, _recent(project_id, limit))


def escalated(project_id: str, *, limit: int) -> list[EscalatedSession]:
    """Return the sessions that wait for a human, of those touched last."""
    return sql.records(EscalatedSession, ESCALATED, _recent(project_id, limit))


def busiest(project_id: str, *, limit: int) -> list[BusyAgent]:
    """Return the agents with the most of the newest acts."""
    return sql.records(BusyAgent, BUSIEST, _recent(project_id, limit))


# What stands beside a history does not change its session.
BESIDE = [Action.NOTE_ADDED, Action.VERSION_LABELLED, Action.VERSION_UNLABELLED]
CHANGED = f"""
WITH acts AS MATERIALIZED (
     SELECT e.stream_id, e.id, e.action FROM audit_event e
      WHERE e.project_id = %(project)s
        AND {keyset.below_id("e.id")}
      ORDER BY e.id DESC LIMIT %(limit)s),
changed AS MATERIALIZED (
     SELECT DISTINCT acts.stream_id FROM acts
      WHERE acts.action <> ALL (%(beside)s::varchar[]))
SELECT coalesce((SELECT array_agg(changed.stream_id) FROM changed
                  WHERE NOT EXISTS (
                        SELECT FROM audit_event later
                         WHERE later.stream_id = changed.stream_id
                           AND later.id >= %(before)s::varchar
                           AND later.action <> ALL (%(beside)s::varchar[]))),
                '{{}}') AS sessions,
       (SELECT min(acts.id) FROM acts HAVING count(*) = %(limit)s) AS floor
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Touched:
    """The sessions whose last change is among some acts, in no order.

    `floor` is the oldest of these acts, None where there is none before them.
    """

    sessions: list[str]
    floor: str | None


def touched(project_id: str, *, before: str | None, acts: int) -> Touched:
    """Return what the newest so many acts before this one changed last."""
    asked = {
        "project": project_id,
        "before": before,
        "limit": acts,
        "beside": list(BESIDE),
    }
    return sql.records(Touched, CHANGED, asked)[0]


def _recent(project_id: str, limit: int) -> dict[str, object]:
    return {"project": project_id, "looked_at": LOOKED_AT, "limit": limit}
