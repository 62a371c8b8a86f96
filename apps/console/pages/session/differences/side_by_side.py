"""Two states side by side, whole: what changed is open, what stayed is folded.

Walks both at once, into nothing but what holds a change. Makes plain text, and nodes
that open on demand; templates place them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from apps.console.pages.session import json_tree
from apps.console.pages.session.change_table import Row
from apps.core.json import Json
from apps.diffs import pointers
from apps.diffs.changes import Comparison, Kind
from apps.diffs.pointers import escape
from apps.diffs.text import count, shorten

# Of what stayed in one place, so much can be opened; so much on a page.
FOLDED, FOLDED_IN_ALL = 50, 500
# So few that stayed are not worth a fold.
BESIDE = 2
DEEPEST = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """A change, a container that holds changes, or what stayed beside them.

    A change that is noise is folded as what stayed is; `n_more` changes have their
    place on another page.
    """

    kind: str
    depth: int
    key: str = ""
    text: str = ""
    # Where the rest of what is folded is shown.
    pointer: str = ""
    row: Row | None = None
    number: int = 0
    n_more: int = 0
    kept: Sequence[json_tree.Node] = field(default_factory=list)

    @property
    def is_open(self) -> bool:
        return len(self.kept) <= BESIDE


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two containers that belong together, and where each stands."""

    old: Json
    new: Json
    source: str
    target: str
    depth: int


def lines(
    comparison: Comparison, rows: Mapping[int, Row], noise: Mapping[int, Row]
) -> list[Line]:
    """Return both states as lines; the changes of a window, and noise, by number."""
    return list(_merged(_Sides(comparison, rows, noise).all()))


def _merged(found: Iterable[Line]) -> Iterator[Line]:
    """Make one line of those beside each other that are on other pages."""
    waiting: Line | None = None
    for line in found:
        if waiting is not None and (line.kind, line.depth) == ("more", waiting.depth):
            waiting = replace(waiting, n_more=waiting.n_more + line.n_more)
            continue
        yield from () if waiting is None else (_counted(waiting),)
        waiting = line if line.kind == "more" else None
        if waiting is None:
            yield line
    yield from () if waiting is None else (_counted(waiting),)


def _counted(line: Line) -> Line:
    return replace(line, text=f"{count(line.n_more, 'change')} on another page")


class _Sides:
    def __init__(
        self,
        comparison: Comparison,
        rows: Mapping[int, Row],
        noise: Mapping[int, Row],
    ) -> None:
        self._comparison = comparison
        self._rows, self._noise = rows, noise
        self._left = FOLDED_IN_ALL
        self._alignments = {one.pointer: one for one in comparison.alignments}
        # The numbers of the changes by where they stand: in the state after, and for
        # what is gone by the container it was in.
        self._at: dict[str, list[int]] = defaultdict(list)
        self._gone: dict[str, list[int]] = defaultdict(list)
        # What holds a change somewhere below, in either state.
        self._new_holders: set[str] = set()
        self._old_holders: set[str] = set()
        for number, change in enumerate(comparison.changes):
            if change.kind == Kind.REMOVED and change.pointer:
                holder = pointers.parent(change.pointer)
                self._gone[holder].append(number)
                _hold(holder, self._old_holders)
            else:
                self._at[change.pointer].append(number)
                if change.pointer:
                    _hold(pointers.parent(change.pointer), self._new_holders)

    def all(self) -> Iterator[Line]:
        if "" in self._at:
            yield from self._changed(self._at[""], "", 0)
        elif self._comparison.changes:
            both = self._comparison.before, self._comparison.after
            yield from self._inside(_Pair(*both, "", "", 0))

    def _inside(self, pair: _Pair) -> Iterator[Line]:
        """Yield what stands in a container, what is gone where it was."""
        was = self._earlier(pair)
        gone = self._places(pair)
        stayed: list[str] = []
        for key in _keys(pair.new):
            target = f"{pair.target}/{escape(key)}"
            old_key = was.get(key)
            source = None if old_key is None else f"{pair.source}/{escape(old_key)}"
            leaving = [] if old_key is None else gone[old_key]
            if not (leaving or self._is_touched(source, target)):
                stayed.append(key)
                continue
            yield from self._folded(pair, stayed)
            stayed = []
            yield from self._gone_lines(leaving, pair.depth)
            yield from self._changed(self._at.get(target, []), key, pair.depth)
            if source is not None and self._holds(source, target):
                inner = _Pair(
                    pointers.step(pair.old, old_key or ""),
                    pointers.step(pair.new, key),
                    source,
                    target,
                    pair.depth + 1,
                )
                yield self._opened(key, inner)
                yield from self._inside(inner)
            elif leaving and target not in self._at:
                stayed.append(key)
        yield from self._folded(pair, stayed)
        yield from self._gone_lines(gone[None], pair.depth)

    def _earlier(self, pair: _Pair) -> dict[str, str]:
        """Return under which key each of the new children stood before."""
        if isinstance(pair.new, dict):
            return {key: key for key in pair.new if key in pair.old}
        alignment = self._alignments.get(pair.target)
        if alignment is None:
            return {key: key for key in _keys(pair.new)}
        return {
            str(new + at): str(old + at)
            for old, new, length in alignment.runs
            for at in range(length)
        }

    def _places(self, pair: _Pair) -> dict[str | None, list[int]]:
        """Return what is gone, by the old key of what followed and is there."""
        gone = {
            pointers.split(self._comparison.changes[number].pointer)[-1]: number
            for number in self._gone.get(pair.source, [])
        }
        found: dict[str | None, list[int]] = defaultdict(list)
        if not gone:
            return found
        there = set(self._earlier(pair).values())
        waiting: list[int] = []
        for key in _keys(pair.old):
            if key in gone:
                waiting.append(gone[key])
            elif key in there:
                found[key] += waiting
                waiting = []
        found[None] += waiting
        return found

    def _is_touched(self, source: str | None, target: str) -> bool:
        return target in self._at or self._holds(source, target)

    def _holds(self, source: str | None, target: str) -> bool:
        return target in self._new_holders or source in self._old_holders

    def _changed(self, numbers: list[int], key: str, depth: int) -> Iterator[Line]:
        for number in (at + 1 for at in numbers):
            row = self._rows.get(number) or self._noise.get(number)
            if row is None:
                yield Line(kind="more", depth=min(depth, DEEPEST), n_more=1)
                continue
            yield Line(
                kind="change" if number in self._rows else "noise",
                depth=min(depth, DEEPEST),
                key=shorten(key, 60),
                row=row,
                number=number,
            )

    def _gone_lines(self, numbers: list[int], depth: int) -> Iterator[Line]:
        for number in numbers:
            pointer = self._comparison.changes[number].pointer
            yield from self._changed([number], pointers.split(pointer)[-1], depth)

    def _opened(self, key: str, pair: _Pair) -> Line:
        return Line(
            kind="open",
            depth=min(pair.depth - 1, DEEPEST),
            key=shorten(key, 60),
            text=json_tree.summary(pair.new),
        )

    def _folded(self, pair: _Pair, stayed: list[str]) -> Iterator[Line]:
        if not stayed:
            return
        some = stayed[: min(FOLDED, self._left)]
        self._left -= len(some)
        noun = "unchanged key" if isinstance(pair.new, dict) else "unchanged item"
        yield Line(
            kind="fold",
            depth=min(pair.depth, DEEPEST),
            text=count(len(stayed), noun),
            pointer=pair.target if len(some) < len(stayed) else "",
            kept=[
                json_tree.closed(
                    key,
                    pointers.step(pair.new, key),
                    f"{pair.target}/{escape(key)}",
                )
                for key in some
            ],
        )


def _hold(pointer: str, holders: set[str]) -> None:
    """Note a container and all above it, up to those that are noted."""
    while pointer not in holders:
        holders.add(pointer)
        if not pointer:
            return
        pointer = pointers.parent(pointer)


def _keys(value: Json) -> Sequence[str]:
    if isinstance(value, dict):
        return list(value)
    return [str(index) for index in range(len(value))]
