"""What was found: flips, ends, the first bad and the last good version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from apps.checks import Check, Outcome
from apps.timeline.bisect.history import History, Place
from apps.timeline.bisect.spacing import Seen
from apps.timeline.blame.setters import TurnFacts
from apps.timeline.removed import Tombstone
from apps.timeline.versions.reading import VersionRow


@dataclass(frozen=True, slots=True)
class Turned:
    """A candidate that turned the check, and the last one known to be otherwise.

    Between the two nothing is left to be looked into. `is_certain`: nothing there is
    gone either, so it was this version and no other.
    """

    index: int
    last: int
    was: Outcome
    outcome: Outcome
    is_certain: bool


@dataclass(frozen=True, slots=True)
class End:
    """A version and what is known of it; None: what it held is gone, or not known."""

    place: Place
    outcome: Outcome | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Flip:
    """A version that turned the check: to what, who wrote it, in which turn.

    `after` is the newest version before it that is known to be otherwise: the one right
    before it, unless it is not certain which version turned the check.
    """

    version: VersionRow
    was: Outcome
    outcome: Outcome
    after: Place
    is_certain: bool
    set_aside_by: int | None
    turn: TurnFacts | None


@dataclass(frozen=True, slots=True)
class Gone:
    """Versions of a session that a removal took or emptied."""

    session_id: str
    tombstone: Tombstone


@dataclass(frozen=True, kw_only=True, slots=True)
class Bisection:
    """Where a check turned, and how far that is known.

    With `next` there is more to look into, or there are more flips to tell. `covered`
    are the versions between which everything was looked into; None where only some was.
    """

    check: Check
    history: History
    is_of_whole_state: bool
    first: End
    last: End
    flips: Sequence[Flip]
    n_flips: int
    first_bad: End | None
    last_good: End | None
    is_exact: bool
    covered: tuple[Place, Place] | None
    looked_into: int
    seen: Sequence[End]
    gone: Sequence[Gone]
    unreadable: Sequence[Place]
    next: Place | None


def turns(history: History, seen: Seen) -> list[Turned]:
    """Return which candidates turned the check, the oldest first.

    Only where all between two that differ was looked into: nothing is guessed.
    """
    found: list[Turned] = []
    last: int | None = None
    is_open = is_broken = False
    behind = -1
    for index in sorted(seen):
        is_open = is_open or index != behind + 1
        is_broken = is_broken or history.is_broken(index)
        behind, outcome = index, seen[index]
        if outcome is None:
            is_broken = True
            continue
        was = None if last is None else seen[last]
        if last is not None and was is not None and was != outcome and not is_open:
            found.append(Turned(index, last, was, outcome, not is_broken))
        last, is_open, is_broken = index, False, False
    return found


def first_bad(history: History, seen: Seen) -> End | None:
    """Return the oldest version that is known not to pass: undecided is no pass."""
    for index in sorted(seen):
        outcome = seen[index]
        if outcome is not None and outcome is not Outcome.HOLDS:
            return End(history.at(index), outcome)
    return None


def last_good(history: History, seen: Seen) -> End | None:
    """Return the newest version that is known to pass."""
    for index in sorted(seen, reverse=True):
        if seen[index] is Outcome.HOLDS:
            return End(history.known_until(index), Outcome.HOLDS)
    return None
