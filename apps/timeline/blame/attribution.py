"""Decide from two states whether a version set a value that blame follows.

Pure: the states come from the caller. What the bodies say is what counts; the change
rows only say where to look.
"""

from __future__ import annotations

from dataclasses import dataclass

from apps.diffs import pointers
from apps.diffs.carry import earlier
from apps.diffs.changes import MISSING, Comparison, Json, Kind
from apps.diffs.compare import compare, kind_of_change
from apps.diffs.equality import same
from apps.diffs.paths import Item, locate
from apps.timeline.blame.tracked_path import TrackedPath

# What was truncated in the append is looked into here: a million children, 2 s.
BUDGET = 1_000_000


@dataclass(frozen=True, slots=True)
class Attribution:
    """What a version did to a value.

    `pointer` is where the value stands after it, for a removed one where it stood
    before. `was` is the pointer under which blame goes on in the version before; None
    where nothing can be followed further.
    """

    pointer: str
    was: str | None
    before: Json
    after: Json

    @property
    def is_setter(self) -> bool:
        if self.before is MISSING or self.after is MISSING:
            return self.before is not self.after
        return not same(self.before, self.after)

    @property
    def kind(self) -> Kind:
        if self.before is MISSING:
            return Kind.ADDED
        if self.after is MISSING:
            return Kind.REMOVED
        return kind_of_change(self.before, self.after)


def judge(
    tracked: TrackedPath, before: Json, after: Json, *, is_certain: bool = False
) -> Attribution:
    """Tell what happened to a tracked path between two states.

    `before` is MISSING where nothing was: every value of a new session is added.
    `is_certain` says that a row of this version names the path itself.
    """
    if before is MISSING:
        return _first(tracked, after)
    if tracked.is_absent and is_certain:
        return _removed(locate(before, tracked.path), tracked, before)
    pointer = place_of(tracked, after)
    if pointer is None:
        return Attribution("", None, MISSING, MISSING)
    was = back(compare(before, after, budget=BUDGET), pointer)
    then = value_at(before, was)
    if tracked.is_absent:
        return Attribution(was or "", was, then, MISSING)
    return Attribution(pointer, was, then, pointers.resolve(after, pointer))


def value_at(state: Json, pointer: str | None) -> Json:
    """Return the value, or MISSING."""
    if pointer is None:
        return MISSING
    try:
        return pointers.resolve(state, pointer)
    except KeyError:
        return MISSING


def back(comparison: Comparison, pointer: str) -> str | None:
    """Say where in *before* a pointer would lead, as far as it was there.

    None for what was not an item of its list yet: it has no earlier life.
    """
    tokens = pointers.split(pointer)
    for length in range(len(tokens), -1, -1):
        was = _earlier(comparison, pointers.join(tokens[:length]))
        if was is None:
            continue
        is_item = isinstance(pointers.resolve(comparison.before, was), list)
        if length < len(tokens) and is_item:
            return None
        return was + pointers.join(tokens[length:])
    return None


def _first(tracked: TrackedPath, after: Json) -> Attribution:
    if tracked.is_absent:
        return Attribution("", None, MISSING, MISSING)
    pointer = locate(after, tracked.path)
    return Attribution(pointer, None, MISSING, pointers.resolve(after, pointer))


def _removed(place: str, tracked: TrackedPath, before: Json) -> Attribution:
    was = place + pointers.join(list(tracked.rest))
    return Attribution(was, was, value_at(before, was), MISSING)


def place_of(tracked: TrackedPath, state: Json) -> str | None:
    """Give the pointer of a tracked path in this state, also of what is not there.

    None where a list item is not there: an absent item has no index.
    """
    for length in range(len(tracked.path), -1, -1):
        try:
            place = locate(state, tracked.path[:length])
        except KeyError:
            continue
        gone = tracked.path[length:]
        if any(isinstance(part, Item) for part in gone):
            return None
        return place + pointers.join([*map(str, gone), *tracked.rest])
    return None


def _earlier(comparison: Comparison, pointer: str) -> str | None:
    try:
        return earlier(comparison, pointer)
    except KeyError:  # a key that a list cannot have
        return None
