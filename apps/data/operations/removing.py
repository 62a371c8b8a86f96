"""Remove one key, or all that begin alike; what was under them stays in history."""

from __future__ import annotations

from dataclasses import dataclass

from apps.agents.acts import Act
from apps.audit.actions import Action
from apps.audit.streams import Operation
from apps.data.documents.keys import require_prefix
from apps.data.operations.recording import found_to_write, told
from apps.timeline import operations as timeline
from apps.timeline import queries
from apps.timeline.errors import KeyNotFound
from apps.timeline.operations import Document, Written


@dataclass(frozen=True, kw_only=True, slots=True)
class Removal:
    """What was removed: the version that did it, None where there was nothing."""

    event_id: str | None
    number: int | None
    count: int


def remove(*, act: Act, reference: str, key: str) -> Removal:
    """Remove one key.

    Raises: AgentNotFound, KeyNotFound, AgentSuspended, AgentDeleted, DocumentHeld,
    IdempotencyKeyReused.
    """
    _, document = found_to_write(act, reference)
    if not key:
        raise KeyNotFound(param="key")
    about = told(Operation.DATA_DELETE, key, event=Action.DATA_DELETED)
    written = timeline.remove_key(act=act, document=document, key=key, told=about)
    return _removal(document, written, 1)


def remove_prefix(*, act: Act, reference: str, prefix: str) -> Removal:
    """Remove all keys that begin so.

    Raises: InvalidRequest for an empty prefix, which would be all keys; InvalidKey;
    AgentNotFound, AgentSuspended, AgentDeleted, DocumentHeld, IdempotencyKeyReused.
    """
    _, document = found_to_write(act, reference)
    require_prefix(prefix)
    about = told(Operation.DATA_DELETE_PREFIX, prefix, event=Action.DATA_DELETED)
    written, count = timeline.remove_prefix(
        act=act, document=document, prefix=prefix, told=about
    )
    if written is None:
        return Removal(event_id=None, number=None, count=0)
    return _removal(document, written, count)


def _removal(document: Document, written: Written, count: int) -> Removal:
    if written.event_ids:
        (event_id,) = written.event_ids
    else:
        (row, *_) = queries.entries_of(document.id, written.number, written.number)
        event_id = row.trace_id
    return Removal(event_id=event_id, number=written.number, count=count)
