"""What has been going on lately: of each agent, and in a project as a whole.

For pages that open often, so every question looks at a bounded number of rows, the
newest ones, however many there are: the answer is told together with how far it looked.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.audit.actions import Action
from apps.core import keyset, sql

AGENT_SESSIONS_COUNTED = 1_000
NEWEST_SESSIONS = 50

# One index read per agent and question: sessions by agent, newest first.
AGENTS = sql.query("timeline", "agent_activity")


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
        return self.sessions > AGENT_SESSIONS_COUNTED


def agent_activity(
    project_id: str, agent_ids: Sequence[str]
) -> dict[str, AgentActivity]:
    """Return the activity of these agents, in one statement."""
    asked = {
        "project": project_id,
        "agents": list(agent_ids),
        "counted": AGENT_SESSIONS_COUNTED + 1,
        "newest": NEWEST_SESSIONS,
    }
    return {one.id: one for one in sql.records(AgentActivity, AGENTS, asked)}


# The newest sessions of an agent: of these it is counted in which time each began.
BEGUN_LOOKED_AT = 5_000
_BEGUN = sql.across("""
SELECT s.created_at, s.rollback_count > 0 AS is_rolled_back FROM timeline_session s
 WHERE s.project_id = %(project)s AND s.agent_id = %(agent)s AND s.kind = 'session'
 ORDER BY s.id DESC LIMIT %(most)s
""")


@dataclass(frozen=True, kw_only=True, slots=True)
class Begun:
    """How many sessions began in a time, and how many of them were rolled back."""

    sessions: int = 0
    rolled_back: int = 0

    @property
    def rate(self) -> float | None:
        return self.rolled_back / self.sessions if self.sessions else None


@dataclass(frozen=True, kw_only=True, slots=True)
class BegunBetween:
    """Counts by place: 0 before the first time, then from each time to the next one.

    `since` is when the oldest session began that was looked at, None if all were.
    """

    by_place: Mapping[int, Begun]
    since: datetime | None


def begun_between(
    project_id: str, agent_id: str, *, times: Sequence[datetime]
) -> BegunBetween:
    """Count in which of these times, given in their order, an agent's sessions began.

    Its newest sessions, so many.
    """
    asked = {"project": project_id, "agent": agent_id, "most": BEGUN_LOOKED_AT + 1}
    found = sql.rows(_BEGUN, asked)
    looked_at = found[:BEGUN_LOOKED_AT]
    began, rolled_back = Counter[int](), Counter[int]()
    for one in looked_at:
        place = bisect_right(times, one.created_at)
        began[place] += 1
        rolled_back[place] += one.is_rolled_back
    return BegunBetween(
        by_place={
            place: Begun(sessions=count, rolled_back=rolled_back[place])
            for place, count in began.items()
        },
        since=looked_at[-1].created_at if len(found) > len(looked_at) else None,
    )


# A project's newest acts; who is busy is asked of these alone, and the page says so.
ACTS_LOOKED_AT = 2_000
BUSIEST = """
WITH recent AS MATERIALIZED (
     SELECT e.stream_id FROM audit_event e
      WHERE e.project_id = %(project)s ORDER BY e.id DESC LIMIT %(looked_at)s)
SELECT a.id, a.external_id AS name, count(*) AS acts,
       count(DISTINCT s.id) AS sessions
  FROM recent r
  JOIN timeline_session s ON s.id = r.stream_id AND s.kind = 'session'
  JOIN agents_agent a ON a.id = s.agent_id
 GROUP BY a.id, a.external_id ORDER BY acts DESC, a.id DESC LIMIT %(limit)s
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class BusyAgent:
    """An agent and how much of the newest acts was about its sessions."""

    id: str
    name: str
    acts: int
    sessions: int


def busiest_agents(project_id: str, *, limit: int) -> list[BusyAgent]:
    """Return the agents with the most of the newest acts."""
    asked = {"project": project_id, "looked_at": ACTS_LOOKED_AT, "limit": limit}
    return sql.records(BusyAgent, BUSIEST, asked)


# What stands beside a history does not change its session.
BESIDE = [
    Action.NOTE_ADDED,
    Action.VERSION_LABELLED,
    Action.VERSION_UNLABELLED,
    Action.SESSION_REVIEWED,
    Action.SESSION_SCORED,
]
CHANGED = sql.query("timeline", "sessions_touched", before=keyset.below_id("e.id"))


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionsTouched:
    """The sessions whose last change is among some acts, in no order.

    `floor` is the oldest of these acts, None where there is none before them.
    """

    sessions: list[str]
    floor: str | None


def sessions_touched(
    project_id: str, *, before: str | None, acts: int
) -> SessionsTouched:
    """Return what the newest so many acts before this one changed last."""
    asked = {
        "project": project_id,
        "before": before,
        "limit": acts,
        "beside": list(BESIDE),
    }
    return sql.records(SessionsTouched, CHANGED, asked)[0]
