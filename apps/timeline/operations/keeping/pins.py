"""Which versions have to stay, and why; asked under the session's lock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from apps.core import sql
from apps.timeline import hooks
from apps.timeline.operations.keeping.rows import Header
from apps.timeline.versions.lineage import live_ranges, set_aside_by

_NAMED = sql.of_session(sql.query("timeline", "keeping_pins"))
_FORKED = sql.across("""
SELECT s.origin_number AS number FROM timeline_session s
 WHERE s.origin_session_id = %(session)s ORDER BY s.id DESC LIMIT %(most)s
""")
_RESTORED = sql.of_session("""
SELECT v.number, v.restored_number FROM timeline_version v
 WHERE v.session_id = %(session)s AND v.restored_number IS NOT NULL
   AND v.restored_number BETWEEN %(first)s AND %(last)s
""")
_BELOW = sql.of_session("""
SELECT max(v.number) AS number FROM timeline_version v
 WHERE v.session_id = %(session)s AND v.number < %(number)s
""")
_PENDING = sql.of_session("""
SELECT min(coalesce(p.first_number, p.number)) AS number
  FROM timeline_pending p WHERE p.session_id = %s
""")
_LAST_TURN = sql.of_session("""
SELECT t.head_number AS number FROM timeline_turn t
 WHERE t.session_id = %s ORDER BY t.turn_number DESC LIMIT 1
""")
_LAST_ROLLBACK = sql.of_session("""
SELECT v.number FROM timeline_version v
 WHERE v.session_id = %s AND v.restored_number IS NOT NULL
 ORDER BY v.number DESC LIMIT 1
""")
# Nobody forks a session more often; beyond, nothing of it is taken.
MOST_FORKS = 100_000


def pins(
    session_id: str,
    headers: Sequence[Header],
    head: Header,
    *,
    erasing: bool,
    emptying: bool = False,
) -> dict[int, str]:
    """Return which of these versions stay; `headers` are in order.

    An erasure asks for what the session cannot do without, and no more. Headers and
    turns stay where contents alone go.
    """
    found = shown(head) if emptying else built_on(session_id, head)
    if not erasing:
        found |= _wanted(session_id, headers[0].number, headers[-1].number, head)
    found |= _unprojected(session_id, headers)
    if emptying:
        return {one.number: found[one.number] for one in headers if one.number in found}
    return _with_rollbacks(session_id, headers, found)


def built_on(session_id: str, head: Header) -> dict[int, str]:
    """Return what the next write builds on: the head, its body and the newest turn.

    Also the newest rollback, of which every writer is told: processes remember it.
    """
    turns = sql.rows(_LAST_TURN, [session_id])
    rollbacks = sql.rows(_LAST_ROLLBACK, [session_id])
    newest = {row.number: "last turn" for row in turns}
    newest |= {row.number: "last rollback" for row in rollbacks}
    return newest | shown(head)


def shown(head: Header) -> dict[int, str]:
    return {head.body_number: "head", head.number: "head"}


def _wanted(session_id: str, first: int, last: int, head: Header) -> dict[int, str]:
    asked = {"session": session_id, "first": first, "last": last}
    named = sql.rows(_NAMED, asked)
    forks = sql.rows(_FORKED, {"session": session_id, "most": MOST_FORKS})
    live = live_ranges(session_id, head.number)
    restored = [
        row.restored_number
        for row in sql.rows(_RESTORED, asked)
        if set_aside_by(live, row.number) is None
    ]
    return (
        dict(hooks.pinned(session_id))
        | dict.fromkeys(restored, "restored")
        | {row.number: "forked" for row in forks}
        | {row.number: row.why for row in named}
    )


def first_pending(session_id: str) -> int | None:
    """Return the first version that waits to be projected, if any does."""
    waiting = sql.rows(_PENDING, [session_id])[0].number
    return None if waiting is None else int(waiting)


def _unprojected(session_id: str, headers: Sequence[Header]) -> dict[int, str]:
    """What waits to be projected is read from its version: it stays until then."""
    first = first_pending(session_id)
    if first is None:
        return {}
    return {one.number: "unprojected" for one in headers if one.number >= first}


def _with_rollbacks(
    session_id: str, headers: Sequence[Header], found: Mapping[int, str]
) -> dict[int, str]:
    """Keep a rollback as long as a version that it set aside is there.

    Otherwise that version would count as live again. Ascending: whether a rollback
    stays is decided before those that set it aside are looked at.
    """
    kept = {one.number: found[one.number] for one in headers if one.number in found}
    below = sql.rows(_BELOW, {"session": session_id, "number": headers[0].number})
    newest_kept = below[0].number
    for one in headers:
        restored = one.restored_number
        if restored is not None and newest_kept is not None and newest_kept > restored:
            kept.setdefault(one.number, "sets aside")
        if one.number in kept:
            newest_kept = one.number
    return kept
