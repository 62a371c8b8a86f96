"""Which action each operation is in the events, and the chained record of a person's.

What a person does is chained right after the function that stored its event.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.audit.models import Event
from apps.timeline.words import Kind, Op

ACTIONS = {
    Op.CREATE: Action.SESSION_CREATED,
    Op.UPDATE: Action.VERSION_CREATED,
    Op.REPLACE: Action.VERSION_CREATED,
    Op.TURN: Action.VERSION_CREATED,
    Op.ROLLBACK: Action.SESSION_ROLLED_BACK,
    Op.PROMOTE: Action.SESSION_PROMOTED,
    Op.REVERT: Action.SESSION_REVERTED,
    Op.REAPPLY: Action.SESSION_REAPPLIED,
    Op.RESTORE: Action.SESSION_RESTORED,
    Op.MIGRATE: Action.SESSION_MIGRATED,
    Op.FORK: Action.SESSION_FORKED,
    Op.PAUSE: Action.SESSION_PAUSED,
    Op.RESUME: Action.SESSION_RESUMED,
    Op.WAIT: Action.APPROVAL_REQUESTED,
    Op.DECIDE: Action.APPROVAL_DECIDED,
    Op.CLOSE: Action.SESSION_CLOSED,
    Op.DELETE: Action.SESSION_DELETED,
}

# Of a shared document, so that what follows sessions follows none: by what is written.
ACTIONS_OF = {
    Kind.SESSION.value: ACTIONS,
    Kind.SHARED.value: {
        Op.CREATE: Action.SHARED_CREATED,
        Op.UPDATE: Action.SHARED_UPDATED,
        Op.REPLACE: Action.SHARED_UPDATED,
        Op.ROLLBACK: Action.SHARED_ROLLED_BACK,
    },
}

MAKING = sorted({one.value for by in ACTIONS_OF.values() for one in by.values()})


def chain(
    session_id: str, numbers: Iterable[int], kept: Mapping[str, Any] = audit.EMPTY
) -> None:
    """Chain the events of the versions that this very transaction made; call it last.

    They are the newest of the stream, so each is found at once, by its key. Of the
    events with a version's number one is that of the act that made it.
    """
    stream = Event.objects.for_stream(session_id).with_action(MAKING)
    made = stream.newest_first()
    for number in numbers:
        audit.append_record(event=made.filter(number=number)[0], kept=kept)


def chain_turn(session_id: str) -> None:
    """Chain the event of the turn that this very transaction added without a version.

    Call it last.
    """
    stream = Event.objects.for_stream(session_id).with_action([Action.TURN_ADDED])
    audit.append_record(event=stream.newest_first()[0])
