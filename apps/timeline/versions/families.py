"""Sessions that name another as their parent: a run's sub-graphs, a task's sub-agents.

A client says so in the child's metadata, which may say anything: nothing is decided by
it. It is shown where both are sessions of one project.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from apps.core import json, keyset, sql
from apps.core.json import cleaned
from apps.timeline.models import Session

PARENT = "parent_session_id"
# MATERIALIZED: through the index of metadata, whatever the planner thinks of an order.
_CHILDREN = f"""
WITH found AS MATERIALIZED (
    SELECT s.id FROM timeline_session s
     WHERE s.metadata_index @> %(wanted)s::jsonb AND s.project_id = %(project)s
       AND s.kind = 'session')
SELECT f.id FROM found f
 WHERE {keyset.below_id("f.id")}
 ORDER BY f.id DESC LIMIT %(limit)s
"""  # noqa: S608


def children(
    project_id: str, parent_id: str, *, before: str | None = None, limit: int
) -> list[str]:
    """Return the ids of sessions that name this one, newest first."""
    wanted = json.dumps(_naming(parent_id)).decode()
    asked = {"project": project_id, "wanted": wanted, "before": before}
    return [row.id for row in sql.rows(_CHILDREN, {**asked, "limit": limit})]


def children_among(parent_id: str, session_ids: Sequence[str]) -> set[str]:
    """Return which of these sessions name that one."""
    found = Session.objects.filter(id__in=session_ids).with_metadata(_naming(parent_id))
    return set(found.values_list("id", flat=True))


def parent_id(session: Session) -> str | None:
    """Return the session that this one names; it need not exist."""
    named = session.metadata_index.get(PARENT)
    return named if isinstance(named, str) else None


def _naming(parent_id: str) -> dict[str, Any]:
    found: dict[str, Any] = cleaned({PARENT: parent_id})
    return found
