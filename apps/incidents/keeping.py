"""What incidents keep of a session, and of a person in what was searched or written.

A session that is removed is no longer among an incident's; that something was done to
it stays said, without which one it was.
"""

from apps.timeline.hooks.keeping import ERASED_PEOPLE, SESSIONS, Leavings

# What stands for a title that named the person.
ERASED = "…"
# Named by no part of a longer name, or a short name would empty whatever people wrote.
_QUOTED = r"regexp_replace(%(user)s, '([][(){}.*+?^$|\\-])', '\\\1', 'g')"


def _naming(what: str, table: str, column: str, emptied: str) -> Leavings:
    """Return the rows of the project in which a column names the person."""
    named = f"'(^|[^[:alnum:]])' || {_QUOTED} || '($|[^[:alnum:]])'"
    return Leavings(
        what=what,
        table=table,
        where="h.project_id = %(project)s AND %(user)s <> ''"
        f" AND position(%(user)s in h.{column}) > 0 AND h.{column} ~ ({named})",
        emptied=f"{column} = {emptied}",
    )


SESSIONS["incidents"] = (
    Leavings(what="incident_members", table="incidents_member"),
    Leavings(
        what="incident_entries",
        table="incidents_entry",
        emptied="session_id = NULL",
    ),
)
ERASED_PEOPLE["incidents"] = (
    _naming("incident_searches", "incidents_incident", "query", "NULL"),
    _naming("incident_titles", "incidents_incident", "title", f"'{ERASED}'"),
    _naming("incident_checks", "incidents_incident", "check_text", "NULL"),
    _naming("incident_notes", "incidents_entry", "text", "NULL"),
)
