"""How one side of a merge arranged a list: which items it kept, and what it put where.

Both ways of pairing, by identity key and by content, give the same picture: partners
by index, and chunks, the stretches between two items that stayed in order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from apps.diffs import lists
from apps.diffs.changes import MISSING, Json
from apps.diffs.equality import same, spelling
from apps.diffs.sequences import Pair


@dataclass(frozen=True, slots=True)
class Chunk:
    """Items of the base from `start` to before `end`, and what a side has instead.

    `low` to before `high` are indexes of the side. What moved into the chunk is among
    the side's items, what moved away among the base's.
    """

    start: int
    end: int
    low: int
    high: int

    @property
    def has_items(self) -> bool:
        """Whether the side put anything here."""
        return self.low < self.high

    @property
    def place(self) -> tuple[int, int]:
        """Return the stretch of the base."""
        return self.start, self.end


@dataclass(frozen=True, slots=True)
class Arranged:
    """One side's list beside the base's."""

    base: list[Json]
    items: list[Json]
    partners: dict[int, int]
    chunks: tuple[Chunk, ...]
    changed: frozenset[int]
    moved: frozenset[int] = field(default=frozenset())
    # Indexes of the side's items that may have been moved there, without a key.
    arrived: frozenset[int] = field(default=frozenset())

    def touched(self) -> set[int]:
        """Return the indexes of the items of the base that are not as they were."""
        inside = (i for c in self.chunks for i in range(c.start, c.end))
        return {*inside, *self.changed}

    def item(self, index: int) -> Json:
        """Return what the side made of an item of the base."""
        at = self.partners.get(index)
        return MISSING if at is None else self.items[at]

    def kept(self, start: int, end: int) -> list[Json]:
        """Return the side's items for a stretch of the base that it did not touch."""
        if start == end:
            return []
        low = self.partners[start]
        return self.items[low : low + end - start]

    def between(self, start: int, end: int) -> list[Json]:
        """Return what the side has for a stretch of the base, and around it.

        For lists whose items all stayed in order.
        """
        while start and start - 1 not in self.partners:
            start -= 1
        while end < len(self.base) and end not in self.partners:
            end += 1
        low = self.partners[start - 1] + 1 if start else 0
        high = self.partners[end] if end < len(self.base) else len(self.items)
        return self.items[low:high]


def by_identity(base: list[Json], items: list[Json], key: str) -> Arranged:
    """Arrange items that have an identity key; out of order, the fewest moved."""
    inner = _Inner.of(base, items)
    pairing = lists.by_identity(inner.old, inner.new, key)
    stable = [pair for pair in pairing.pairs if pair not in pairing.moved]
    return Arranged(
        base,
        items,
        inner.partners(pairing.pairs),
        tuple(inner.between(stable)),
        frozenset(inner.head + old for old, _ in pairing.unproven),
        frozenset(inner.head + old for old, _ in pairing.moved),
    )


def by_content(base: list[Json], items: list[Json]) -> Arranged:
    """Arrange items by what equals what; between, as many as there were are changed.

    Where a side has more or fewer, which became which would be guessed.
    """
    inner = _Inner.of(base, items)
    pairing = lists.by_content(inner.old, inner.new, _nothing)
    pairs = list(pairing.pairs) if pairing else []
    changed: set[int] = set()
    chunks = []
    for chunk in inner.between(pairs):
        if chunk.end - chunk.start != chunk.high - chunk.low:
            chunks.append(chunk)
            continue
        shift = chunk.low - chunk.start
        for old in range(chunk.start, chunk.end):
            pairs.append((old - inner.head, old + shift - inner.head))
            if not same(base[old], items[old + shift]):
                changed.add(old)
    moved, arrived = _moved(inner, dict(pairs), {old - inner.head for old in changed})
    return Arranged(
        base,
        items,
        inner.partners(pairs),
        tuple(chunks),
        frozenset(changed),
        frozenset(inner.head + old for old in moved),
        frozenset(inner.head + new for new in arrived),
    )


@dataclass(frozen=True, slots=True)
class _Inner:
    """Two lists without what they share at both ends, which is found much sooner."""

    old: list[Json]
    new: list[Json]
    head: int
    tail: int

    @classmethod
    def of(cls, base: list[Json], items: list[Json]) -> _Inner:
        head = lists.common_prefix(base, items)
        tail = lists.common_suffix(base, items, head)
        old, new = base[head : len(base) - tail], items[head : len(items) - tail]
        return cls(old, new, head, tail)

    def partners(self, pairs: list[Pair]) -> dict[int, int]:
        """Return which items belong together, by index in the whole lists."""
        head, n_old, n_new = self.head, len(self.old), len(self.new)
        found = {i: i for i in range(head)}
        found.update((head + old, head + new) for old, new in pairs)
        found.update((head + n_old + i, head + n_new + i) for i in range(self.tail))
        return found

    def between(self, stable: list[Pair]) -> Iterator[Chunk]:
        """Return what lies between items that stayed in order."""
        head = self.head
        edges = [(-1, -1), *stable, (len(self.old), len(self.new))]
        for (old, new), (next_old, next_new) in pairwise(edges):
            if old + 1 < next_old or new + 1 < next_new:
                start, low = head + old + 1, head + new + 1
                yield Chunk(start, head + next_old, low, head + next_new)


def _moved(
    inner: _Inner, partners: dict[int, int], changed: set[int]
) -> tuple[set[int], set[int]]:
    """Find what may have moved: items that are elsewhere, and where something came to.

    Of the base's items, then of the side's.
    """
    old, new = inner.old, inner.new
    gone = [i for i in range(len(old)) if i not in partners or i in changed]
    taken = {now for was, now in partners.items() if was not in changed}
    if not gone or len(taken) == len(new):
        return set(), set()
    was = {i: spelling(old[i]) for i in gone}
    now = {j: spelling(new[j]) for j in range(len(new)) if j not in taken}
    both = set(was.values()) & set(now.values())
    arrived = {j for j in now if now[j] in both}
    came = {i for i in changed if partners[i] in arrived}
    return came.union(i for i in gone if was[i] in both), arrived


def _nothing(_one: list[Json], _other: list[Json]) -> list[Pair]:
    return []


def touching(ours: Arranged, theirs: Arranged) -> Iterator[tuple[Chunk, Chunk]]:
    """Give the chunks of both sides that overlap or meet."""
    at = 0
    others = theirs.chunks
    for chunk in ours.chunks:
        while at < len(others) and others[at].end < chunk.start:
            at += 1
        place = at
        while place < len(others) and others[place].start <= chunk.end:
            yield chunk, others[place]
            place += 1
