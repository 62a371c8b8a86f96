"""Which version a rollback goes to: the one rule, for the act and for its preview."""

from __future__ import annotations

from datetime import datetime

from apps.agents.scope import Scope
from apps.timeline import reading
from apps.timeline.errors import NothingToRollBack, VersionNotFound
from apps.timeline.reading import VersionRow


def target(scope: Scope, head: VersionRow, to: int, *, now: datetime) -> VersionRow:
    """Return the version to restore; a negative `to` counts back from the head.

    Raises: NothingToRollBack, VersionNotFound, both with the head's number.
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
    return reading.version(scope, head.session_id, number, now=now)
