"""What an act on memories is recorded as: never a text, always whose and which."""

from __future__ import annotations

from typing import Any

from apps.audit.actions import Action
from apps.audit.streams import MemoryOperation
from apps.memory.documents.contents import Content
from apps.memory.documents.owners import Owner
from apps.memory.models import MemoryScope
from apps.timeline.operations import Told

MEMORY = "memory"


def told(
    operation: MemoryOperation,
    content: Content,
    *,
    event: Action | None = None,
    **details: Any,
) -> Told:
    """Return what the record of an act on one memory says, and its event."""
    return Told(
        operation=operation,
        resource_type=MEMORY,
        resource_id=content.id,
        event=event,
        details=facts_of(content) | details,
    )


def told_of_owner(
    operation: MemoryOperation,
    owner: Owner,
    *,
    event: Action | None = None,
    **details: Any,
) -> Told:
    """Return what the record of an act on an owner's memories says."""
    return Told(
        operation=operation,
        resource_type=MEMORY,
        resource_id=owner.document.id,
        event=event,
        details={"scope": owner.scope.value, "owner": owner.name}
        | _session_of(owner)
        | details,
    )


def _session_of(owner: Owner) -> dict[str, Any]:
    """Return whose session's traces have it: of a session's own memories that one's."""
    is_sessions = owner.scope is MemoryScope.SESSION
    return {"session_id": owner.name} if is_sessions else {}


def facts_of(content: Content) -> dict[str, Any]:
    """Return what events say of a memory."""
    return {
        "memory_id": content.id,
        "scope": content.scope,
        "owner": content.owner,
        "session_id": content.source.session_id,
        "type": content.type,
        "tags": list(content.tags),
        "status": content.status,
        "embedded": content.embeds,
    }
