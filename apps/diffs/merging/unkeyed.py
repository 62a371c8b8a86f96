"""Merging lists whose items nothing tells apart, by the items that both sides kept.

An item that only one side changed, in its place, is merged like a value. Where both
sides touched a stretch of which it is not certain what became of which item, it is one
conflict; and where an item that one side may have moved was touched by the other, the
list is.
"""

from __future__ import annotations

from collections.abc import Iterator

from apps.diffs.changes import MISSING, Json
from apps.diffs.equality import same
from apps.diffs.merging.sides import Arranged, by_content, touching
from apps.diffs.merging.windows import Asking, Window, woven
from apps.diffs.merging.words import Clash, Side, Three

Stretch = tuple[int, int]


def merged_by_content(window: Window) -> Asking:
    """Merge three lists by what equals what."""
    return _Unkeyed(window).merged()


class _Unkeyed:
    def __init__(self, window: Window) -> None:
        base, ours, theirs = window.inner
        self._window = window
        self._ours = by_content(base, ours)
        self._theirs = by_content(base, theirs)
        self._touched = self._ours.touched() | self._theirs.touched()
        self._stretches = _stretches(self._ours, self._theirs)

    def merged(self) -> Asking:
        window = self._window
        chunks = (*self._ours.chunks, *self._theirs.chunks)
        n_new = sum(chunk.high - chunk.low for chunk in chunks)
        if not window.record.pay(len(self._touched) + n_new, window.pointer):
            return window.clash_unread()
        if self._is_moved_on():
            return window.clash(Clash.MOVED)
        parts = yield from self._parts()
        return window.filled(woven(self._ours, parts))

    def _parts(self) -> Asking:
        """Find what stands in the place of each stretch that anyone touched."""
        stretches = dict(self._stretches)
        inside = {i for start in stretches for i in range(start, stretches[start])}
        runs = self._runs(inside.union(stretches, stretches.values()))
        single = self._touched - inside
        parts: dict[int, tuple[int, list[Json]]] = {}
        for start in sorted({*stretches, *runs, *single}):
            end, items = start, runs.get(start, [])
            if start in stretches:
                end = stretches[start]
                items = self._stretch(start, end)
            if start in single:
                end = start + 1
                value = yield from self._window.item(start, self._ours, self._theirs)
                items = items if value is MISSING else [*items, value]
            parts[start] = (end, items)
        return parts

    def _runs(self, taken: set[int]) -> dict[int, list[Json]]:
        """Tell and return what one side alone put before an item."""
        runs: dict[int, list[Json]] = {}
        for side, arranged in ((Side.OURS, self._ours), (Side.THEIRS, self._theirs)):
            for chunk in arranged.chunks:
                if chunk.has_items and chunk.start not in taken:
                    items = arranged.items[chunk.low : chunk.high]
                    self._window.add(side, chunk.start, items)
                    runs[chunk.start] = items
        return runs

    def _is_moved_on(self) -> bool:
        """Say whether what a side may have moved is in dispute, or its surroundings."""
        inside = {i for stretch in self._stretches for i in range(*stretch)}
        bounds = {place for stretch in self._stretches for place in stretch}
        for side, other in ((self._ours, self._theirs), (self._theirs, self._ours)):
            near = inside.union(other.touched(), _surroundings(other))
            if not side.moved.isdisjoint(near):
                return True
            if any(
                not side.arrived.isdisjoint(range(chunk.low, chunk.high))
                for chunk in side.chunks
                if chunk.start in bounds or chunk.start in inside
            ):
                return True
        return False

    def _stretch(self, start: int, end: int) -> list[Json]:
        window = self._window
        here = self._ours.between(start, end)
        there = self._theirs.between(start, end)
        if start == end:
            return window.inserted(start, here, there)
        if same(here, there):
            for i in range(start, end):
                window.remove(Side.BOTH, i)
            window.add(Side.BOTH, start, here)
            return here
        three = Three(window.inner.base[start:end], here, there)
        items: list[Json] = window.record.clash(
            Clash.WINDOW, window.place(start), three, length=end - start
        )
        return items


def _stretches(ours: Arranged, theirs: Arranged) -> list[Stretch]:
    """Find where both put things, or one did in place of what the other touched."""
    found = [
        (min(here.start, there.start), max(here.end, there.end))
        for here, there in touching(ours, theirs)
        if here.has_items and there.has_items
    ]
    found += _replaced(ours, theirs)
    found += _replaced(theirs, ours)
    return _joined(found)


def _surroundings(side: Arranged) -> Iterator[int]:
    """Give the items between which a side put things."""
    for chunk in side.chunks:
        if chunk.has_items:
            yield from (chunk.start - 1, chunk.end)


def _replaced(side: Arranged, other: Arranged) -> Iterator[Stretch]:
    """Find stretches for which a side has other items, and that the other touched."""
    touched = other.touched()
    for chunk in side.chunks:
        if chunk.has_items and not touched.isdisjoint(range(chunk.start, chunk.end)):
            yield chunk.start, chunk.end


def _joined(stretches: list[Stretch]) -> list[Stretch]:
    """Join what overlaps or meets."""
    found: list[Stretch] = []
    for start, end in sorted(stretches):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found
