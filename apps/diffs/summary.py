"""Changes in the words a support engineer uses: "destination set to NYC".

Reads changes, writes plain text. What is added to or removed from one list is counted
in one sentence, and a summary ends by saying how much it leaves out.
"""

from collections.abc import Iterable
from itertools import groupby

from apps.diffs import pointers
from apps.diffs.changes import Change, Comparison, Kind
from apps.diffs.text import count, shorten, show

_SHOWN = 3

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
    told = sentences(comparison)
    if len(told) > shown:
        n_more = len(told) - shown
        noun = "change" if n_more == 1 else "changes"
        told = [*told[:shown], f"{n_more:,} more {noun}"]
    return "; ".join(told)


def sentences(comparison: Comparison) -> list[str]:
    """Say what changed, one sentence for each change or for each run in one list."""
    now = {alignment.pointer for alignment in comparison.alignments}
    was = {alignment.from_pointer for alignment in comparison.alignments}

    def subject(change: Change) -> str:
        """Items of one list share a subject; any other change is its own."""
        place = pointers.parent(change.pointer)
        if change.kind in _COUNTED and change.pointer:
            lists = was if change.kind is Kind.REMOVED else now
            if place in lists:
                return f"{change.kind} {place}"
        return change.pointer

    told: list[str] = []
    for told_together, group in groupby(comparison, key=subject):
        changes = list(group)
        if told_together == changes[0].pointer:
            told += [sentence(change, comparison.coarse) for change in changes]
        else:
            told.append(_items(changes))
    return told


def sentence(change: Change, coarse: Iterable[str] = ()) -> str:
    """Say what one change did to its value."""
    name = name_of(change.pointer)
    if change.pointer in coarse:
        return f"{name} replaced (too different to show in detail)"
    if change.kind is Kind.REMOVED:
        return f"{name} removed (was {show(change.before)})"
    if change.kind is Kind.ADDED or change.before is None:
        return f"{name} set to {show(change.after)}"
    if change.after is None:
        return f"{name} lost (turned null)"
    return _replaced(name, change)


def name_of(pointer: str) -> str:
    """Name a value by the last steps of its way: "passengers.2.seat"."""
    tokens = pointers.split(pointer)
    if not tokens:
        return "the state"
    way = ".".join(shorten(token, 40) or '""' for token in tokens[-3:])
    return way if len(tokens) <= 3 else f"….{way}"


def _items(changes: list[Change]) -> str:
    first, *others = changes
    name = name_of(pointers.parent(first.pointer))
    value = first.before if first.kind is Kind.REMOVED else first.after
    if others or isinstance(value, dict | list):
        what = count(len(changes), "item")
    else:
        what = show(value)
    return f"{what} {_COUNTED[first.kind]} {name}"


def _replaced(name: str, change: Change) -> str:
    was, now = show(change.before), show(change.after)
    if change.kind is Kind.TYPE_CHANGED:
        was = f"{was} ({_TYPES[type(change.before)]})"
        now = f"{now} ({_TYPES[type(change.after)]})"
    elif was == now:
        return f"{name} changed ({was})"
    return f"{name} changed from {was} to {now}"
