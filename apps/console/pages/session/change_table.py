"""The difference of two states as a table: each change as a row.

Makes plain text; asks the database nothing. Values are short or, where a container or
a long text changed, written over several lines within a bound.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from apps.console.pages.session.version_text import (
    KIND_WORDS,
    PAIRED_BYTES,
    SIGNS,
    beginning,
    visible_lines,
)
from apps.console.pages.session.word_diff import Piece, by_words
from apps.core.json import Json
from apps.diffs import pointers
from apps.diffs.changes import MISSING, Change, Comparison
from apps.diffs.compare import compare
from apps.diffs.display import display
from apps.diffs.summary import summary
from apps.diffs.text import isolated_strings, shorten

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
    # Written from left to right, whatever its strings are.
    is_json: bool = False

    @property
    def is_tall(self) -> bool:
        return "\n" in self.text


@dataclass(frozen=True, kw_only=True, slots=True)
class Sides:
    """Both values of a change; of two texts, where they part if not at once."""

    before: Side | None
    after: Side | None
    differs_at: int | None = None


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
    # Where the beginnings of two long texts are the same and left out.
    differs_at: int | None = None

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
    shown = sides(change.before, change.after)
    return Row(
        sign=SIGNS[change.kind],
        kind=change.kind.value,
        kind_word=KIND_WORDS.get(change.kind, change.kind.value),
        pointer=change.pointer,
        place=place(change.pointer),
        from_place=None if change.from_pointer is None else place(change.from_pointer),
        before=shown.before,
        after=shown.after,
        differs_at=change.differs_at or shown.differs_at,
    )


def place(pointer: str) -> str:
    return shorten(pointer, LONGEST_POINTER) or "(the state)"


def written(value: Json, longest: int = LONGEST_VALUE) -> Side:
    """Write a value as JSON, over lines where it is a container that needs them."""
    text, is_cut = beginning(value, longest, indent=None)
    if isinstance(value, dict | list) and len(text) > 60:
        text, is_cut = beginning(value, longest, indent=2)
    shown = visible_lines(text) + "…" * is_cut
    if not isinstance(value, dict | list):
        return Side(text=shown, is_cut=is_cut)
    return Side(text=isolated_strings(shown), is_cut=is_cut, is_json=True)


def sides(before: Json, after: Json, longest: int = LONGEST_VALUE) -> Sides:
    """Write two values so that what differs between them is on the page.

    Of long texts, and of large containers that begin alike, it is what stands around
    the difference.
    """
    if isinstance(before, str) and isinstance(after, str):
        found = by_words(before, after)
        if found is not None:
            return Sides(
                before=_quoted(found.before),
                after=_quoted(found.after),
                differs_at=found.differs_at,
            )
    was, now = (
        None if one is MISSING else written(one, longest) for one in (before, after)
    )
    if was and now and was.is_cut and was.text == now.text:
        found = by_words(_whole(before), _whole(after))
        if found is not None:
            was = _in_pieces(found.before, is_json=True)
            now = _in_pieces(found.after, is_json=True)
    return Sides(before=was, after=now)


def _quoted(pieces: Sequence[Piece]) -> Side:
    marks = (Piece(mark, is_different=False) for mark in "“”")
    return _in_pieces([next(marks), *pieces, next(marks)])


def _in_pieces(pieces: Sequence[Piece], *, is_json: bool = False) -> Side:
    text = "".join(piece.text for piece in pieces)
    return Side(text=text, is_cut=False, pieces=pieces, is_json=is_json)


def _whole(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


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
