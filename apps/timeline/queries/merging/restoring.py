"""Set places of a state to what another version has there, and nothing else.

A place in a list is a place in *that version's* list: the item is found again by its
identity key. Without such a key nobody can tell which item is meant by now.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias, cast

from apps.core.json import Json, State
from apps.diffs import lists, pointers
from apps.diffs.changes import MISSING
from apps.diffs.equality import same
from apps.diffs.merging import merge
from apps.timeline.bodies import bundles
from apps.timeline.errors import PointerRefused
from apps.timeline.queries.merging.combining import Combined
from apps.timeline.versions import reading
from apps.timeline.versions.reading import VersionRow

MOST_POINTERS = 1_000
LONGEST_SHOWN = 500


def require_pointers(given: Sequence[str]) -> None:
    """Refuse what cannot be restored together.

    Raises: PointerRefused, naming the place in the request.
    """
    if not given:
        raise PointerRefused("Say which places: one pointer or more.", param="pointers")
    if len(given) > MOST_POINTERS:
        message = f"At most {MOST_POINTERS:,} places are restored at once."
        raise PointerRefused(message, param="pointers")
    ways = []
    for at, pointer in enumerate(given):
        try:
            tokens = tuple(pointers.split(pointer))
        except ValueError:
            raise _refused("This is no JSON pointer.", at, pointer) from None
        if not tokens:
            message = "The whole state cannot be restored so: roll back."
            raise _refused(message, at, pointer)
        ways.append((tokens, at))
    ways.sort()
    for (one, _), (other, at) in pairwise(ways):
        if other[: len(one)] == one:
            raise _refused("This place is inside another one.", at, given[at])


def restored(head: VersionRow, version: VersionRow, given: Sequence[str]) -> Combined:
    """Return the head's bundle with what that version has at these places.

    What stands nowhere there is removed here. All other parts stay as they are.

    Raises: PointerRefused, UnacceptableJson, PayloadTooLarge.
    """
    then, now = reading.parsed(version), reading.parsed(head)
    state: State = _placed(now, then, _tree(given))
    document = {"state": now}
    found = merge(document, document, {"state": state})
    carried = reading.parts(head)
    return Combined(
        state=state,
        parts=bundles.assembled(state, before=now, carried=carried),
        changes=found.changes,
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """One of the places to restore, as it was given."""

    at: int
    pointer: str

    def refused(self, why: str) -> PointerRefused:
        return _refused(why, self.at, self.pointer)


# What is restored below a value, by token: each container is copied once.
_Tree: TypeAlias = "dict[str, _Tree | _Place]"


def _tree(given: Sequence[str]) -> _Tree:
    tree: _Tree = {}
    for at, pointer in enumerate(given):
        *way, last = pointers.split(pointer)
        below = tree
        for token in way:
            # No place is inside another one: what is on the way is no place.
            below = cast(_Tree, below.setdefault(token, {}))
        below[last] = _Place(at, pointer)
    return tree


def _placed(here: Json, then: Json, tree: _Tree | _Place) -> Json:
    """Return `here` with what `then` has at these places; either may be missing."""
    if isinstance(tree, _Place):
        if here is MISSING and then is MISSING:
            raise tree.refused("There is nothing at this place, then or now.")
        return then
    if isinstance(then, list):
        return _placed_items(here, then, tree)
    if not isinstance(here, dict) and here is not MISSING:
        message = "Something else stands on the way by now: restore a place above."
        raise _some(tree).refused(message)
    known = {} if here is MISSING else here
    result = dict(known)
    for token, below in tree.items():
        was = then.get(token, MISSING) if isinstance(then, dict) else MISSING
        value = _placed(known.get(token, MISSING), was, below)
        if value is MISSING:
            result.pop(token, None)
        else:
            result[token] = value
    return MISSING if here is MISSING and not result else result


def _placed_items(here: Json, then: list[Json], tree: _Tree) -> Json:
    """Return a list with items as they were, found again by their identity key."""
    place = _some(tree)
    if not isinstance(here, list):
        raise place.refused("This list is gone by now: restore it as a whole.")
    sides = [then, here] if here else [then]
    key = lists.shared_identity_key(*sides)
    if key is None:
        message = "Nothing tells the items of this list apart: restore it as a whole."
        raise place.refused(message)
    result = list(here)
    for token, below in sorted(tree.items(), key=lambda one: _index(then, *one)):
        index = _index(then, token, below)
        at = _find(result, then[index], key)
        if at is not None:
            result[at] = _placed(result[at], then[index], below)
        elif isinstance(below, _Place):
            result.insert(_gap(result, then[:index], key), then[index])
        else:
            message = "This item is gone by now: restore all of it."
            raise _some(below).refused(message)
    return result


def _index(items: list[Json], token: str, below: _Tree | _Place) -> int:
    """Raises: PointerRefused."""
    try:
        index = pointers.index(token)
    except KeyError:
        index = len(items)
    if index >= len(items):
        raise _some(below).refused("That version's list has no such item.")
    return index


def _find(items: list[Json], item: Json, key: str) -> int | None:
    name = item[key]
    found = (at for at, one in enumerate(items) if same(one[key], name))
    return next(found, None)


def _gap(items: list[Json], before: list[Json], key: str) -> int:
    """Return where an item goes: behind the nearest one that stood before it."""
    for one in reversed(before):
        at = _find(items, one, key)
        if at is not None:
            return at + 1
    return 0


def _some(tree: _Tree | _Place) -> _Place:
    """Return one of the places below, to name it."""
    while not isinstance(tree, _Place):
        tree = next(iter(tree.values()))
    return tree


def _refused(why: str, at: int, pointer: str) -> PointerRefused:
    return PointerRefused(
        why,
        param=pointers.join(["pointers", at]),
        pointer=pointer[:LONGEST_SHOWN],
    )
