"""The difference of two states as a table: each change as a row.

Makes plain text; asks the database nothing. Values are short or, where a container or
a long text changed, written over several lines within a bound.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from apps.console.pages.session.differences.word_diff import Piece, by_words
from apps.console.pages.session.version_text import (
    KIND_WORDS,
    PAIRED_BYTES,
    SIGNS,
    beginning,
    visible_lines,
)
from apps.core.json import Json
from apps.diffs import pointers
from apps.diffs.changes import MISSING, Change, Comparison
from apps.diffs.compare import compare
from apps.diffs.display import display
from apps.diffs.meaning.noise import NO_NOISE, Noise
from apps.diffs.summary import summary
from apps.diffs.text import isolated_strings, shorten

ROWS = 200
LONGEST_POINTER = 200
LONGEST_VALUE = 2_000
# Longer texts are read side by side on a page of their own.
LONG_TEXT = 200
UNCHANGED_NAMED = 100
Hides = Callable[[Change], bool]


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
    # A text that became another one, longer than a row shows.
    is_long_text: bool = False

    @property
    def is_gone(self) -> bool:
        return self.after is None

    @property
    def said(self) -> str:
        """What became of it, in words that are seen."""
        if self.before and self.after and self.after.text == "null":
            return "turned null"
        return self.kind_word


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """All there is to show of a comparison: a window of its changes, noise apart.

    `rows` and `noise` are by the number of the change, counted from 1; `count` and
    `n_noise` are of all.
    """

    words: str
    rows: Mapping[int, Row]
    count: int
    is_coarse: bool
    noise: Mapping[int, Row] = field(default_factory=dict)
    n_noise: int = 0
    # How many changes that are not noise come before the window.
    start: int = 0
    # Where the whole states were compared, what was found.
    comparison: Comparison | None = None
    unchanged: list[str] = field(default_factory=list)
    n_unchanged: int = 0

    @property
    def n_told(self) -> int:
        """How many changes are not noise."""
        return self.count - self.n_noise

    @property
    def end(self) -> int:
        return self.start + len(self.rows)

    @property
    def n_more(self) -> int:
        return self.n_told - self.end

    @property
    def earlier(self) -> int | None:
        """Where the window before this one begins."""
        return max(self.start - ROWS, 0) if self.start else None

    @property
    def n_noise_unseen(self) -> int:
        return self.n_noise - len(self.noise)

    @property
    def n_unchanged_unnamed(self) -> int:
        return self.n_unchanged - len(self.unchanged)


def compared(
    before: Json,
    after: Json,
    *,
    n_bytes: int,
    noise: Noise = NO_NOISE,
    hides: Hides | None = None,
    start: int = 0,
) -> Compared:
    """Compare two states; small ones with pairs of similar items."""
    compares = display if n_bytes <= PAIRED_BYTES else compare
    return told(compares(before, after), noise=noise, hides=hides, start=start)


def told(
    comparison: Comparison,
    *,
    shown: int = ROWS,
    noise: Noise = NO_NOISE,
    hides: Hides | None = None,
    start: int = 0,
) -> Compared:
    """Tell a comparison: a window of its changes, and what stayed at the top.

    What is noise is told apart, or whatever else `hides` says.
    """
    names = _unchanged(comparison)
    numbered = list(enumerate(comparison.changes, 1))
    hides = hides or noise.hides
    hidden = [one for one in numbered if hides(one[1])]
    seen = {number for number, _ in hidden}
    said = [one for one in numbered if one[0] not in seen] if hidden else numbered
    start = min(start, max(len(said) - 1, 0))
    return Compared(
        words=_words(comparison, [change for _, change in said]),
        rows={number: row(one) for number, one in said[start : start + shown]},
        count=len(numbered),
        is_coarse=comparison.truncated,
        noise={number: row(one) for number, one in hidden[:shown]},
        n_noise=len(hidden),
        start=start,
        comparison=comparison,
        unchanged=[shorten(name, 60) for name in names[:UNCHANGED_NAMED]],
        n_unchanged=len(names),
    )


def _words(comparison: Comparison, said: list[Change]) -> str:
    if len(said) == len(comparison):
        return summary(comparison)
    return summary(replace(comparison, changes=tuple(said))) if said else ""


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
        is_long_text=_is_long_text(change),
    )


def _is_long_text(change: Change) -> bool:
    sides = change.before, change.after
    return all(isinstance(one, str) for one in sides) and (
        max(map(len, sides)) > LONG_TEXT
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
