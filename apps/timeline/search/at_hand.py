"""States that can be read now: a store that is away hides some, and not the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from apps.blobs.errors import ObjectsUnavailable
from apps.core.errors import Busy, DomainError
from apps.timeline.bodies import ARCHIVED, CorruptBody
from apps.timeline.models import Body
from apps.timeline.versions import fetching
from apps.timeline.versions.reading import VersionRow

Version = tuple[str, int]


@dataclass(slots=True)
class AtHand:
    """What was read, and the sessions of which something is in the store."""

    states: dict[Version, bytes] = field(default_factory=dict)
    away: set[str] = field(default_factory=set)


def at_hand(rows: Sequence[VersionRow], *, is_away: bool) -> AtHand:
    """Return the states of versions, with the sessions that the store hides.

    `is_away`: the store did not answer before, and is not asked again.

    Raises: Busy, where all of it cannot be had now.
    """
    if not is_away:
        try:
            return AtHand(states=_states(rows))
        except ObjectsUnavailable:
            pass
    hidden = {row.session_id for row in rows if _is_archived(row)}
    left = [row for row in rows if row.session_id not in hidden]
    return AtHand(states=_states(left) if left else {}, away=hidden)


def _is_archived(row: VersionRow) -> bool:
    found = Body.objects.filter(session_id=row.session_id, number=row.body_number)
    return found.filter(codec__gt=ARCHIVED).exists()


def _states(rows: Sequence[VersionRow]) -> dict[Version, bytes]:
    try:
        return fetching.states(rows)
    except Busy:
        raise
    except (CorruptBody, DomainError):
        # `verify` tells of it; what cannot be read cannot be found.
        return {}
