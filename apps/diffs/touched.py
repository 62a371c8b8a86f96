"""Which paths a version touched: the rows from which blame is answered.

Blame asks "which version last set P, as P stands in the head". It is built on rows, one
per canonical path and version, under this contract:

- A canonical path is a function of one state alone (`paths.canonical`): object keys,
  list indexes, and `Item(key, value)` where the list's items have an identity key.
- A scalar or an empty container that was set, by itself or as part of anything larger
  that was added or replaced, has a row of role `leaf` with its value. Every container
  above a change has a row of role `container`, up to the root, which is ().
- Rows stand under paths of *after*, except rows of kind `removed`, which stand under
  paths of *before* and never answer who set a value that is there.
- Where paths below a list do not carry over from *before* (unkeyed items shifted, or
  the list's identity key is another one), the list's row has role `shift`.
- A moved item that kept its identity has one row of kind `moved`, and what it holds
  counts as set when it was set.

So, from the newest row among those of P and the `shift` rows of the lists above P: a
row of P that is not `removed` is the answer; at a `shift`, decode both bodies, find
the pointer in *after* (`paths.locate`), ask `carry.earlier` where that stood, and go on
below this version with its canonical path, or stop here if it is None. A truncated
version is decided the same way from its bodies, with a larger budget.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from apps.diffs import pointers
from apps.diffs.carry import earlier, later
from apps.diffs.changes import MISSING, Alignment, Change, Comparison, Json, Kind
from apps.diffs.paths import Path, Paths

LIMIT = 256
# What stands below a very long key repeats it in every row.
POINTER_LIMIT = 1_000_000


class Role(StrEnum):
    """What a touched path is: see the contract above."""

    LEAF = "leaf"
    CONTAINER = "container"
    SHIFT = "shift"


@dataclass(frozen=True, slots=True)
class Touch:
    """One touched path; `value` is given for leaves that are there in *after*."""

    path: Path
    pointer: str
    role: Role
    kind: Kind
    value: Json = MISSING


@dataclass(frozen=True, slots=True)
class Touched:
    """At most `limit` rows, no path twice; truncated if any had to be left out.

    Rows are also left out once the pointers above them exceed `POINTER_LIMIT`.
    """

    rows: tuple[Touch, ...]
    truncated: bool


def touched(comparison: Comparison, limit: int = LIMIT) -> Touched:
    """List what was touched: first all changes and what contains them, then leaves.

    A coarse container has no rows below it, since not all of it was set: the list
    counts as truncated.
    """
    rows: dict[Path, Touch] = {}
    room = POINTER_LIMIT
    for row in _rows(comparison):
        known = rows.get(row.path)
        room -= len(row.pointer) if known is None else 0
        if known is None and (room < 0 or len(rows) >= limit):
            return Touched(tuple(rows.values()), truncated=True)
        if known is None or _rank(row) > _rank(known):
            rows[row.path] = row
    return Touched(tuple(rows.values()), comparison.truncated)


def _rank(row: Touch) -> int:
    """Of two rows for one path keep what is there now, then what says more."""
    if row.kind is Kind.REMOVED:
        return 0
    return {Role.CONTAINER: 1, Role.LEAF: 2, Role.SHIFT: 3}[row.role]


def _rows(comparison: Comparison) -> Iterator[Touch]:
    old, new = Paths(comparison.before), Paths(comparison.after)
    for alignment in comparison.alignments:
        if _is_shift(alignment, old, new):
            pointer = alignment.pointer
            yield Touch(new.find(pointer), pointer, Role.SHIFT, Kind.MOVED)
    coarse = set(comparison.coarse)
    for change in comparison:
        yield _row_of(change, old if change.kind is Kind.REMOVED else new)
        inside = _parent_in_after(comparison, change)
        yield from () if inside is None else _containers(new, inside)
    for change in comparison:
        if change.kind is Kind.MOVED or change.pointer in coarse:
            continue
        # Most values are scalars: there is nothing inside whose path would be sought.
        if change.after is not MISSING and not _is_leaf(change.after):
            yield from _inside(new, change.pointer, change.after, Kind.ADDED)
        if change.before is not MISSING and not _is_leaf(change.before):
            place = _place_in_before(comparison, change)
            yield from _inside(old, place, change.before, Kind.REMOVED)


def _row_of(change: Change, paths: Paths) -> Touch:
    is_removed = change.kind is Kind.REMOVED
    value = change.before if is_removed else change.after
    path = paths.find(change.pointer)
    if _is_leaf(value):
        kept = MISSING if is_removed else value
        return Touch(path, change.pointer, Role.LEAF, change.kind, kept)
    return Touch(path, change.pointer, Role.CONTAINER, change.kind)


def _parent_in_after(comparison: Comparison, change: Change) -> str | None:
    if not change.pointer:
        return None
    parent = pointers.parent(change.pointer)
    return later(comparison, parent) if change.kind is Kind.REMOVED else parent


def _place_in_before(comparison: Comparison, change: Change) -> str:
    if change.kind is Kind.REMOVED:
        return change.pointer
    return earlier(comparison, change.pointer) or ""


def _is_leaf(value: Json) -> bool:
    return not isinstance(value, dict | list) or not value


def _is_shift(alignment: Alignment, old: Paths, new: Paths) -> bool:
    was = pointers.resolve(old.state, alignment.from_pointer)
    now = pointers.resolve(new.state, alignment.pointer)
    if not was or not now:
        return False
    key = new.identity_key(now)
    if old.identity_key(was) != key:
        return True
    return key is None and alignment.is_shifted


def _containers(paths: Paths, pointer: str) -> Iterator[Touch]:
    for path, place in paths.down(pointer):
        yield Touch(path, place, Role.CONTAINER, Kind.CHANGED)


def _inside(paths: Paths, pointer: str, value: Json, kind: Kind) -> Iterator[Touch]:
    """Give rows for everything inside a value, shallow before deep."""
    level = [(paths.find(pointer), pointer, value)]
    while level:
        inner = (child for parent in level for child in paths.children(*parent))
        level = []
        for path, place, child in inner:
            if _is_leaf(child):
                kept = MISSING if kind is Kind.REMOVED else child
                yield Touch(path, place, Role.LEAF, kind, kept)
                continue
            yield Touch(path, place, Role.CONTAINER, kind)
            level.append((path, place, child))
