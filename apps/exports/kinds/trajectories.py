"""Export what sessions said: a line a session, the oldest first."""

from __future__ import annotations

from apps.exports.kinds.made import Made
from apps.exports.models import Export
from apps.exports.telling.chat import Untold
from apps.exports.telling.trajectories import told
from apps.timeline.models import Session
from apps.timeline.querysets import SessionQuerySet

# A step looks at so many sessions, or ends behind the one that fills it.
SESSIONS = 50


def step(export: Export) -> Made:
    """Write the lines of the next sessions."""
    after = export.cursor.get("after")
    made = Made()
    for session in _sessions(export, after)[:SESSIONS]:
        made.cursor = {"after": session.id}
        try:
            written = told(session, export.asked)
        except Untold as untold:
            made.left_out[untold.reason] += 1
        else:
            made.data += written or b""
            made.rows += written is not None
        if made.is_full:
            break
    return made


def _sessions(export: Export, after: str | None) -> SessionQuerySet:
    """Return the sessions behind the cursor that the filters of their rows let in."""
    asked = export.asked
    found = Session.objects.of_project(export.project_id)
    found = found.of_agent(export.project_id, asked.get("agent"))
    found = found.reviewed(asked.get("outcome"))
    if (rolled_back := asked.get("rolled_back")) is not None:
        found = (
            found.filter(rollback_count__gt=0)
            if rolled_back
            else found.filter(rollback_count=0)
        )
    # What begins later is not asked for, else it might never end.
    found = found.filter(created_at__lte=export.created_at)
    return found.oldest_first(after_id=after)
