"""The event rows that the SQL functions store beside a version or a turn.

What a person does is chained as well, right after the function that stored its event.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from apps.agents.acts import Act
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.audit.models import Event
from apps.core.ids import new_id
from apps.timeline.ledger.drafts import Draft
from apps.timeline.words import Op

ACTIONS = {
    Op.CREATE: Action.SESSION_CREATED,
    Op.UPDATE: Action.VERSION_CREATED,
    Op.REPLACE: Action.VERSION_CREATED,
    Op.TURN: Action.VERSION_CREATED,
    Op.ROLLBACK: Action.SESSION_ROLLED_BACK,
    Op.FORK: Action.SESSION_FORKED,
    Op.PAUSE: Action.SESSION_PAUSED,
    Op.RESUME: Action.SESSION_RESUMED,
    Op.CLOSE: Action.SESSION_CLOSED,
    Op.DELETE: Action.SESSION_DELETED,
}

MAKING = sorted({action.value for action in ACTIONS.values()})


@dataclass(frozen=True, kw_only=True, slots=True)
class Stamp:
    """The same for all rows of one write.

    `number` is the version that it makes or, a turn alone, finds.
    """

    act: Act
    session_id: str
    number: int

    def event_id(self, *, of_turn: bool = False) -> str:
        """Return an id by which events of one moment sort as they happened.

        By version; what made a version before the turn that came with it.
        """
        sequence = 2 * self.number + (2 if of_turn else 1)
        return new_id("trace", now=self.act.now, sequence=sequence)


@dataclass(frozen=True, kw_only=True, slots=True)
class NewEvent:
    """An event that is stored beside what it tells of; `details` are clean JSON."""

    id: str
    action: Action
    resource_type: str
    details: dict[str, Any]


def version_event(draft: Draft, event_id: str) -> NewEvent:
    """Return the event of a new version; the first one's is about the session."""
    is_first = draft.op in (Op.CREATE, Op.FORK)
    return NewEvent(
        id=event_id,
        action=ACTIONS[draft.op],
        resource_type="session" if is_first else "version",
        details=draft.details,
    )


def chain(session_id: str, numbers: Iterable[int]) -> None:
    """Chain the events of the versions that this very transaction made; call it last.

    They are the newest of the stream, so each is found at once, by its key. Of the
    events with a version's number one is that of the act that made it.
    """
    stream = Event.objects.for_stream(session_id).with_action(MAKING)
    made = stream.newest_first()
    for number in numbers:
        audit.append_record(event=made.filter(number=number)[0])
