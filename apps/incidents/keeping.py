"""What incidents keep of a session, and of a person in what was searched or written.

A session that is removed is no longer among an incident's; that something was done to
it stays said, without which one it was.
"""

from apps.timeline.hooks.keeping import ERASED_PEOPLE, SESSIONS, Leavings, naming

# What stands for a title that named the person.
ERASED = "…"
SESSIONS["incidents"] = (
    Leavings(what="incident_members", table="incidents_member"),
    Leavings(
        what="incident_entries",
        table="incidents_entry",
        emptied="session_id = NULL",
    ),
)
ERASED_PEOPLE["incidents"] = (
    naming("incident_searches", "incidents_incident", "query", "query = NULL"),
    naming("incident_titles", "incidents_incident", "title", f"title = '{ERASED}'"),
    naming("incident_checks", "incidents_incident", "check_text", "check_text = NULL"),
    naming("incident_notes", "incidents_entry", "text", "text = NULL"),
)
