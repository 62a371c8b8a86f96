"""Two states beside each other, as a page shows them: each change as a row.

Makes plain text; asks the database nothing. Values are short or, where a container or
a long text changed, written over several lines within a bound.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from apps.console.stories import KIND_WORDS, PAIRED_BYTES, SIGNS, visible_lines
from apps.console.wording import Piece, by_words
from apps.core.json import Json
from apps.diffs import pointers
from apps.diffs.changes import MISSING, Change, Comparison
from apps.diffs.compare import compare
from apps.diffs.display import display
from apps.diffs.summary import summary
from apps.diffs.text import shorten, visible

ROWS = 200
LONGEST_POINTER = 200
LONGEST_VALUE = 2_000
UNCHANGED_NAMED = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """A value as text; in pieces where a text changed in places."""

    text: str
    is_cut: bool
    pieces: Sequence[Piece] = ()

    @property
    def is_tall(self) -> bool:
        return "\n" in self.text


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One change. `pointer` is exact, for links; `place` is fit to be shown."""

    sign: str
    kind: str
    kind_word: str
    pointer: str
    place: str
    from_place: str | None
    before: Side | None
    after: Side | None

    @property
    def is_gone(self) -> bool:
        return self.after is None


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """All there is to show of a comparison."""

    words: str
    rows: list[Row]
    count: int
    is_coarse: bool
    # Where the whole states were compared, what was found.
    comparison: Comparison | None = None
    unchanged: list[str] = field(default_factory=list)
    n_unchanged: int = 0

    @property
    def n_more(self) -> int:
        return self.count - len(self.rows)

    @property
    def n_unchanged_unnamed(self) -> int:
        return self.n_unchanged - len(self.unchanged)


def compared(before: Json, after: Json, *, n_bytes: int) -> Compared:
    """Compare two states; small ones with pairs of similar items."""
    compares = display if n_bytes <= PAIRED_BYTES else compare
    return told(compares(before, after))


def told(comparison: Comparison, *, shown: int = ROWS) -> Compared:
    """Tell a comparison: its first changes, and what stayed at the top."""
    names = _unchanged(comparison)
    return Compared(
        words=summary(comparison),
        rows=[row(change) for change in comparison.changes[:shown]],
        count=len(comparison.changes),
        is_coarse=comparison.truncated,
        comparison=comparison,
        unchanged=[shorten(name, 60) for name in names[:UNCHANGED_NAMED]],
        n_unchanged=len(names),
    )


def row(change: Change) -> Row:
    before, after = _sides(change)
    return Row(
        sign=SIGNS[change.kind],
        kind=change.kind.value,
        kind_word=KIND_WORDS.get(change.kind, change.kind.value),
        pointer=change.pointer,
        place=place(change.pointer),
        from_place=None if change.from_pointer is None else place(change.from_pointer),
        before=before,
        after=after,
    )


def place(pointer: str) -> str:
    return shorten(pointer, LONGEST_POINTER) or "(the state)"


def written(value: Json, longest: int = LONGEST_VALUE) -> Side:
    """Write a value as JSON, over lines where it is a container that needs them."""
    text, is_cut = _spelled(value, longest, indent=None)
    if isinstance(value, dict | list) and len(text) > 60:
        text, is_cut = _spelled(value, longest, indent=2)
    return Side(text=visible_lines(text), is_cut=is_cut)


def _sides(change: Change) -> tuple[Side | None, Side | None]:
    if isinstance(change.before, str) and isinstance(change.after, str):
        found = by_words(change.before, change.after)
        if found is not None:
            return _in_pieces(change.before, found[0]), _in_pieces(
                change.after, found[1]
            )
    sides = (change.before, change.after)
    before, after = (None if one is MISSING else written(one) for one in sides)
    return before, after


def _in_pieces(text: str, pieces: list[Piece]) -> Side:
    return Side(text=visible(text[:LONGEST_VALUE]), is_cut=False, pieces=pieces)


def _spelled(value: Json, longest: int, indent: int | None) -> tuple[str, bool]:
    """By chunk: a changed container may be megabytes, of which the start is shown."""
    chunks: list[str] = []
    length = 0
    for chunk in json.JSONEncoder(ensure_ascii=False, indent=indent).iterencode(value):
        chunks.append(chunk[: longest - length])
        length += len(chunk)
        if length > longest:
            return "".join(chunks) + "…", True
    return "".join(chunks), False


def _unchanged(comparison: Comparison) -> list[str]:
    """Return the top-level keys in which nothing differs."""
    before, after = comparison.before, comparison.after
    if not isinstance(before, dict) or not isinstance(after, dict):
        return []
    touched = {
        pointers.split(change.pointer)[0] if change.pointer else None
        for change in comparison.changes
    }
    if None in touched:
        return []
    return [key for key in after if key in before and key not in touched]
