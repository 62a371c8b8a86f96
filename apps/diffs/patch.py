"""Carrying changes over: a comparison applied to a state, and RFC 6902 patches.

`apply` rebuilds *after* from *before* and the changes alone; `to_patch` writes the
operations that any JSON Patch library understands.
"""

import copy

import jsonpatch

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


def to_patch(before: Json, after: Json) -> list[dict[str, Json]]:
    """Write the difference as RFC 6902 operations."""
    operations: list[dict[str, Json]] = jsonpatch.make_patch(before, after).patch
    return operations


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


def _source_order(change: Change) -> list[tuple[int, str]]:
    return _order(change.from_pointer or change.pointer)


def _target_order(change: Change) -> list[tuple[int, str]]:
    return _order(change.pointer)


def _order(pointer: str) -> list[tuple[int, str]]:
    """Sort parents before children and indexes by value (longer digits are more)."""
    return [(len(token), token) for token in pointers.split(pointer)]
