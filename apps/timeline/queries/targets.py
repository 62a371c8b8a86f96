"""Which version a rollback goes to: the one rule, for the act and for its preview."""

from __future__ import annotations

from datetime import datetime

from apps.agents.scope import Scope
from apps.timeline.errors import NothingToRollBack, TurnNotFound, VersionNotFound
from apps.timeline.models import Turn
from apps.timeline.versions import fetching, reading
from apps.timeline.versions.gone import refused_as_conflict
from apps.timeline.versions.reading import VersionRow


def target(scope: Scope, head: VersionRow, to: int, *, now: datetime) -> VersionRow:
    """Return the version to restore; a negative `to` counts back from the head.

    Raises: NothingToRollBack, VersionNotFound, both with the head's number;
    VersionPruned and ContentsErased as conflicts.
    """
    number = to if to >= 0 else head.number + to
    if number == head.number:
        raise NothingToRollBack(param="version", head=head.number)
    if not 0 <= number < head.number:
        raise VersionNotFound(
            f"This session has no version {to} to roll back to: "
            f"its head is {head.number}.",
            param="version",
            head=head.number,
        )
    with refused_as_conflict():
        found = fetching.version(scope, head.session_id, number, now=now)
        reading.require_contents(found)
    return found


def at_turn(scope: Scope, session_id: str, turn_id: str, *, now: datetime) -> int:
    """Return the version that was the head once a turn was recorded.

    It is the one that the turn made, or else the one that it found. What the agent
    stored after the turn, although because of it, is not part of that.

    Raises: SessionNotFound, TurnNotFound.
    """
    fetching.head(scope, session_id, now=now)
    turns = Turn.objects.of_session(session_id).filter(id=turn_id)
    number: int | None = turns.values_list("head_number", flat=True).first()
    if number is None:
        raise TurnNotFound
    return number
