"""Look up versions without their states: one in a scope, or several at once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from apps.agents.scope import Scope
from apps.core import keyset, sql
from apps.timeline import bodies
from apps.timeline.bodies import Part
from apps.timeline.versions.decoding.bodies import raw_bodies
from apps.timeline.versions.heads import FOUND, SEEN, found
from apps.timeline.versions.reading import UNREAD, VERSION_COLUMNS, Rollback, VersionRow

VERSION = sql.PreparedQuery(
    sql.of_session(
        f"SELECT head.number AS head_number, {VERSION_COLUMNS} {FOUND} {SEEN}"
    )
)

NEWEST = sql.PreparedQuery(
    sql.of_session(
        "SELECT v.number FROM timeline_version v WHERE v.session_id = %(session)s"
        " ORDER BY v.number DESC LIMIT 1"
    )
)

# Each version and each body is looked up by its key. Planned freely, a join reads the
# whole session where the planner takes 100,000 rows of one session for as many to each
# number: 40 ms of a page that shows two versions.
SHOWN_BODY = """
  JOIN LATERAL (SELECT x.depth, x.size, x.salt, x.codec FROM timeline_body x
                 WHERE x.session_id = {session} AND x.number = v.body_number
                 LIMIT 1) b ON true"""
BODY_OF_SESSION = SHOWN_BODY.format(session="%(session)s")
# Versions of a session that was looked up already; clauses and an order are added.
VERSIONS = f"""
SELECT {VERSION_COLUMNS}
  FROM timeline_version v
  JOIN timeline_session s ON s.id = %(session)s {BODY_OF_SESSION}
 WHERE v.session_id = %(session)s
"""
AT = sql.of_session(f"""
SELECT {VERSION_COLUMNS}
  FROM (SELECT DISTINCT unnest(%(numbers)s::bigint[]) AS number) w
  JOIN LATERAL (SELECT x.* FROM timeline_version x
                 WHERE x.session_id = %(session)s AND x.number = w.number
                 LIMIT 1) v ON true
  JOIN timeline_session s ON s.id = %(session)s {BODY_OF_SESSION}
 ORDER BY v.number
""")

LAST_ROLLBACK = sql.of_session("""
SELECT v.number, v.restored_number, v.created_at FROM timeline_version v
 WHERE v.session_id = %(session)s AND v.number <= %(number)s
   AND v.restored_number IS NOT NULL
 ORDER BY v.number DESC LIMIT 1
""")
SIZE = sql.of_session("""
SELECT coalesce(sum(v.size), 0)::bigint AS size FROM timeline_version v
 WHERE v.session_id = %(session)s AND v.number <= %(number)s
""")
HEADS = f"""
SELECT {VERSION_COLUMNS}
  FROM timeline_session s
  JOIN LATERAL (SELECT h.* FROM timeline_version h
                 WHERE h.session_id = s.id ORDER BY h.number DESC LIMIT 1) v ON true
  {SHOWN_BODY.format(session="s.id")}
 WHERE s.id = ANY (%s::varchar[])
"""


def version(
    scope: Scope, session_id: str, number: int | None, *, now: datetime
) -> VersionRow:
    """Return that version; None is the head, -1 the one before it.

    Raises: SessionNotFound, VersionNotFound (naming the head).
    """
    row = found(VERSION, scope, session_id, number, now)
    return VersionRow(**row)


def head(scope: Scope, session_id: str, *, now: datetime) -> VersionRow:
    """Return the last version.

    Raises: SessionNotFound.
    """
    return version(scope, session_id, None, now=now)


def newest_number(session_id: str) -> int | None:
    """Return the head's number and nothing else, as cheaply as it can be asked."""
    found = sql.run_prepared(NEWEST, {"session": session_id})
    return int(found[0].number) if found else None


def heads(session_ids: Sequence[str]) -> dict[str, VersionRow]:
    """Return the heads of sessions that the caller may see, by session id."""
    found = sql.records(VersionRow, HEADS, [list(session_ids)])
    return {head.session_id: head for head in found}


def versions_of(
    session_id: str, *, newest_first: bool, after: int | None, limit: int
) -> list[VersionRow]:
    """Return up to `limit` + 1 versions beyond number `after`, in either direction.

    The caller has looked the session up.
    """
    bound, order = (keyset.below, "DESC") if newest_first else (keyset.above, "ASC")
    query = sql.of_session(
        VERSIONS
        + f" AND {bound('v.number', 'after')}"
        + f" ORDER BY v.number {order} LIMIT %(limit)s"
    )
    asked = {"session": session_id, "after": after, "limit": limit + 1}
    return sql.records(VersionRow, query, asked)


def versions_at(session_id: str, numbers: Sequence[int]) -> list[VersionRow]:
    """Return these versions of a session that was looked up already, in order."""
    asked = {"session": session_id, "numbers": list(numbers)}
    return sql.records(VersionRow, AT, asked)


def history_size(session_id: str, number: int) -> int:
    """Return the bytes of the states that versions up to this one show."""
    (found,) = sql.rows(SIZE, {"session": session_id, "number": number})
    return int(found.size)


def versions_each(wanted: Sequence[tuple[str, int]]) -> list[VersionRow]:
    """Return versions of several sessions that were looked up already."""
    query = f"""
        SELECT {VERSION_COLUMNS}
          FROM unnest(%s::varchar[], %s::bigint[]) w (session_id, number)
          JOIN timeline_version v
            ON v.session_id = w.session_id AND v.number = w.number
          JOIN timeline_session s ON s.id = v.session_id
          {SHOWN_BODY.format(session="v.session_id")}
        """
    asked = [[one for one, _ in wanted], [number for _, number in wanted]]
    return sql.records(VersionRow, query, asked)


def states(versions: Sequence[VersionRow]) -> dict[tuple[str, int], bytes]:
    """Return the states by (session id, version number), in at most one query."""
    raw = raw_bodies(versions)
    return {
        (version.session_id, version.number): bytes(
            bodies.state_view(raw[version.session_id, version.body_number])
        )
        for version in versions
    }


def states_there(versions: Sequence[VersionRow]) -> dict[tuple[str, int], bytes]:
    """As `states`, without those that were emptied: a list names them."""
    return states([version for version in versions if not version.is_emptied])


def bundles_of(
    versions: Sequence[VersionRow],
) -> dict[tuple[str, int], tuple[Part, ...]]:
    """Return all parts by (session id, version number), in at most one query."""
    raw = raw_bodies(versions)
    return {
        (version.session_id, version.number): bodies.unframe(
            raw[version.session_id, version.body_number]
        )
        for version in versions
    }


def last_rollback(version: VersionRow) -> Rollback | None:
    """Return the newest rollback up to this version, read from its partial index."""
    if version.rollback is not UNREAD:
        return version.rollback
    if version.restored_number is not None:
        return Rollback(version.number, version.restored_number, version.created_at)
    asked = {"session": version.session_id, "number": version.number}
    found = sql.records(Rollback, LAST_ROLLBACK, asked)
    return found[0] if found else None
