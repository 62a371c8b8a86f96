"""Which sessions have versions to embed: those that are fed, and those from before.

Only of projects that search old states by meaning. What a project no longer wants is
removed, some of it at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from apps.audit.entries import Entry
from apps.core import sql

SESSION = "sess_"
# Noticed, or removed, by one sweep.
MOST = 1_000
_LAST_ID = "~"

_ON = "SELECT id FROM accounts_project WHERE search_by_meaning ORDER BY id"
_ON_OF = """
SELECT id FROM accounts_project
 WHERE id = ANY (%(projects)s::text[]) AND search_by_meaning
"""
_NOTE = """
INSERT INTO meaning_paststream AS s (
    session_id, project_id, model, number, noticed, due_at)
SELECT n.session, n.project, '', -1, 1, %(now)s::timestamptz
  FROM unnest(%(sessions)s::text[], %(projects)s::text[]) n (session, project)
 ORDER BY 1
    ON CONFLICT (session_id) DO UPDATE
   SET noticed = s.noticed + 1, due_at = coalesce(s.due_at, excluded.due_at)
RETURNING 1
"""
_BEGIN = """
INSERT INTO meaning_backfill AS b (project_id, model, before)
SELECT p.id, %(model)s, %(last)s FROM unnest(%(projects)s::text[]) p (id)
    ON CONFLICT (project_id) DO UPDATE
   SET model = excluded.model, before = excluded.before
 WHERE b.model <> excluded.model
RETURNING 1
"""
_LEFT = """
SELECT project_id, before FROM meaning_backfill
 WHERE before IS NOT NULL ORDER BY project_id LIMIT 1
"""
_BEFORE = sql.across("""
SELECT s.id FROM timeline_session s
 WHERE s.project_id = %(project)s AND s.kind = 'session' AND s.id < %(before)s
 ORDER BY s.id DESC LIMIT %(most)s
""")
_REACH = """
UPDATE meaning_backfill SET before = %(before)s
 WHERE project_id = %(project)s RETURNING 1
"""
_UNWANTED = """
SELECT b.project_id FROM meaning_backfill b
 WHERE b.project_id <> ALL (%(wanted)s::text[]) ORDER BY b.project_id LIMIT 1
"""
_STREAMS = """
SELECT session_id FROM meaning_paststream
 WHERE project_id = %(project)s ORDER BY session_id DESC LIMIT %(most)s
"""
_REMOVE_VECTORS = """
DELETE FROM meaning_pastvector WHERE session_id = ANY (%(sessions)s::text[])
"""
_REMOVE_STREAMS = """
DELETE FROM meaning_paststream WHERE session_id = ANY (%(sessions)s::text[]) RETURNING 1
"""
_REMOVE_BACKFILL = "DELETE FROM meaning_backfill WHERE project_id = %s RETURNING 1"


def note_fed(entries: Sequence[Entry], now: datetime) -> None:
    """Note the sessions that these events gave a version."""
    found = {
        one.stream_id: one.project_id
        for one in entries
        if one.number is not None and one.stream_id.startswith(SESSION)
    }
    if not found:
        return
    asked = {"projects": sql.text_array(sorted(set(found.values())))}
    wanted = {row.id for row in sql.rows(_ON_OF, asked)}
    _note({one: project for one, project in found.items() if project in wanted}, now)


def notice(model: str, *, now: datetime) -> None:
    """Note some sessions from before, and forget some that nobody wants any more."""
    wanted = sql.text_array(row.id for row in sql.rows(_ON, []))
    sql.rows(_BEGIN, {"projects": wanted, "model": model, "last": _LAST_ID})
    for row in sql.rows(_UNWANTED, {"wanted": wanted}):
        _forget(row.project_id)
    for row in sql.rows(_LEFT, []):
        _note_before(row.project_id, row.before, now)


@transaction.atomic
def _note_before(project_id: str, before: str, now: datetime) -> None:
    asked = {"project": project_id, "before": before, "most": MOST}
    found = [row.id for row in sql.rows(_BEFORE, asked)]
    _note(dict.fromkeys(found, project_id), now)
    rest = found[-1] if len(found) == MOST else None
    sql.rows(_REACH, {"project": project_id, "before": rest})


@transaction.atomic
def _forget(project_id: str) -> None:
    asked = {"project": project_id, "most": MOST}
    sessions = [row.session_id for row in sql.rows(_STREAMS, asked)]
    gone = {"sessions": sql.text_array(sessions)}
    sql.rows(f"{_REMOVE_VECTORS} RETURNING 1", gone)
    sql.rows(_REMOVE_STREAMS, gone)
    if len(sessions) < MOST:
        sql.rows(_REMOVE_BACKFILL, [project_id])


def _note(sessions: dict[str, str], now: datetime) -> None:
    if sessions:
        asked = {
            "sessions": sql.text_array(sessions),
            "projects": sql.text_array(sessions.values()),
            "now": now,
        }
        sql.rows(_NOTE, asked)
