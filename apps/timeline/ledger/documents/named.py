"""Find shared documents by their names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from apps.accounts.models import Project
from apps.core import sql

# Read from the partial index by name; a name begins with `public/` or `agent/`.
_NAMED = sql.across("""
SELECT s.id, s.external_id AS name, s.head_number, s.created_at, s.updated_at
  FROM timeline_session s
 WHERE s.project_id = %(project)s AND s.kind = 'shared'
   AND s.external_id ~>~ %(after)s AND s.external_id ~<~ %(end)s
   AND s.status <> 'deleted'
 ORDER BY s.external_id USING ~<~ LIMIT %(limit)s
""")
LAST = "\U0010ffff"


def shared_documents(
    project: Project, *, prefix: str, after: str | None, limit: int
) -> Sequence[Any]:
    """Return documents whose names begin so, by name, behind `after`."""
    asked = {
        "project": project.id,
        # Nothing is smaller than the prefix itself and begins with it.
        "after": max(after or "", prefix[:-1] if prefix else ""),
        "end": prefix + LAST,
        "limit": limit,
    }
    found = sql.rows(_NAMED, asked)
    return [row for row in found if row.name.startswith(prefix)]
