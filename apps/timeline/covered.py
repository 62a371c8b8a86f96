"""The rows beside a history that records cover.

Labels, notes, reviews, scores, summaries, and what a session is about.

A session begins without a record, which would make all of a project's sessions wait
for each other: its title, metadata, owner and lifetime are covered from their first
change on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from apps.audit.covered import Covered
from apps.core import sql

_GONE = sql.of_session("""
SELECT 1 FROM timeline_tombstone d
 WHERE d.session_id = %(session)s
   AND (d.kind = 'removed'
        OR d.kind = 'pruned'
       AND %(number)s::bigint BETWEEN d.first_number AND d.last_number) LIMIT 1
""")
_TOLD_GONE = sql.of_session("""
SELECT 1 FROM timeline_tombstone d
 WHERE d.session_id = %(session)s
   AND (d.kind = 'removed'
        OR d.turns > 0
       AND (%(last)s::bigint BETWEEN d.first_turn AND d.last_turn
            OR d.kind = 'pruned'
           AND %(first)s::bigint BETWEEN d.first_turn AND d.last_turn)) LIMIT 1
""")
_BY = ("actor_kind", "actor_id", "actor_label", "created_at")


def _label_named(key: str) -> str:
    session_id, number, name = [*key.split(" ", 2), "", ""][:3]
    return f"label {name!r} on v{number} of {session_id}"


def _note_named(key: str) -> str:
    session_id, _, note_id = key.partition(" ")
    return f"note {note_id} in {session_id}"


def _review_named(key: str) -> str:
    session_id, _, ordinal = key.partition(" ")
    return f"review {ordinal} of {session_id}"


def _summary_named(key: str) -> str:
    session_id, _, summary_id = key.partition(" ")
    return f"summary {summary_id} of {session_id}"


def _score_named(key: str) -> str:
    session_id, ordinal, name = [*key.split(" ", 2), "", ""][:3]
    return f"score {ordinal} of {name!r} of {session_id}"


def _went(key: str, details: Mapping[str, Any]) -> bool:
    """Say whether a tombstone stands for the session, or for the version it was on."""
    number = details.get("version")
    asked = {
        "session": key.partition(" ")[0],
        "number": number if isinstance(number, int) else None,
    }
    return bool(sql.rows(_GONE, asked))


def _summary_went(key: str, details: Mapping[str, Any]) -> bool:
    """Say whether a tombstone stands for the session, or for turns that were told."""
    asked = {
        "session": key.partition(" ")[0],
        "first": details.get("first_turn"),
        "last": details.get("last_turn"),
    }
    return bool(sql.rows(_TOLD_GONE, asked))


LABEL = Covered(
    kind="label",
    columns=_BY,
    key=lambda label: f"{label.session_id} {label.number} {label.name}",
    named=_label_named,
    of_session=True,
    went=_went,
    present="""
    SELECT l.session_id || ' ' || l.number || ' ' || l.name AS key,
           l.created_at AS made_at, l.actor_kind, l.actor_id, l.actor_label,
           l.created_at
      FROM timeline_label l JOIN timeline_session s ON s.id = l.session_id
     WHERE s.project_id = %(project)s
       AND (%(session)s::text IS NULL OR l.session_id = %(session)s)
    """,
)
NOTE = Covered(
    kind="note",
    columns=("number", "text", *_BY),
    key=lambda note: f"{note.session_id} {note.id}",
    named=_note_named,
    of_session=True,
    went=_went,
    present="""
    SELECT n.session_id || ' ' || n.id AS key, n.created_at AS made_at, n.number,
           n.text, n.actor_kind, n.actor_id, n.actor_label, n.created_at
      FROM timeline_note n JOIN timeline_session s ON s.id = n.session_id
     WHERE s.project_id = %(project)s
       AND (%(session)s::text IS NULL OR n.session_id = %(session)s)
    """,
)
REVIEW = Covered(
    kind="review",
    columns=("outcome", "why", *_BY),
    key=lambda review: f"{review.session_id} {review.ordinal}",
    named=_review_named,
    of_session=True,
    went=_went,
    present="""
    SELECT r.session_id || ' ' || r.ordinal AS key, r.created_at AS made_at, r.outcome,
           r.why, r.actor_kind, r.actor_id, r.actor_label, r.created_at
      FROM timeline_review r JOIN timeline_session s ON s.id = r.session_id
     WHERE s.project_id = %(project)s
       AND (%(session)s::text IS NULL OR r.session_id = %(session)s)
    """,
)
SCORE = Covered(
    kind="score",
    columns=("value", *_BY),
    key=lambda score: f"{score.session_id} {score.ordinal} {score.name}",
    named=_score_named,
    of_session=True,
    went=_went,
    present="""
    SELECT c.session_id || ' ' || c.ordinal || ' ' || c.name AS key,
           c.created_at AS made_at, c.value, c.actor_kind, c.actor_id, c.actor_label,
           c.created_at
      FROM timeline_score c JOIN timeline_session s ON s.id = c.session_id
     WHERE s.project_id = %(project)s
       AND (%(session)s::text IS NULL OR c.session_id = %(session)s)
    """,
)
SUMMARY = Covered(
    kind="summary",
    columns=("ordinal", "first_turn", "last_turn", "head_number", "text", *_BY),
    key=lambda summary: f"{summary.session_id} {summary.id}",
    named=_summary_named,
    of_session=True,
    went=_summary_went,
    present="""
    SELECT m.session_id || ' ' || m.id AS key, m.created_at AS made_at, m.ordinal,
           m.first_turn, m.last_turn, m.head_number, m.text, m.actor_kind, m.actor_id,
           m.actor_label, m.created_at
      FROM timeline_summary m JOIN timeline_session s ON s.id = m.session_id
     WHERE s.project_id = %(project)s
       AND (%(session)s::text IS NULL OR m.session_id = %(session)s)
    """,
)
SESSION = Covered(
    kind="session",
    columns=(
        "title",
        "metadata",
        "user_id",
        "agent_id",
        "external_id",
        "ttl_seconds",
        "expires_at",
    ),
    key=lambda session: str(session.id),
    named=lambda key: f"session {key}",
    of_session=True,
    went=_went,
    recorded_later=True,
    present="""
    SELECT s.id AS key, s.created_at AS made_at, s.title, s.metadata, s.user_id,
           s.agent_id, s.external_id, s.ttl_seconds, s.expires_at
      FROM timeline_session s
     WHERE s.project_id = %(project)s
       AND (%(session)s::text IS NULL OR s.id = %(session)s)
    """,
)
