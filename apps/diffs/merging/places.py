"""Where a change of a comparison stands in *before*, also in lists that shifted."""

from __future__ import annotations

from bisect import bisect_right

from apps.diffs.changes import Alignment, Change, Comparison, Kind


class Places:
    """Pointers into *before* for the changes of one comparison."""

    def __init__(self, comparison: Comparison) -> None:
        self._aligned = {each.pointer: _Runs(each) for each in comparison.alignments}

    def of(self, change: Change) -> str:
        """Return where a change stands; for an added item, before which index."""
        if change.from_pointer is not None:
            return change.from_pointer
        if change.kind is Kind.REMOVED or not self._aligned:
            return change.pointer
        here, there = "", ""
        for token in change.pointer.split("/")[1:]:
            runs = self._aligned.get(here)
            found = token if runs is None else str(runs.earlier(int(token)))
            here, there = f"{here}/{token}", f"{there}/{found}"
        return there


class _Runs:
    def __init__(self, alignment: Alignment) -> None:
        self._runs = alignment.runs
        self._starts = [start for _, start, _ in alignment.runs]

    def earlier(self, index: int) -> int:
        """Return the index of an item in *before*, of a new one that it goes before."""
        at = bisect_right(self._starts, index) - 1
        if at < 0:
            return 0
        old, new, length = self._runs[at]
        return old + min(index - new, length)
