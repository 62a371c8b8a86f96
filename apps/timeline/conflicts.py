"""Tells a writer whose head is stale what happened meanwhile."""

from __future__ import annotations

from apps.core import sql
from apps.timeline.drafts import Expected
from apps.timeline.errors import VersionConflict, VersionMismatch
from apps.timeline.reading import VersionRow

VERSIONS_LOOKED_AT = 20
PATHS_NAMED = 50


def stale(expected: Expected, head: VersionRow) -> VersionConflict | VersionMismatch:
    """Return the error naming the head, who wrote it, when, and what changed since.

    The paths come from the last 20 versions after the expected one, at most 50.
    """
    error = VersionMismatch if expected.from_header else VersionConflict
    return error(
        f"You built on version {expected.number}, but the head is {head.number}.",
        param="If-Match" if expected.from_header else "expected_version",
        expected_version=expected.number,
        head=head.number,
        head_written_by=head.actor_label,
        head_written_at=head.created_at,
        changed_paths=_changed_paths(expected.number or 0, head),
    )


def _changed_paths(since: int, head: VersionRow) -> list[str]:
    found = sql.rows(
        """
        SELECT changes FROM timeline_version
         WHERE session_id = %s AND number > %s ORDER BY number DESC LIMIT %s
        """,
        [head.session_id, since, VERSIONS_LOOKED_AT],
    )
    paths = {change["pointer"]: None for row in found for change in row.changes}
    return list(paths)[:PATHS_NAMED]
