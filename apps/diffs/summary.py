"""Changes in the words a support engineer uses: "destination set to NYC".

Reads changes, writes plain text. What is added to or removed from one list is counted
in one sentence, and a summary ends by saying how much it leaves out.
"""

from collections.abc import Collection, Iterator
from itertools import groupby

from apps.diffs import pointers
from apps.diffs.changes import Change, Comparison, Json, Kind
from apps.diffs.excerpts import excerpts
from apps.diffs.text import LONGEST_TEXT, count, isolated, shorten, show, visible

_SHOWN = 3

# Whether the changes are told as a number of items, and the changes.
_Group = tuple[bool, list[Change]]

_COUNTED = {
    Kind.ADDED: "added to",
    Kind.REMOVED: "removed from",
    Kind.MOVED: "moved within",
}
_TYPES = {
    dict: "object",
    list: "list",
    str: "text",
    int: "whole number",
    float: "decimal number",
    bool: "yes or no",
}


def summary(comparison: Comparison, shown: int = _SHOWN) -> str:
    """Say in one line what a version changed."""
    if not comparison:
        return "nothing changed"
    groups = _groups(comparison)
    told = [_tell(group, comparison.coarse) for group in groups[:shown]]
    if len(groups) > shown:
        told.append(count(len(groups) - shown, "more change"))
    return "; ".join(told)


def sentences(comparison: Comparison, *, goes_on: bool = False) -> Iterator[str]:
    """Say what changed, one sentence for each change or for each run in one list.

    With `goes_on` these are not all changes: the last run may be longer.
    """
    groups = _groups(comparison)
    for number, group in enumerate(groups, 1):
        is_cut = goes_on and number == len(groups)
        yield _tell(group, comparison.coarse, is_cut=is_cut)


def sentence(change: Change, coarse: Collection[str] = ()) -> str:
    """Say what one change did to its value."""
    name = name_of(change.pointer)
    if change.pointer in coarse:
        return f"{name} replaced (too different to show in detail)"
    if change.kind is Kind.REMOVED:
        return f"{name} removed (was {_shown(change.before)})"
    if change.kind is Kind.ADDED or change.before is None:
        return f"{name} set to {_shown(change.after)}"
    if change.after is None:
        return f"{name} lost (turned null)"
    return _replaced(name, change)


def name_of(pointer: str) -> str:
    """Name a value by the last steps of its way: "passengers.2.seat"."""
    tokens = pointers.split(pointer)
    if not tokens:
        return "the state"
    way = ".".join(isolated(shorten(token, 40)) or '""' for token in tokens[-3:])
    return way if len(tokens) <= 3 else f"….{way}"


def _groups(comparison: Comparison) -> list[_Group]:
    """Put together what happened in the same way to items of the same list."""
    now = {alignment.pointer for alignment in comparison.alignments}
    was = {alignment.from_pointer for alignment in comparison.alignments}

    def subject(change: Change) -> tuple[bool, str, Kind]:
        place = pointers.parent(change.pointer)
        lists = was if change.kind is Kind.REMOVED else now
        if change.pointer and change.kind in _COUNTED and place in lists:
            return True, place, change.kind
        return False, change.pointer, change.kind

    return [
        (is_counted, list(changes))
        for (is_counted, *_), changes in groupby(comparison, key=subject)
    ]


def _tell(group: _Group, coarse: Collection[str], *, is_cut: bool = False) -> str:
    is_counted, changes = group
    return _items(changes, is_cut) if is_counted else sentence(changes[0], coarse)


def _items(changes: list[Change], is_cut: bool) -> str:
    first, *others = changes
    name = name_of(pointers.parent(first.pointer))
    value = first.before if first.kind is Kind.REMOVED else first.after
    if is_cut:
        what = f"{len(changes):,} or more items"
    elif others or isinstance(value, dict | list):
        what = count(len(changes), "item")
    else:
        what = _shown(value)
    return f"{what} {_COUNTED[first.kind]} {name}"


def _replaced(name: str, change: Change) -> str:
    if change.kind is Kind.TYPE_CHANGED:
        was = f"{_shown(change.before)} ({_TYPES[type(change.before)]})"
        now = f"{_shown(change.after)} ({_TYPES[type(change.after)]})"
        return f"{name} changed from {was} to {now}"
    was, now = _written(change.before), _written(change.after)
    if found := excerpts(was, now, LONGEST_TEXT):
        where = f"at character {change.differs_at or found.position:,} "
        was, now = visible(found.before), visible(found.after)
    else:
        where, was, now = "", show(change.before), show(change.after)
    if was == now:
        return f"{name} changed ({isolated(was)})"
    return f"{name} changed {where}from {isolated(was)} to {isolated(now)}"


def _written(value: Json) -> str:
    """Write a text or number whole; of anything else no excerpt is made."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if isinstance(value, str) else str(value) if is_number else ""


def _shown(value: Json) -> str:
    return isolated(show(value))
