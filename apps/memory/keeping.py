"""What memory keeps beside the documents of memories."""

from __future__ import annotations

from apps.memory.models import Memory, MemoryScope
from apps.timeline.hooks.keeping import OWNERS, SESSIONS, Leavings


def _owner(document_id: str) -> tuple[str | None, str | None] | None:
    """Return the session or the person whose memories these are."""
    rows = Memory.objects.of([document_id]).values_list("scope", "owner")
    found = rows.first()
    if found is None:
        return None
    scope, owner = found
    return (
        owner if scope == MemoryScope.SESSION else None,
        owner if scope == MemoryScope.USER else None,
    )


OWNERS["memory"] = _owner

SESSIONS["memory"] = (
    Leavings(what="context_reads", table="memory_contextread"),
    Leavings(what="forming_turns", table="memory_formingturn"),
    Leavings(
        what="memories", table="memory_memory", where="h.document_id = %(session)s"
    ),
)
