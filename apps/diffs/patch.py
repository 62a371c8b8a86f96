"""Carrying changes over: a comparison applied to a state, and RFC 6902 patches.

`apply` rebuilds *after* from *before* and the changes alone; `to_patch` writes the
operations that any JSON Patch library understands, also of a comparison that ran out
of its budget: coarse changes are replacements, and still true.
"""

import copy
from collections.abc import Callable, Iterable, Iterator

from apps.diffs import pointers
from apps.diffs.changes import Change, Comparison, Json, Kind

_INSERTED = (Kind.ADDED, Kind.MOVED)


def apply(before: Json, comparison: Comparison) -> Json:
    """Give a copy of `before` with the changes made.

    1. Take out what is removed or moved, last and deepest first, so that the pointers
       into *before* hold. 2. Put in and set, in the order of *after*, so that every
       pointer into *after* holds when its turn comes.

    Raises: KeyError where a pointer does not fit the state.
    """
    root = {"": copy.deepcopy(before)}
    moved: dict[str, Json] = {}
    for change in sorted(comparison, key=_source_order, reverse=True):
        if change.kind is Kind.REMOVED:
            _take(root[""], change.pointer)
        elif change.from_pointer is not None:
            moved[change.pointer] = _take(root[""], change.from_pointer)
    for change in sorted(comparison, key=_target_order):
        if change.kind is Kind.MOVED:
            _put(root, change, moved[change.pointer])
        elif change.kind is not Kind.REMOVED:
            _put(root, change, copy.deepcopy(change.after))
    return root[""]


def to_patch(comparison: Comparison) -> list[dict[str, Json]]:
    """Write the changes as RFC 6902 operations, which turn *before* into *after*.

    A moved item is taken out and put in as it became, so that nothing has to be said
    of what changed inside it. No value is written twice: the values together are no
    larger than *after*. The values are those of the comparison, not to be changed.
    """
    taken = _outside_moved(sorted(comparison, key=_source_order), _source)
    given = _outside_moved(sorted(comparison, key=_target_order), _target)
    removals = [
        {"op": "remove", "path": _source(change)}
        for change in taken
        if change.kind in (Kind.REMOVED, Kind.MOVED)
    ]
    return removals[::-1] + [
        {
            "op": "add" if change.kind in _INSERTED else "replace",
            "path": change.pointer,
            "value": change.after,
        }
        for change in given
        if change.kind is not Kind.REMOVED
    ]


def _outside_moved(
    changes: Iterable[Change], where: Callable[[Change], str]
) -> Iterator[Change]:
    """Leave out what lies inside a moved item: in order, that follows the item."""
    inside: str | None = None
    for change in changes:
        if inside is not None and where(change).startswith(inside):
            continue
        if change.kind is Kind.MOVED:
            inside = where(change) + "/"
        yield change


def _take(state: Json, pointer: str) -> Json:
    *way, last = pointers.split(pointer)
    container = pointers.resolve(state, pointers.join(way))
    pointers.step(container, last)  # a KeyError names what does not fit
    return container.pop(int(last) if isinstance(container, list) else last)


def _put(root: dict[str, Json], change: Change, value: Json) -> None:
    if not change.pointer:
        root[""] = value
        return
    *way, last = pointers.split(change.pointer)
    container = pointers.resolve(root[""], pointers.join(way))
    if isinstance(container, dict):
        container[last] = value
    elif change.kind in _INSERTED:
        container.insert(pointers.index(last), value)
    else:
        container[pointers.index(last)] = value


def _source(change: Change) -> str:
    return change.from_pointer or change.pointer


def _target(change: Change) -> str:
    return change.pointer


def _source_order(change: Change) -> list[tuple[int, str]]:
    return _order(_source(change))


def _target_order(change: Change) -> list[tuple[int, str]]:
    return _order(_target(change))


def _order(pointer: str) -> list[tuple[int, str]]:
    """Sort parents before children and indexes by value (longer digits are more)."""
    return [(len(token), token) for token in pointers.split(pointer)]
