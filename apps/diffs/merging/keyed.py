"""Merging lists whose items have an identity key: contents by key, then the order.

What one side put in stands behind the item that it stands behind there. Where that
leaves no certain place, since the other side put something in or moved something right
there, the order of the whole list is a conflict; the items are merged all the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TypeAlias

from apps.diffs.changes import MISSING, Json
from apps.diffs.equality import same, spelling
from apps.diffs.merging.sides import Arranged, Chunk, by_identity, touching
from apps.diffs.merging.windows import Asking, Window, alike, woven
from apps.diffs.merging.words import Clash, Side, Three

Identity: TypeAlias = str | int


def merged_by_key(window: Window, key: str) -> Asking:
    """Merge three lists whose items a key tells apart in each."""
    return _Keyed(window, key).merged()


class _Keyed:
    def __init__(self, window: Window, key: str) -> None:
        base, ours, theirs = window.inner
        self._window = window
        self._key = key
        self._ours = by_identity(base, ours, key)
        self._theirs = by_identity(base, theirs, key)
        known = {item[key] for item in base}
        self._new_ours = {i[key]: i for i in ours if i[key] not in known}
        self._new_theirs = {i[key]: i for i in theirs if i[key] not in known}

    def merged(self) -> Asking:
        window, ours, theirs = self._window, self._ours, self._theirs
        touched = ours.touched() | theirs.touched()
        n_new = len(self._new_ours) + len(self._new_theirs)
        if not window.record.pay(len(touched) + n_new, window.pointer):
            return window.clash_unread()
        shared = self._new_ours.keys() & self._new_theirs.keys()
        is_agreed = self._is_order_agreed()
        if not self._can_share(shared, is_agreed=is_agreed):
            return window.clash(Clash.WINDOW)
        contents = {}
        for i in sorted(touched):
            contents[i] = yield from window.item(i, ours, theirs)
        if not is_agreed:
            return self._chosen(contents, shared)
        for i in sorted(ours.moved | theirs.moved):
            if i in ours.partners and i in theirs.partners:
                window.move(i, ours, theirs)
        return window.filled(woven(ours, self._parts(contents)))

    def _can_share(self, shared: Collection[Identity], *, is_agreed: bool) -> bool:
        """Say whether there is one place for what both sides put in under one key."""
        if not shared:
            return True
        if not is_agreed and any(
            not same(self._new_ours[one], self._new_theirs[one]) for one in shared
        ):
            return False
        places = [
            {one: chunk.place for one, chunk in self._landings(side).items()}
            for side in (self._ours, self._theirs)
        ]
        return all(places[0][one] == places[1][one] for one in shared)

    def _landings(self, side: Arranged) -> dict[Identity, Chunk]:
        return {one: chunk for chunk in side.chunks for one in self._ids(side, chunk)}

    def _ids(self, side: Arranged, chunk: Chunk) -> list[Identity]:
        return [item[self._key] for item in side.items[chunk.low : chunk.high]]

    def _is_order_agreed(self) -> bool:
        ours, theirs = self._ours, self._theirs
        if twice := ours.moved & theirs.moved:
            here, there = self._landings(ours), self._landings(theirs)
            ids = [ours.base[i][self._key] for i in twice]
            if any(here[one].place != there[one].place for one in ids):
                return False
        return all(self._is_certain(*both) for both in touching(ours, theirs))

    def _is_certain(self, here: Chunk, there: Chunk) -> bool:
        """Say whether it is certain where things go at chunks that meet."""
        if not here.has_items or not there.has_items:
            return not (
                (here.has_items and _has_moved(self._theirs, there))
                or (there.has_items and _has_moved(self._ours, here))
            )
        if here.place != there.place:
            return False
        one, other = self._apart(here, there)
        fresh = self._new_ours.keys() | self._new_theirs.keys()
        return not (one and other) or fresh.issuperset([*one, *other])

    def _apart(
        self, here: Chunk, there: Chunk
    ) -> tuple[list[Identity], list[Identity]]:
        """Return what two chunks have, without what they share at both ends."""
        one, other = self._ids(self._ours, here), self._ids(self._theirs, there)
        start, end = alike(one, other, self._is_alike)
        return one[start : len(one) - end], other[start : len(other) - end]

    def _is_alike(self, one: Identity, other: Identity) -> bool:
        if one != other:
            return False
        fresh = self._new_ours.get(one, MISSING)
        return same(fresh, self._new_theirs.get(one, MISSING))

    def _parts(self, contents: Mapping[int, Json]) -> dict[int, tuple[int, list[Json]]]:
        """Return what stands in the place of each item that was touched."""
        moved = self._ours.moved | self._theirs.moved
        parts: dict[int, tuple[int, list[Json]]] = {}
        for i, value in contents.items():
            is_here = value is not MISSING and i not in moved
            parts[i] = (i + 1, [value] if is_here else [])
        merged = {self._ours.base[i][self._key]: contents[i] for i in moved}
        for start, run in self._runs(merged).items():
            end, items = parts.get(start, (start, []))
            parts[start] = (end, [*run, *items])
        return parts

    def _runs(self, moved: Mapping[Identity, Json]) -> dict[int, list[Json]]:
        """Return what goes before which item of the base."""
        runs: dict[int, list[Json]] = {}
        here = {chunk.place: chunk for chunk in self._ours.chunks if chunk.has_items}
        there = {chunk.place: chunk for chunk in self._theirs.chunks if chunk.has_items}
        for place in sorted(here.keys() | there.keys()):
            one = self._ids(self._ours, here[place]) if place in here else []
            other = self._ids(self._theirs, there[place]) if place in there else []
            runs[place[0]] = self._run(place[0], one, other, moved)
        return runs

    def _run(
        self,
        start: int,
        one: list[Identity],
        other: list[Identity],
        moved: Mapping[Identity, Json],
    ) -> list[Json]:
        """Put in what was new, and what was moved here, which is told by itself."""
        head, tail = alike(one, other, self._is_alike)
        here, there = one[head : len(one) - tail], other[head : len(other) - tail]
        if here and there:
            middle = self._window.clash_inserted(
                start,
                [self._new_ours[each] for each in here],
                [self._new_theirs[each] for each in there],
                can_join=set(here).isdisjoint(there),
            )
        else:
            side = Side.OURS if here else Side.THEIRS
            middle = self._put(side, start, here or there, moved)
        return [
            *self._put(Side.BOTH, start, one[:head], moved),
            *middle,
            *self._put(Side.BOTH, start, one[len(one) - tail :], moved),
        ]

    def _put(
        self,
        side: Side,
        start: int,
        ids: Iterable[Identity],
        moved: Mapping[Identity, Json],
    ) -> list[Json]:
        items = []
        for one in ids:
            if one in moved:
                items += [] if moved[one] is MISSING else [moved[one]]
                continue
            fresh = self._new_theirs if side is Side.THEIRS else self._new_ours
            self._window.add(side, start, [fresh[one]])
            items.append(fresh[one])
        return items

    def _chosen(
        self, contents: Mapping[int, Json], shared: Collection[Identity]
    ) -> Json:
        """Make the order a conflict, and arrange what there is as it was chosen."""
        key, window = self._key, self._window
        items = {item[key]: item for item in window.whole.ours}
        items |= self._new_theirs
        for i, value in contents.items():
            items[window.inner.base[i][key]] = value
        there = {one: item for one, item in items.items() if item is not MISSING}
        self._tell_all_new(shared)
        orders = Three(*([item[key] for item in each] for each in window.whole))
        known = set[Identity]().union(*orders)
        chosen = window.record.clash(
            Clash.ORDER,
            window.pointer,
            orders,
            fault_of=lambda value: _fault(value, known, there),
        )
        return [there[one] for one in _arranged(chosen, there, orders) if one in there]

    def _tell_all_new(self, shared: Collection[Identity]) -> None:
        for side, arranged in ((Side.OURS, self._ours), (Side.THEIRS, self._theirs)):
            fresh = self._new_ours if side is Side.OURS else self._new_theirs
            for one, chunk in self._landings(arranged).items():
                if one in shared and side is Side.OURS:
                    self._window.add(Side.BOTH, chunk.start, [fresh[one]])
                elif one in fresh and one not in shared:
                    self._window.add(side, chunk.start, [fresh[one]])


def _has_moved(side: Arranged, chunk: Chunk) -> bool:
    return not side.moved.isdisjoint(range(chunk.start, chunk.end))


def _fault(
    value: Json, known: set[Identity], needed: Mapping[Identity, Json]
) -> str | None:
    """Say why a value is no order of the items that there are."""
    if not isinstance(value, list) or not set(map(type, value)) <= {str, int}:
        return "An order is a list of the values of the items' key."
    if len(set(value)) < len(value) or not needed.keys() <= set(value) <= known:
        return "An order names each of the items once, and no others."
    return None


def _arranged(
    chosen: list[Identity], needed: Collection[Identity], orders: Three
) -> list[Identity]:
    """Add to an order what it lacks, each behind what it stands behind on its side."""
    placed = set(chosen)
    behind: dict[Identity | None, list[Identity]] = {}
    # Whichever side is called ours.
    for order in sorted((orders.ours, orders.theirs), key=spelling):
        last: Identity | None = None
        for one in order:
            if one in placed:
                last = one
            elif one in needed:
                behind.setdefault(last, []).append(one)
        placed.update(*behind.values())
    found = list(behind.get(None, ()))
    for one in chosen:
        found += [one, *behind.get(one, ())]
    return found
