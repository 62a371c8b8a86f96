"""Two long texts beside each other, whole and line by line. Pure, and bounded.

Lines that both have stand once; of two lines that belong together the words that differ
are marked. A text without line breaks is broken where sentences end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

from apps.console.pages.session.differences.word_diff import Piece
from apps.diffs.excerpts import common_end, common_start
from apps.diffs.graphemes import cut, tokens
from apps.diffs.text import visible

# Of each text so much is looked at, and so many lines are on a page.
LONGEST = 250_000
ROWS = 1_000
# A longer line is broken, whatever it is; so many lines are matched.
LONGEST_LINE = 2_000
MOST_MATCHED = 4_000
# Pairs of words that a page compares: beyond that lines are marked whole.
WORK = 4_000_000
# A run of lines that stayed is folded but for so many at its ends.
BESIDE = 3

_SENTENCE_END = re.compile(r"(?<=[.!?;:]) +")


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One line of both texts; a side that has none there is None.

    `folded` are lines that both have, one below the other.
    """

    left: Sequence[Piece] | None = None
    right: Sequence[Piece] | None = None
    is_same: bool = False
    folded: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class TextSides:
    """A page of lines, how many there are, and whether all of both texts is in them."""

    lines: Sequence[Line]
    start: int
    count: int
    is_cut: bool

    @property
    def end(self) -> int:
        return self.start + len(self.lines)


def text_sides(before: str, after: str, *, start: int = 0) -> TextSides:
    """Return a page of both texts, from a line on."""
    is_cut = max(len(before), len(after)) > LONGEST
    rows = list(_folded(_rows(cut(before, LONGEST), cut(after, LONGEST))))
    start = min(start, max(len(rows) - 1, 0))
    shown = rows[start : start + ROWS]
    marked = _Marking().all(shown)
    return TextSides(lines=marked, start=start, count=len(rows), is_cut=is_cut)


# Both sides of a row as text; None where that side has no such line.
_Row = tuple[str | None, str | None]


def _rows(before: str, after: str) -> Iterator[_Row]:
    old, new = _lines(before), _lines(after)
    first = _common(old, new)
    last = _common(old[first:][::-1], new[first:][::-1])
    yield from zip(old[:first], new[:first], strict=True)
    was, now = old[first : len(old) - last], new[first : len(new) - last]
    for i, j, k, m, is_equal in _blocks(was, now):
        for one, other in zip_longest(was[i:j], now[k:m]):
            yield from ((one, other),) if is_equal else _broken(one, other)
    yield from zip(old[len(old) - last :], new[len(new) - last :], strict=True)


def _lines(text: str) -> list[str]:
    return text.splitlines() if "\n" in text else _SENTENCE_END.split(text)


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    """Return how many lines both begin with."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(old), len(new)))


def _blocks(
    was: Sequence[str], now: Sequence[str]
) -> Iterator[tuple[int, int, int, int, bool]]:
    if max(len(was), len(now)) > MOST_MATCHED:
        yield 0, len(was), 0, len(now), False
        return
    for tag, i, j, k, m in SequenceMatcher(None, was, now).get_opcodes():
        yield i, j, k, m, tag == "equal"


def _broken(one: str | None, other: str | None) -> Iterator[_Row]:
    """Break long lines: what both begin and end with, and what lies between."""
    if max(len(one or ""), len(other or "")) <= LONGEST_LINE:
        yield one, other
        return
    if one is None or other is None:
        for part in _parts(one or other or ""):
            yield (part, None) if other is None else (None, part)
        return
    start = common_start(one, other)
    end = common_end(one, other, after_start=start)
    for part in _parts(one[:start]):
        yield part, part
    was, now = one[start : len(one) - end], other[start : len(other) - end]
    yield from zip_longest(_parts(was), _parts(now))
    for part in _parts(one[len(one) - end :]):
        yield part, part


def _parts(text: str) -> Iterator[str]:
    while text:
        part = cut(text, LONGEST_LINE) or text[:LONGEST_LINE]
        yield part
        text = text[len(part) :]


def _folded(rows: Iterator[_Row]) -> Iterator[Line]:
    run: list[str] = []
    for one, other in rows:
        if one is not None and one == other:
            run.append(one)
            continue
        yield from _stayed(run)
        run = []
        yield Line(left=_whole(one), right=_whole(other))
    yield from _stayed(run)


def _stayed(run: list[str]) -> Iterator[Line]:
    if len(run) <= 2 * BESIDE + 1:
        yield from map(_same, run)
        return
    yield from map(_same, run[:BESIDE])
    yield Line(is_same=True, folded=[visible(one) for one in run[BESIDE:-BESIDE]])
    yield from map(_same, run[-BESIDE:])


def _same(text: str) -> Line:
    pieces = [Piece(visible(text), is_different=False)]
    return Line(left=pieces, right=pieces, is_same=True)


def _whole(text: str | None) -> list[Piece] | None:
    return None if text is None else [Piece(text, is_different=True)]


class _Marking:
    """Marks the words that differ, while its allowance of work lasts."""

    def __init__(self) -> None:
        self._left = WORK

    def all(self, lines: Sequence[Line]) -> list[Line]:
        return [one if one.is_same else self._marked(one) for one in lines]

    def _marked(self, line: Line) -> Line:
        if line.left is None or line.right is None:
            return Line(left=_shown(line.left), right=_shown(line.right))
        was, now = (tokens(side[0].text) for side in (line.left, line.right))
        work = len(was) * len(now)
        if work > self._left:
            return Line(left=_shown(line.left), right=_shown(line.right))
        self._left -= work
        left: list[Piece] = []
        right: list[Piece] = []
        matcher = SequenceMatcher(None, was, now, autojunk=False)
        for tag, i, j, k, m in matcher.get_opcodes():
            is_different = tag != "equal"
            left += _piece(was[i:j], is_different=is_different)
            right += _piece(now[k:m], is_different=is_different)
        return Line(left=left, right=right)


def _piece(words: Sequence[str], *, is_different: bool) -> list[Piece]:
    text = visible("".join(words))
    return [Piece(text, is_different=is_different)] if text else []


def _shown(side: Sequence[Piece] | None) -> list[Piece] | None:
    if side is None:
        return None
    return [Piece(visible(one.text), is_different=True) for one in side]
