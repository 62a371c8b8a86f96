"""What watching keeps of a session: mails that wait, and who watches it."""

from apps.timeline.hooks.keeping import SESSIONS, Leavings

SESSIONS["watching"] = (
    Leavings(what="messages", table="watching_notice"),
    Leavings(
        what="watches", table="watching_watch", where="h.subject_id = %(session)s"
    ),
)
