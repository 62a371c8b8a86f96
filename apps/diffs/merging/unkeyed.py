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
from apps.diffs.merging.sides import Arranged, Chunk, by_content, touching
from apps.diffs.merging.windows import Window, woven
from apps.diffs.merging.words import Clash, Side, Three

Stretch = tuple[int, int]


def merged_by_content(window: Window) -> Json:
    """Merge three lists by what equals what."""
    return _Unkeyed(window).merged()


class _Unkeyed:
    def __init__(self, window: Window) -> None:
        base, ours, theirs = window.inner
        self._window = window
        self._ours = by_content(base, ours)
        self._theirs = by_content(base, theirs)

    def merged(self) -> Json:
        window, ours, theirs = self._window, self._ours, self._theirs
        touched = ours.touched() | theirs.touched()
        chunks = (*ours.chunks, *theirs.chunks)
        n_new = sum(chunk.high - chunk.low for chunk in chunks)
        if not window.record.pay(len(touched) + n_new, window.pointer):
            return window.clash_unread()
        if self._is_moved_on():
            return window.clash(Clash.MOVED)
        parts: dict[int, tuple[int, list[Json]]] = {}
        inside: set[int] = set()
        for start, end in self._stretches():
            parts[start] = (end, self._stretch(start, end))
            inside.update(range(start, end))
        for i in sorted(touched - inside):
            value = window.item(i, ours, theirs)
            before = parts[i][1] if i in parts else []
            parts[i] = (i + 1, [*before, *([] if value is MISSING else [value])])
        for side, arranged in ((Side.OURS, ours), (Side.THEIRS, theirs)):
            self._put(side, arranged, parts)
        return window.filled(woven(ours, parts))

    def _is_moved_on(self) -> bool:
        """Say whether a side touched what the other may have moved, or near to it."""
        for side, other in ((self._ours, self._theirs), (self._theirs, self._ours)):
            if side.moved and not side.moved.isdisjoint(other.touched()):
                return True
        return any(
            (here.has_items and _has_moved(self._theirs, there))
            or (there.has_items and _has_moved(self._ours, here))
            for here, there in touching(self._ours, self._theirs)
        )

    def _stretches(self) -> list[Stretch]:
        """Find where both sides put things, or one did in place of what both touched."""
        found = [
            (min(here.start, there.start), max(here.end, there.end))
            for here, there in touching(self._ours, self._theirs)
            if here.has_items and there.has_items
        ]
        found += _replaced(self._ours, self._theirs)
        found += _replaced(self._theirs, self._ours)
        return _joined(found)

    def _stretch(self, start: int, end: int) -> list[Json]:
        window = self._window
        slices = []
        for side in (self._ours, self._theirs):
            low, high = side.bounds(start, end)
            slices.append(side.items[low:high])
        if start == end:
            return window.inserted(start, *slices)
        three = Three(window.inner.base[start:end], *slices)
        if same(three.ours, three.theirs):
            for i in range(start, end):
                window.remove(Side.BOTH, i)
            window.add(Side.BOTH, start, three.ours)
            return slices[0]
        items: list[Json] = window.record.clash(
            Clash.WINDOW, window.place(start), three, length=end - start
        )
        return items

    def _put(
        self, side: Side, arranged: Arranged, parts: dict[int, tuple[int, list[Json]]]
    ) -> None:
        """Put in what one side alone has there."""
        stretches = self._stretches()
        for chunk in arranged.chunks:
            if not chunk.has_items or _is_within(chunk, stretches):
                continue
            items = arranged.items[chunk.low : chunk.high]
            self._window.add(side, chunk.start, items)
            end, others = parts.get(chunk.start, (chunk.start, []))
            parts[chunk.start] = (end, [*items, *others])


def _has_moved(side: Arranged, chunk: Chunk) -> bool:
    return not side.moved.isdisjoint(range(chunk.start, chunk.end))


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


def _is_within(chunk: Chunk, stretches: list[Stretch]) -> bool:
    return any(start <= chunk.start and chunk.end <= end for start, end in stretches)
