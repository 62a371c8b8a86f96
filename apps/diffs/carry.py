"""Where a value of one state stands in the other.

Follows a pointer through the alignments of a comparison. It says where, not whether the
value stayed the same; inside a coarse container nothing is aligned, and the same place
is given if there is one.
"""

from collections.abc import Callable, Mapping

from apps.diffs import pointers
from apps.diffs.changes import Comparison, Json

_Index = Callable[[int], int | None]


def earlier(comparison: Comparison, pointer: str) -> str | None:
    """Say where a value of *after* stood in *before*; None if it was not there."""
    indexes = {each.pointer: each.earlier_index for each in comparison.alignments}
    return _follow(pointer, indexes, comparison.before)


def later(comparison: Comparison, pointer: str) -> str | None:
    """Say where a value of *before* stands in *after*; None if it is not there."""
    indexes = {each.from_pointer: each.later_index for each in comparison.alignments}
    return _follow(pointer, indexes, comparison.after)


def _follow(pointer: str, indexes: Mapping[str, _Index], other: Json) -> str | None:
    here, there = "", ""
    for token in pointers.split(pointer):
        found: str | None = token
        if here in indexes:
            index = indexes[here](pointers.index(token))
            found = None if index is None else str(index)
        if found is None or not pointers.has(other, found):
            return None
        other = pointers.step(other, found)
        here = f"{here}/{pointers.escape(token)}"
        there = f"{there}/{pointers.escape(found)}"
    return there
