"""What sessions that a search found have in common: their releases, counted."""

from __future__ import annotations

from collections.abc import Sequence

from apps.accounts.models import Project
from apps.core import sql
from apps.timeline.ledger.facts import index
from apps.timeline.ledger.facts.tags import SearchTag
from apps.timeline.search import index_scan
from apps.timeline.search.index_scan import IndexScan

_OF_HEADS = sql.across("""
SELECT v.release AS name, count(*) AS sessions
  FROM timeline_session s
  JOIN timeline_version v ON v.session_id = s.id AND v.number = s.head_number
 WHERE s.id = ANY (%(ids)s::varchar[]) AND v.release IS NOT NULL
 GROUP BY v.release ORDER BY sessions DESC, v.release LIMIT %(most)s
""")


def releases(
    project: Project, sessions: Sequence[str], *, most: int
) -> list[tuple[str, int]]:
    """Return the releases that most heads are of, with how many sessions had each.

    Counted as `release:` finds them: by any version of a session.
    """
    if not sessions:
        return []
    rows = sql.rows(_OF_HEADS, {"ids": sql.text_array(sessions), "most": most})
    key = bytes(project.index_key)
    counted = []
    for row in rows:
        tag = index.tag_key(key, SearchTag.RELEASE, row.name)
        found = IndexScan([index_scan.tagged([tag])]).among(sessions)
        counted.append((row.name, len(found)))
    return sorted(counted, key=lambda one: (-one[1], one[0]))
