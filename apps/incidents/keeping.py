"""What incidents keep of a session, and of a person in what was searched or written.

A session that is removed is no longer among an incident's; that something was done to
it stays said, without which one it was.
"""

from apps.timeline.hooks.keeping import ERASED_PEOPLE, SESSIONS, Leavings

ERASED = "(erased)"
_OF_PERSON = "h.project_id = %(project)s AND %(user)s <> ''"

SESSIONS["incidents"] = (
    Leavings(what="incident_members", table="incidents_member"),
    Leavings(
        what="incident_entries",
        table="incidents_entry",
        emptied="session_id = NULL",
    ),
)
ERASED_PEOPLE["incidents"] = (
    Leavings(
        what="incident_searches",
        table="incidents_incident",
        where=f"{_OF_PERSON} AND position(%(user)s in h.query) > 0",
        emptied="query = NULL",
    ),
    Leavings(
        what="incident_titles",
        table="incidents_incident",
        where=f"{_OF_PERSON} AND position(%(user)s in h.title) > 0",
        emptied=f"title = '{ERASED}'",
    ),
    Leavings(
        what="incident_checks",
        table="incidents_incident",
        where=f"{_OF_PERSON} AND position(%(user)s in h.check_text) > 0",
        emptied="check_text = NULL",
    ),
    Leavings(
        what="incident_notes",
        table="incidents_entry",
        where=f"{_OF_PERSON} AND position(%(user)s in h.text) > 0",
        emptied="text = NULL",
    ),
)
