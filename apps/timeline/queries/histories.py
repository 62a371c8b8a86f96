"""How much a history is, and where it ends: of sessions and documents alike."""

from __future__ import annotations

from dataclasses import dataclass

from apps.core import sql

_END = sql.of_session("""
SELECT v.number, v.chain FROM timeline_version v
 WHERE v.session_id = %(session)s ORDER BY v.number DESC LIMIT 1
""")
_SIZES = sql.of_session("""
SELECT (SELECT count(*) FROM timeline_version v WHERE v.session_id = %(session)s)
           AS versions,
       (SELECT count(*) FROM timeline_turn t WHERE t.session_id = %(session)s)
           AS turns,
       (SELECT coalesce(sum(octet_length(b.data)), 0) FROM timeline_body b
         WHERE b.session_id = %(session)s)
       + (SELECT coalesce(sum(octet_length(t.data)), 0) FROM timeline_turn t
           WHERE t.session_id = %(session)s) AS bytes
""")


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """How much a history is."""

    versions: int = 0
    turns: int = 0
    bytes: int = 0


def sizes_of(session_id: str) -> Sizes:
    """Return how much a history is now."""
    (row,) = sql.rows(_SIZES, {"session": session_id})
    return Sizes(versions=row.versions, turns=row.turns, bytes=int(row.bytes))


def end_of(session_id: str) -> tuple[int, bytes] | None:
    """Return the number and the chain value of the last version; None without any."""
    found = sql.rows(_END, {"session": session_id})
    return (found[0].number, bytes(found[0].chain)) if found else None
