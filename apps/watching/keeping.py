"""What watching keeps of a session, and of a person in what shifts tell each other."""

from apps.timeline.hooks.keeping import ERASED_PEOPLE, SESSIONS, Leavings, naming

SESSIONS["watching"] = (
    Leavings(what="messages", table="watching_notice"),
    Leavings(
        what="watches", table="watching_watch", where="h.subject_id = %(session)s"
    ),
)
ERASED_PEOPLE["watching"] = (
    naming("handovers", "watching_handover", "text", "text = '…'"),
)
