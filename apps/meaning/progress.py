"""How far documents are embedded, and what was written to them since."""

from __future__ import annotations

from dataclasses import dataclass

from apps.core import sql

# So many writes are looked through for what waits; of more, their newest.
MOST_ENTRIES = 5_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Position:
    """Up to which entry of a document there are vectors, and of which model."""

    stream_id: str
    model: str = ""
    number: int = 0
    key: str = ""
    stale_until: int = 0
    revision: int = 0


_COLUMNS = "stream_id, model, number, key, stale_until, revision"
_OF = f"SELECT {_COLUMNS} FROM meaning_stream WHERE stream_id = %s"  # noqa: S608
_LOCKED = f"{_OF} FOR UPDATE"
_POSITION = sql.PreparedQuery(
    f"SELECT {_COLUMNS} FROM meaning_stream WHERE stream_id = %(stream)s"  # noqa: S608
)
_DUE = f"""
SELECT {_COLUMNS} FROM meaning_stream
 WHERE due_at IS NOT NULL ORDER BY due_at, stream_id LIMIT %s
"""  # noqa: S608
_TOUCHED = sql.of_session("""
SELECT e.number, e.key FROM timeline_entry e
 WHERE e.session_id = %(session)s AND e.number >= %(number)s
   AND (e.number > %(number)s OR e.key > %(key)s::text)
 ORDER BY e.number, e.key LIMIT %(most)s
""")
_WAITING = sql.PreparedQuery(
    sql.of_session("""
SELECT x.key, sum(count(*)) OVER ()::bigint AS entries FROM (
    SELECT e.key, e.number FROM timeline_entry e
     WHERE e.session_id = %(session)s AND e.number >= %(number)s
       AND (e.number > %(number)s OR e.key > %(key)s::text) AND e.key > ''
     ORDER BY e.number DESC, e.key DESC LIMIT %(most)s) x
 GROUP BY x.key ORDER BY max(x.number) DESC, x.key
""")
)
_ADOPT = """
UPDATE meaning_stream
   SET model = %(model)s, revision = revision + 1,
       stale_until = CASE WHEN model = '' THEN 0 ELSE number END
 WHERE stream_id = %(stream)s AND model = %(before)s RETURNING 1
"""
_ADVANCE = """
UPDATE meaning_stream
   SET number = %(number)s, key = %(key)s, revision = revision + 1
 WHERE stream_id = %(stream)s RETURNING 1
"""
_CHANGED = """
UPDATE meaning_stream SET revision = revision + 1 WHERE stream_id = %s RETURNING 1
"""
_COMPLETE = """
UPDATE meaning_stream SET stale_until = 0, revision = revision + 1
 WHERE stream_id = %s RETURNING 1
"""
_BEGIN_AGAIN = """
UPDATE meaning_stream
   SET number = 0, key = '', stale_until = 0, revision = revision + 1
 WHERE stream_id = %s RETURNING 1
"""
_SETTLE = """
UPDATE meaning_stream SET due_at = NULL
 WHERE stream_id = %s RETURNING 1
"""


def position(document_id: str) -> Position:
    """Return how far a document is embedded; at its beginning where it never was."""
    found = sql.run_prepared(_POSITION, {"stream": document_id})
    return Position(**found[0]._asdict()) if found else Position(stream_id=document_id)


def locked(document_id: str) -> Position | None:
    """Lock the position until the transaction ends: all vectors change under it."""
    found = sql.records(Position, _LOCKED, [document_id])
    return found[0] if found else None


def due(limit: int) -> list[Position]:
    """Return the documents that have waited longest."""
    return sql.records(Position, _DUE, [limit])


def touched(at: Position, *, most: int) -> list[tuple[int, str]]:
    """Return the next entries behind a position: versions, each with a key."""
    asked = {"session": at.stream_id, "number": at.number, "key": at.key, "most": most}
    return [(row.number, row.key) for row in sql.rows(_TOUCHED, asked)]


def waiting(at: Position) -> tuple[list[str], bool]:
    """Return the keys written behind a position, the newest first, and if all."""
    asked = {
        "session": at.stream_id,
        "number": at.number,
        "key": at.key,
        "most": MOST_ENTRIES + 1,
    }
    found = sql.run_prepared(_WAITING, asked)
    return [row.key for row in found], not found or found[0].entries <= MOST_ENTRIES


def adopt(at: Position, model: str) -> Position:
    """Go on with this model from here; what is before stays with the other one's."""
    asked = {"stream": at.stream_id, "model": model, "before": at.model}
    sql.rows(_ADOPT, asked)
    return position(at.stream_id)


def advance(at: Position, to: tuple[int, str]) -> None:
    number, key = to
    sql.rows(_ADVANCE, {"stream": at.stream_id, "number": number, "key": key})


def changed(document_id: str) -> None:
    """Say that vectors were written where the position stays."""
    sql.rows(_CHANGED, [document_id])


def settle(document_id: str) -> None:
    """Say that nothing waits; what came meanwhile is noticed by the next look."""
    sql.rows(_SETTLE, [document_id])


def complete(document_id: str) -> None:
    """Say that nothing is left that only another model has embedded."""
    sql.rows(_COMPLETE, [document_id])


def begin_again(document_id: str) -> None:
    """Go back to the beginning of a document."""
    sql.rows(_BEGIN_AGAIN, [document_id])
