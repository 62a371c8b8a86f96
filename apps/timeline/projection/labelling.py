"""Keeps labels and summaries of a session searchable: by names, and by words.

Called by the operations on them, inside their transactions.
"""

from __future__ import annotations

from apps.accounts.models import Project
from apps.core import sql
from apps.timeline.ledger.facts.index import tag_key
from apps.timeline.ledger.facts.tags import SearchTag, beginnings
from apps.timeline.models import Summary
from apps.timeline.projection.texts import TextKind

_MARK = sql.of_session("""
SELECT timeline_set_terms_v1(
    %(session)s::varchar, array_agg(found.key ORDER BY found.key),
    array_agg(CASE WHEN found.is_given THEN found.key END ORDER BY found.key)) IS NULL
  FROM (SELECT m.key, EXISTS (
               SELECT FROM timeline_label l
                WHERE l.session_id = %(session)s::varchar
                  AND CASE WHEN m.is_whole THEN l.name = m.name
                           ELSE starts_with(l.name, m.name) END) AS is_given
          FROM unnest(%(keys)s::bytea[], %(names)s::text[], %(whole)s::boolean[])
            AS m (key, name, is_whole)) found
""")
_FORGET = sql.of_session("""
DELETE FROM timeline_text
 WHERE session_id = %(session)s::varchar AND kind = %(kind)s::int
   AND number = %(number)s::bigint
RETURNING 1
""")
_NOTE = sql.of_session("""
SELECT timeline_note_text_v2(
    %(project)s::text, %(session)s::varchar, %(kind)s::int, %(number)s::bigint, (
    SELECT string_agg(name, E'\\n' ORDER BY name) FROM timeline_label
     WHERE session_id = %(session)s::varchar
       AND number = %(number)s::bigint)) IS NULL
""")

_NOTE_TEXT = sql.of_session("""
SELECT timeline_note_text_v2(
    %(project)s::text, %(session)s::varchar, %(kind)s::int, %(number)s::bigint,
    %(text)s::text) IS NULL
""")


def note(project: Project, session_id: str, number: int, name: str) -> None:
    """Bring the search up to date with the labels of this name and this version."""
    begun = beginnings(name, SearchTag.LABEL)
    tags = [(SearchTag.LABEL, name), *((SearchTag.LABELLED, one) for one in begun)]
    sql.rows(
        _MARK,
        {
            "session": session_id,
            "keys": [tag_key(bytes(project.index_key), *one) for one in tags],
            "names": [one for _, one in tags],
            "whole": [tag is SearchTag.LABEL for tag, _ in tags],
        },
    )
    of_version = {
        "project": project.id,
        "session": session_id,
        "kind": TextKind.LABEL.value,
        "number": number,
    }
    sql.rows(
        _FORGET, {name: of_version[name] for name in ("session", "kind", "number")}
    )
    sql.rows(_NOTE, of_version)


def note_summary(project_id: str, summary: Summary) -> None:
    """Make a summary findable by its words."""
    sql.rows(
        _NOTE_TEXT,
        {
            "project": project_id,
            "session": summary.session_id,
            "kind": TextKind.SUMMARY.value,
            "number": summary.ordinal,
            "text": summary.text,
        },
    )
