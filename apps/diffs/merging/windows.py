"""The part of a list that differs on any side, and what is told of it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from apps.diffs import lists
from apps.diffs.changes import MISSING, Json, Kind
from apps.diffs.equality import same
from apps.diffs.merging.record import Record
from apps.diffs.merging.sides import Arranged
from apps.diffs.merging.words import JOINED, SINGLE, Clash, Side, Three

# Asks for what becomes of values inside, one at a time, with where they stand; and
# returns what becomes of the whole. The walk answers, so that a level of nesting costs
# few frames of Python's stack: a state may be as deep as a request, and is merged far
# up in one.
Asking: TypeAlias = Generator[tuple[Three, str], Json, Any]


@dataclass(frozen=True, slots=True)
class Window:
    """Three lists without the items that all have at the beginning and at the end."""

    record: Record
    pointer: str
    whole: Three
    inner: Three
    head: int

    def place(self, index: int) -> str:
        """Return the pointer of an item of the base."""
        return f"{self.pointer}/{self.head + index}"

    def filled(self, items: list[Json]) -> list[Json]:
        """Return the whole list with these items in the window."""
        ours, tail = self.whole.ours, self.head + len(self.inner.ours)
        return [*ours[: self.head], *items, *ours[tail:]]

    def clash(self, kind: Clash) -> Json:
        """Make one conflict of the list as it is."""
        return self.record.clash(kind, self.pointer, self.whole)

    def clash_unread(self) -> Json:
        """Make one conflict of the list, since it was not looked into any further."""
        return self.record.clash_whole(Clash.WINDOW, self.pointer, self.whole)

    def remove(self, side: Side, index: int) -> None:
        """Tell that an item is gone."""
        self.record.tell(side, self.place(index), self.inner.base[index], MISSING)

    def add(self, side: Side, index: int, items: Iterable[Json]) -> None:
        """Tell that items were put before one of the base."""
        for item in items:
            self.record.tell(side, self.place(index), MISSING, item)

    def move(self, index: int, ours: Arranged, theirs: Arranged) -> None:
        """Tell that an item stands elsewhere; what changed inside is told by itself."""
        is_here, is_there = index in ours.moved, index in theirs.moved
        side = Side.THEIRS if not is_here else Side.BOTH if is_there else Side.OURS
        item = ours.item(index) if is_here else theirs.item(index)
        before = self.inner.base[index]
        self.record.note(side, self.place(index), Kind.MOVED, before, item)

    def item(self, index: int, ours: Arranged, theirs: Arranged) -> Asking:
        """Merge an item of the base that is not as and where it was."""
        here, there = ours.item(index), theirs.item(index)
        three = Three(self.inner.base[index], here, there)
        if here is MISSING and there is MISSING:
            self.remove(Side.BOTH, index)
            return MISSING
        for gone, kept, side in ((here, theirs, Side.OURS), (there, ours, Side.THEIRS)):
            if gone is not MISSING:
                continue
            if index in kept.changed:
                return self.record.clash(Clash.REMOVED, self.place(index), three)
            if index in kept.moved:
                return self.record.clash(Clash.MOVED, self.place(index), three)
            self.remove(side, index)
            return MISSING
        if index in ours.changed or index in theirs.changed:
            return (yield three, self.place(index))
        return here

    def clash_inserted(
        self, index: int, ours: list[Json], theirs: list[Json], *, can_join: bool = True
    ) -> list[Json]:
        """Make a conflict of what both sides put before one item, and give the items.

        What has the same identity key cannot be joined.
        """
        three = Three([], ours, theirs)
        picks = JOINED if can_join else SINGLE
        items: list[Json] = self.record.clash(
            Clash.INSERTED, self.place(index), three, length=0, picks=picks
        )
        return items

    def inserted(self, index: int, ours: list[Json], theirs: list[Json]) -> list[Json]:
        """Put in what both sides put before one item: what is alike, once."""
        start, end = alike(ours, theirs)
        head, tail = ours[:start], ours[len(ours) - end :]
        here, there = ours[start : len(ours) - end], theirs[start : len(theirs) - end]
        self.add(Side.BOTH, index, [*head, *tail])
        if here and there:
            middle = self.clash_inserted(index, here, there)
        else:
            self.add(Side.OURS, index, here)
            self.add(Side.THEIRS, index, there)
            middle = here or there
        return [*head, *middle, *tail]


def alike(
    one: list[Json], other: list[Json], is_alike: Callable[[Json, Json], bool] = same
) -> tuple[int, int]:
    """Count the items that two lists share at the beginning, and then at the end."""
    shorter = min(len(one), len(other))
    start = next((i for i in range(shorter) if not is_alike(one[i], other[i])), shorter)
    rest = range(shorter - start)
    end = next((i for i in rest if not is_alike(one[~i], other[~i])), len(rest))
    return start, end


def window(record: Record, three: Three, pointer: str) -> Window:
    """Leave out what the three lists have in common at both ends."""
    base, ours, theirs = three
    head = min(lists.common_prefix(base, ours), lists.common_prefix(base, theirs))
    tail = min(
        lists.common_suffix(base, ours, head), lists.common_suffix(base, theirs, head)
    )
    inner = Three(*(each[head : len(each) - tail] for each in three))
    return Window(record, pointer, three, inner, head)


def woven(ours: Arranged, parts: Mapping[int, tuple[int, list[Json]]]) -> list[Json]:
    """Put parts in the place of stretches of the base: by start, the end and items.

    Between them, nothing differs from the base on any side.
    """
    items: list[Json] = []
    done = 0
    for start in sorted(parts):
        items += ours.kept(done, start)
        done, part = parts[start]
        items += part
    return items + ours.kept(done, len(ours.base))
