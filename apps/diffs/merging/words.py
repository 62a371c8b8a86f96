"""The words of a merge: side, conflict, choice, and what one side changed.

Values only, as in `changes`. A side that has nothing is `MISSING`, never None.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from apps.diffs.changes import MISSING, Json, Kind


class Side(StrEnum):
    """Who changed something since the base."""

    OURS = "ours"
    THEIRS = "theirs"
    BOTH = "both"


class Clash(StrEnum):
    """How two sides contradict each other.

    `value`: both set it, differently. `removed`: one removed what the other changed.
    `inserted`: both put items in one place of a list. `order`: both arranged a list
    whose items have keys, or one did and the other put items where that leaves no
    place. `window`: both changed a stretch of a list in which items cannot be told
    apart. `moved`: one moved an item that the other moved elsewhere, removed or, in a
    list without keys, changed.
    """

    VALUE = "value"
    REMOVED = "removed"
    INSERTED = "inserted"
    ORDER = "order"
    WINDOW = "window"
    MOVED = "moved"


class Pick(StrEnum):
    """What is to become of a conflict."""

    OURS = "ours"
    THEIRS = "theirs"
    BASE = "base"
    VALUE = "value"
    OURS_THEIRS = "ours_theirs"
    THEIRS_OURS = "theirs_ours"


SINGLE = (Pick.OURS, Pick.THEIRS, Pick.BASE, Pick.VALUE)
JOINED = (*SINGLE, Pick.OURS_THEIRS, Pick.THEIRS_OURS)


class Three(NamedTuple):
    """One value as it was, and as each side has it."""

    base: Json
    ours: Json
    theirs: Json


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen for a conflict; `value` goes with the pick of that name."""

    pick: Pick
    value: Json = MISSING


@dataclass(frozen=True, slots=True)
class Conflict:
    """One contradiction; `pointer` is RFC 6901 into the base.

    With a `length` it is about a stretch of a list: so many items of the base from the
    pointer on, none where both sides inserted; the values are lists of items. Those of
    an `order` are the values of the items' identity key, in order. The id digests
    kind, place and all three values: another conflict has another one.
    """

    id: str
    kind: Clash
    pointer: str
    base: Json = field(repr=False)
    ours: Json = field(repr=False)
    theirs: Json = field(repr=False)
    length: int | None = None
    picks: tuple[Pick, ...] = SINGLE


@dataclass(frozen=True, slots=True)
class SideChange:
    """A change that is in the merged value; `pointer` is RFC 6901 into the base.

    What was added stands under the key, or the index in the base before which it goes.
    """

    side: Side
    pointer: str
    kind: Kind
    before: Json
    after: Json


@dataclass(frozen=True, slots=True)
class Merge:
    """What became of a merge; `value` is `MISSING` while a conflict is not chosen.

    It shares parts with what was merged, which are not to be changed. `coarse` names
    the containers that were too different for the budget.
    """

    value: Json = field(repr=False)
    conflicts: tuple[Conflict, ...]
    changes: tuple[SideChange, ...] = field(repr=False)
    unchosen: tuple[Conflict, ...] = ()
    coarse: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether no conflict is left without a choice."""
        return not self.unchosen

    def clashes(self) -> Counter[Clash]:
        """Count the conflicts by kind."""
        return Counter(conflict.kind for conflict in self.conflicts)

    def sides(self) -> Counter[Side]:
        """Count the changes by who made them."""
        return Counter(change.side for change in self.changes)


class ChoiceRefused(ValueError):
    """A choice names no conflict of this merge, or does not fit the one it names.

    Carries its id, the conflict if there is one, and all conflicts as they are.
    """

    def __init__(
        self,
        reason: str,
        conflict_id: str,
        conflicts: tuple[Conflict, ...],
        conflict: Conflict | None = None,
    ) -> None:
        super().__init__(reason)
        self.conflict_id = conflict_id
        self.conflict = conflict
        self.conflicts = conflicts
