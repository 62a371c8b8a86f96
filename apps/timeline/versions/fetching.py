"""Fetch several versions at once, of sessions that were looked up already."""

from __future__ import annotations

from collections.abc import Sequence

from apps.core import keyset, sql
from apps.timeline.versions.reading import VERSION_COLUMNS, VERSIONS, VersionRow


def versions_of(
    session_id: str, *, newest_first: bool, after: int | None, limit: int
) -> list[VersionRow]:
    """Return up to `limit` + 1 versions beyond number `after`, in either direction.

    The caller has looked the session up.
    """
    bound, order = (keyset.below, "DESC") if newest_first else (keyset.above, "ASC")
    query = VERSIONS + (
        f" AND {bound('v.number', 'after')} ORDER BY v.number {order} LIMIT %(limit)s"
    )
    asked = {"session": session_id, "after": after, "limit": limit + 1}
    return sql.records(VersionRow, query, asked)


def versions_at(session_id: str, numbers: Sequence[int]) -> list[VersionRow]:
    """Return these versions of a session that was looked up already, in order."""
    query = VERSIONS + " AND v.number = ANY (%(numbers)s::bigint[]) ORDER BY v.number"
    asked = {"session": session_id, "numbers": list(numbers)}
    return sql.records(VersionRow, query, asked)


def versions_each(wanted: Sequence[tuple[str, int]]) -> list[VersionRow]:
    """Return versions of several sessions that were looked up already."""
    query = f"""
        SELECT {VERSION_COLUMNS}
          FROM unnest(%s::varchar[], %s::bigint[]) w (session_id, number)
          JOIN timeline_version v
            ON v.session_id = w.session_id AND v.number = w.number
          JOIN timeline_session s ON s.id = v.session_id
          JOIN timeline_body b
            ON b.session_id = v.session_id AND b.number = v.body_number
        """
    asked = [[one for one, _ in wanted], [number for _, number in wanted]]
    return sql.records(VersionRow, query, asked)
