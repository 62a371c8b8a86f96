"""Taking the history of a session or a document away, a piece at a time.

Children go before what they belong to, so that whoever is killed in between leaves
a history that is cut off at its end and no row without its session. What an erasure
is about is looked at by the caller; retention alone has the right to any of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db import connection, transaction

from apps.core import sql
from apps.timeline.models import Session

# So many versions go with one transaction.
AT_ONCE = 500
_ALLOWED = "SELECT set_config('stepback.retention', 'on', true)"
# Rows beside the versions: projected ones, effects, what people said.
_BESIDE = (
    *("text", "term", "change", "open", "opening", "unsearched", "pending", "label"),
    *("note", "review", "score", "summary", "pendingwrite", "hiddenversions"),
    *("effectdue", "effectstep", "compensationstep", "compensation", "effect"),
    *("agentresult", "forgetting", "entry", "keyhead", "tally"),
)
_NAMES = ("sessionname", "requestkey")
_END = sql.of_session("""
SELECT v.number, v.chain FROM timeline_version v
 WHERE v.session_id = %(session)s ORDER BY v.number DESC LIMIT 1
""")
_LOCK = sql.of_session(
    "SELECT s.id FROM timeline_session s WHERE s.id = %(session)s FOR UPDATE"
)
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Taken:
    """What one piece took: rows beside versions and turns, and whether all is gone."""

    versions: int = 0
    turns: int = 0
    rows: int = 0
    bytes: int = 0
    is_gone: bool = False


def sizes_of(session_id: str) -> Sizes:
    """Return how much a history is now."""
    (row,) = sql.rows(_SIZES, {"session": session_id})
    return Sizes(versions=row.versions, turns=row.turns, bytes=int(row.bytes))


def end_of(session_id: str) -> tuple[int, bytes] | None:
    """Return the number and the chain value of the last version; None without any."""
    found = sql.rows(_END, {"session": session_id})
    return (found[0].number, bytes(found[0].chain)) if found else None


def allow_removal() -> None:
    """Let this transaction change history, if its role may.

    Raises: RuntimeError outside a transaction.
    """
    if not connection.in_atomic_block:
        raise RuntimeError("What is removed is removed within a transaction.")
    with connection.cursor() as cursor:
        cursor.execute(_ALLOWED)


@transaction.atomic
def remove_history(*, session_id: str) -> Taken:
    """Remove up to `AT_ONCE` versions and, with the last of them, all of it.

    Repeat it until it says that all is gone; of what is not there nothing is left.
    """
    if not Session.with_documents.filter(id=session_id).exists():
        return Taken(is_gone=True)
    allow_removal()
    sql.rows(_LOCK, {"session": session_id})
    rows = sum(_delete(f"timeline_{name}", session_id) for name in _BESIDE)
    turns, of_turns = _delete_counted("timeline_turn", "turn_number", session_id)
    _, of_bodies = _delete_counted("timeline_body", "number", session_id)
    versions, _ = _delete_counted("timeline_version", "number", session_id)
    is_gone = turns < AT_ONCE and versions < AT_ONCE
    if is_gone:
        rows += sum(_delete(f"timeline_{name}", session_id) for name in _NAMES)
        rows += _delete("timeline_session", session_id, key="id")
    return Taken(
        versions=versions,
        turns=turns,
        rows=rows,
        bytes=of_turns + of_bodies,
        is_gone=is_gone,
    )


def _delete(table: str, session_id: str, *, key: str = "session_id") -> int:
    text = f"""
    WITH gone AS (DELETE FROM {table} h WHERE h.{key} = %(session)s RETURNING 1)
    SELECT count(*) AS n FROM gone
    """  # noqa: S608
    return int(sql.rows(sql.of_session(text), {"session": session_id})[0].n)


def _delete_counted(table: str, number: str, session_id: str) -> tuple[int, int]:
    """Delete the newest rows; return how many, and the bytes of what they held."""
    size = "0" if table == "timeline_version" else "octet_length(h.data)"
    text = f"""
    WITH gone AS (
        DELETE FROM {table} h WHERE h.session_id = %(session)s AND h.{number} IN (
            SELECT k.{number} FROM {table} k WHERE k.session_id = %(session)s
             ORDER BY k.{number} DESC LIMIT %(most)s)
        RETURNING {size} AS bytes)
    SELECT count(*) AS n, coalesce(sum(bytes), 0) AS bytes FROM gone
    """  # noqa: S608
    asked = {"session": session_id, "most": AT_ONCE}
    (row,) = sql.rows(sql.of_session(text), asked)
    return int(row.n), int(row.bytes)
