"""Give new sessions their agent's heartbeat: fed, so that no create pays for it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from apps.audit.actions import Action
from apps.audit.entries import Entry
from apps.core import sql
from apps.heartbeats.models import AgentHeartbeat, Heartbeat

_BEGUN = sql.across("""
SELECT s.id, s.project_id, s.agent_id, s.created_at
  FROM timeline_session s
 WHERE s.id = ANY (%(sessions)s::varchar[]) AND s.agent_id = ANY (%(agents)s::varchar[])
   AND s.kind = 'session'
 LIMIT %(most)s
""")


def begin(entries: Sequence[Entry], now: datetime) -> None:
    """Expect the sessions that began of agents with a default; a fork is no run."""
    begun = [entry for entry in entries if entry.action == Action.SESSION_CREATED.value]
    if not begun:
        return
    projects = {entry.project_id for entry in begun}
    defaults = AgentHeartbeat.objects.filter(project_id__in=projects)
    by_agent = {one.agent_id: one for one in defaults}
    if not by_agent:
        return
    asked = {
        "sessions": [entry.stream_id for entry in begun],
        "agents": list(by_agent),
        "most": len(begun),
    }
    Heartbeat.objects.bulk_create(
        [
            _first(by_agent[row.agent_id], row)
            for row in sql.rows(_BEGUN, asked)
            # It began before anything was expected of those that begin.
            if row.created_at >= by_agent[row.agent_id].since
        ],
        ignore_conflicts=True,
    )


def _first(default: AgentHeartbeat, row: Any) -> Heartbeat:
    return Heartbeat(
        session_id=row.id,
        project_id=row.project_id,
        every=default.every,
        due_at=row.created_at + timedelta(seconds=default.every),
        is_default=True,
    )
