"""What a merge finds on its way: conflicts, how they were chosen, and changes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping

from apps.diffs.changes import MISSING, Change, Json, Kind
from apps.diffs.compare import POINTER_BUDGET, compare, kind_of_change
from apps.diffs.equality import spelling
from apps.diffs.merging.places import Places
from apps.diffs.merging.words import (
    SINGLE,
    Choice,
    ChoiceRefused,
    Clash,
    Conflict,
    Merge,
    Pick,
    Side,
    SideChange,
    Three,
)


class Record:
    """The account of one merge; it alone reads the choices."""

    def __init__(self, choices: Mapping[str, Choice], budget: int) -> None:
        self._choices = choices
        self._conflicts: dict[str, Conflict] = {}
        self._changes: list[SideChange] = []
        self._coarse: list[str] = []
        self._faults: list[tuple[str, Conflict]] = []
        self._left = budget
        self._room = POINTER_BUDGET

    def pay(self, cost: int, pointer: str) -> bool:
        """Pay for children that differ, and for the pointer that each repeats."""
        repeated = cost * len(pointer)
        if cost > self._left or repeated > self._room:
            return False
        self._left -= cost
        self._room -= repeated
        return True

    def tell(self, side: Side, pointer: str, before: Json, after: Json) -> None:
        """Note what a side, or both, made of a value; either may be missing."""
        if before is MISSING:
            self.note(side, pointer, Kind.ADDED, before, after)
        elif after is MISSING:
            self.note(side, pointer, Kind.REMOVED, before, after)
        elif isinstance(before, dict | list) and type(before) is type(after):
            self._look_into(side, pointer, before, after)
        else:
            self.note(side, pointer, kind_of_change(before, after), before, after)

    def note(
        self, side: Side, pointer: str, kind: Kind, before: Json, after: Json
    ) -> None:
        """Note one change as it is."""
        self._changes.append(SideChange(side, pointer, kind, before, after))

    def _look_into(self, side: Side, pointer: str, before: Json, after: Json) -> None:
        comparison = compare(before, after, budget=self._left)
        found = comparison.changes
        within = sum(len(change.pointer) for change in found)
        if not self.pay(len(found), pointer) or within > self._room:
            self._coarse.append(pointer)
            self.note(side, pointer, Kind.CHANGED, before, after)
            return
        self._room -= within
        self._coarse += [f"{pointer}{inner}" for inner in comparison.coarse]
        places = Places(comparison)
        self._changes += [_of_side(side, pointer, places.of(c), c) for c in found]

    def clash(
        self,
        kind: Clash,
        pointer: str,
        three: Three,
        *,
        length: int | None = None,
        picks: tuple[Pick, ...] = SINGLE,
        fault_of: Callable[[Json], str | None] = lambda value: None,
    ) -> Json:
        """Note a conflict and return what was chosen; ours, while nothing is.

        `fault_of` says what is wrong with a value that was chosen.
        """
        place = f"{pointer}\n{length}"
        conflict = Conflict(
            _digest(kind, place, three), kind, pointer, *three, length, picks
        )
        self._conflicts[conflict.id] = conflict
        choice = self._choices.get(conflict.id)
        if choice is None:
            return three.ours
        fault = _fault(choice, conflict)
        if fault is None and choice.pick is Pick.VALUE:
            fault = fault_of(choice.value)
        if fault is not None:
            self._faults.append((fault, conflict))
            return three.ours
        match choice.pick:
            case Pick.VALUE:
                return choice.value
            case Pick.OURS_THEIRS:
                return [*three.ours, *three.theirs]
            case Pick.THEIRS_OURS:
                return [*three.theirs, *three.ours]
        return getattr(three, choice.pick.value)

    def clash_whole(self, kind: Clash, pointer: str, three: Three) -> Json:
        """Note a conflict about a container that was not looked into any further."""
        self._coarse.append(pointer)
        return self.clash(kind, pointer, three)

    def result(self, value: Json) -> Merge:
        """Close the account.

        Raises: ChoiceRefused for a choice that names no conflict, or does not fit.
        """
        conflicts = tuple(self._conflicts.values())
        for fault, conflict in self._faults:
            raise ChoiceRefused(fault, conflict.id, conflicts, conflict)
        for unknown in self._choices:
            if unknown not in self._conflicts:
                raise ChoiceRefused(
                    "There is no such conflict, or it is another one by now.",
                    unknown,
                    conflicts,
                )
        unchosen = tuple(one for one in conflicts if one.id not in self._choices)
        return Merge(
            MISSING if unchosen else value,
            conflicts,
            tuple(self._changes),
            unchosen,
            tuple(self._coarse),
        )


def _of_side(side: Side, pointer: str, place: str, change: Change) -> SideChange:
    return SideChange(side, pointer + place, change.kind, change.before, change.after)


def _fault(choice: Choice, conflict: Conflict) -> str | None:
    if choice.pick not in conflict.picks:
        fitting = ", ".join(conflict.picks)
        return f"`{choice.pick}` does not fit this conflict: choose one of {fitting}."
    if (choice.pick is Pick.VALUE) is (choice.value is MISSING):
        return "A value goes with the choice `value`, and with no other."
    is_stretch = conflict.length is not None
    if is_stretch and choice.pick is Pick.VALUE and not isinstance(choice.value, list):
        return "What takes the place of a stretch of a list is a list of items."
    return None


def _digest(kind: Clash, place: str, three: Three) -> str:
    found = hashlib.sha256()
    for part in (
        kind.encode(),
        place.encode("utf-8", "surrogatepass"),
        *_written(three),
    ):
        found.update(b"%d:" % len(part))
        found.update(part)
    return found.hexdigest()[:32]


def _written(values: Iterable[Json]) -> list[bytes]:
    # No JSON begins with a hyphen alone.
    return [b"-" if value is MISSING else spelling(value) for value in values]
