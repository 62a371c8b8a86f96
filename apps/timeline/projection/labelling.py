"""Keeps the labels of a session searchable: by their names, and by their words.

Called by the operations on labels, inside their transactions.
"""

from __future__ import annotations

from apps.accounts.models import Project
from apps.core import sql
from apps.timeline.ledger.facts.index import SearchTag, tag_key
from apps.timeline.projection.texts import TextKind

_MARK = sql.of_session("""
SELECT timeline_set_terms_v1(
    %(session)s::varchar, ARRAY[%(key)s::bytea], ARRAY[(
    SELECT CASE WHEN count(*) > 0 THEN %(key)s::bytea END FROM timeline_label
     WHERE session_id = %(session)s::varchar AND name = %(name)s::text)]) IS NULL
""")
_FORGET = sql.of_session("""
DELETE FROM timeline_text
 WHERE session_id = %(session)s::varchar AND kind = %(kind)s::int
   AND number = %(number)s::bigint
RETURNING 1
""")
_NOTE = sql.of_session("""
SELECT timeline_note_text_v1(
    %(project)s::text, %(session)s::varchar, %(kind)s::int, %(number)s::bigint, (
    SELECT string_agg(name, E'\\n' ORDER BY name) FROM timeline_label
     WHERE session_id = %(session)s::varchar
       AND number = %(number)s::bigint)) IS NULL
""")


def note(project: Project, session_id: str, number: int, name: str) -> None:
    """Bring the search up to date with the labels of this name and this version."""
    sql.rows(
        _MARK,
        {
            "session": session_id,
            "key": tag_key(bytes(project.index_key), SearchTag.LABEL, name),
            "name": name,
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
