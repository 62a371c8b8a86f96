"""Which chains moved: what the signer follows, and what it looks at page by page."""

from __future__ import annotations

from dataclasses import dataclass

from apps.audit import operations as audit
from apps.core import sql

# Sessions whose versions these events made, and projects with any event: acts of people
# are chained by project. More of one transaction than that is read in one piece.
FOLLOW = """
SELECT e.xid::text::bigint AS xid, e.stream_id, e.project_id, e.number
  FROM audit_event e
 WHERE e.xid >= %(after)s::text::xid8 AND e.xid < %(low)s::text::xid8
 ORDER BY e.xid LIMIT %(limit)s
"""
OF_ONE = """
SELECT e.xid::text::bigint AS xid, e.stream_id, e.project_id, e.number
  FROM audit_event e
 WHERE e.xid = %(xid)s::text::xid8
"""
LOOK = "SELECT id FROM timeline_session WHERE id > %s ORDER BY id LIMIT %s"
PROJECTS = "SELECT id FROM accounts_project ORDER BY id"


@dataclass(frozen=True, kw_only=True, slots=True)
class Moved:
    """What events below `reached` are about; `is_all` says that no more are settled."""

    sessions: list[str]
    projects: list[str]
    reached: int
    is_all: bool


def moved(*, after: int, low: int, limit: int) -> Moved:
    """Read what was written in transactions from `after` on and below `low`."""
    asked = {"after": str(after), "low": str(low), "limit": limit}
    events = sql.rows(FOLLOW, asked)
    is_all = len(events) < limit
    reached = low
    if not is_all:
        reached = events[-1].xid
        if reached == after:
            # One transaction wrote more than that: all of it, and on.
            events = sql.rows(OF_ONE, {"xid": str(after)})
            reached = after + 1
    sessions = {event.stream_id for event in events if event.number is not None}
    return Moved(
        sessions=sorted(sessions),
        projects=sorted({event.project_id for event in events}),
        reached=reached,
        is_all=is_all,
    )


def sessions_after(session_id: str, limit: int) -> list[str]:
    """Return sessions by their ids, of all projects."""
    return [row.id for row in sql.rows(LOOK, [session_id, limit])]


def chained_projects() -> list[str]:
    """Return whose acts are chained: all projects, and the installation."""
    return [audit.INSTALLATION, *(row.id for row in sql.rows(PROJECTS, []))]
