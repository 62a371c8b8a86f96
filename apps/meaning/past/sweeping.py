"""The worker's part: embed the versions that were made, so many and no more a sweep.

What a sweep takes is bounded, so that it leaves appends the processor: whoever writes
faster is caught up with later, and a search says how much is left. Of two workers that
embed the same versions one stores them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from apps.core import json, sql
from apps.meaning import embedding
from apps.meaning.embedding import Embedder
from apps.meaning.past.noticing import notice
from apps.meaning.past.texts import text_of
from apps.meaning.working.reconciling import vectors_of

# Of one sweep, every two seconds: 0.2 s of one processor.
MOST_TEXTS = 1_000
# Of a session at once; sessions take turns.
AT_ONCE = 100

_DUE = """
SELECT session_id, project_id, model, number, noticed FROM meaning_paststream
 WHERE due_at IS NOT NULL ORDER BY due_at, session_id LIMIT %s
"""
_SESSION = sql.of_session(
    "SELECT s.agent_id FROM timeline_session s WHERE s.id = %(session)s"
)
_VERSIONS = sql.of_session("""
SELECT v.number, v.reasoning, v.changes::text AS changes FROM timeline_version v
 WHERE v.session_id = %(session)s AND v.number > %(number)s
 ORDER BY v.number LIMIT %(most)s
""")
_ADVANCE = """
UPDATE meaning_paststream
   SET number = %(to)s, model = %(model)s,
       due_at = CASE WHEN %(is_last)s AND noticed = %(noticed)s THEN NULL
                     ELSE due_at END
 WHERE session_id = %(session)s AND number = %(number)s AND model = %(before)s
RETURNING 1
"""
_BEGIN_AGAIN = """
UPDATE meaning_paststream SET number = -1, model = %(model)s
 WHERE session_id = %(session)s AND model = %(before)s RETURNING 1
"""
_FORGET = "DELETE FROM meaning_pastvector WHERE session_id = %s RETURNING 1"
_STORE = """
INSERT INTO meaning_pastvector (
    session_id, number, model, project_id, agent_id, data, scale)
SELECT %(session)s::varchar, u.number, %(model)s::varchar, %(project)s::varchar,
       %(agent)s::varchar, u.data, u.scale
  FROM unnest(%(numbers)s::bigint[], %(data)s::bytea[], %(scales)s::float8[])
    AS u (number, data, scale)
    ON CONFLICT DO NOTHING
RETURNING 1
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Due:
    """A session, and up to which version it is embedded under which model."""

    session_id: str
    project_id: str
    model: str
    number: int
    noticed: int


def sweep(*, now: datetime) -> int:
    """Embed what waits, to a limit; return how many versions were looked at.

    Raises: EmbeddingFailed.
    """
    notice(embedding.name(), now=now)
    done = 0
    while done < MOST_TEXTS and (waiting := _waiting()):
        for due in waiting:
            done += step(due, embedding.current())
    return done


def _waiting() -> list[Due]:
    return sql.records(Due, _DUE, [MOST_TEXTS // AT_ONCE])


def step(due: Due, embedder: Embedder) -> int:
    """Embed the next versions of a session; return how many rows that took, 1 at least.

    Raises: EmbeddingFailed.
    """
    if due.model != embedder.name:
        due = _begun_again(due, embedder.name)
    asked = {"session": due.session_id, "number": due.number, "most": AT_ONCE}
    rows = sql.rows(_VERSIONS, asked)
    texts = {row.number: text_of(row.reasoning, _changes(row)) for row in rows}
    said = [number for number, text in texts.items() if text]
    found = vectors_of([texts[number] for number in said], embedder)
    _store(due, embedder.name, len(rows), dict(zip(said, found, strict=True)), rows)
    return max(1, len(rows))


@transaction.atomic
def _store(
    due: Due, model: str, count: int, found: dict[int, Any], rows: Sequence[Any]
) -> None:
    from apps.meaning.embedding.rows import packed

    asked = {
        "session": due.session_id,
        "number": due.number,
        "before": model,
        "model": model,
        "to": rows[-1].number if rows else due.number,
        "is_last": count < AT_ONCE,
        "noticed": due.noticed,
    }
    if not sql.rows(_ADVANCE, asked):
        return
    kept = {
        number: one for number, row in found.items() if (one := packed(row)) is not None
    }
    sessions = sql.rows(_SESSION, {"session": due.session_id})
    if not kept or not sessions:
        return
    sql.rows(
        _STORE,
        {
            "session": due.session_id,
            "model": model,
            "project": due.project_id,
            "agent": sessions[0].agent_id,
            "numbers": list(kept),
            "data": [data for data, _ in kept.values()],
            "scales": [scale for _, scale in kept.values()],
        },
    )


@transaction.atomic
def _begun_again(due: Due, model: str) -> Due:
    """Begin with another model, which has none of its vectors."""
    asked = {"session": due.session_id, "model": model, "before": due.model}
    if sql.rows(_BEGIN_AGAIN, asked) and due.model:
        sql.rows(_FORGET, [due.session_id])
    return Due(
        session_id=due.session_id,
        project_id=due.project_id,
        model=model,
        number=-1,
        noticed=due.noticed,
    )


def _changes(row: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.parse_written(row.changes.encode())
    return found
