"""What memory keeps beside the documents of memories."""

from apps.timeline.hooks.keeping import SESSIONS, Leavings

SESSIONS["memory"] = (
    Leavings(what="context_reads", table="memory_contextread"),
    Leavings(what="forming_turns", table="memory_formingturn"),
    Leavings(
        what="memories", table="memory_memory", where="h.document_id = %(session)s"
    ),
)
