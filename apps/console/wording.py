"""Two texts word by word: what stayed, what went, what came. Pure, and bounded."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from apps.diffs.text import visible

LONGEST = 20_000
MOST_WORDS = 2_000
# Of a run that stayed, so much is shown beside what changed.
CONTEXT = 60

_WORD = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text, and whether it differs from the other side."""

    text: str
    is_different: bool


def by_words(before: str, after: str) -> tuple[list[Piece], list[Piece]] | None:
    """Return both texts in pieces.

    None where they are too long to be matched, or have nothing in common.
    """
    if max(len(before), len(after)) > LONGEST:
        return None
    was, now = _WORD.findall(before), _WORD.findall(after)
    if max(len(was), len(now)) > MOST_WORDS:
        return None
    matcher = SequenceMatcher(None, was, now, autojunk=False)
    old: list[Piece] = []
    new: list[Piece] = []
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag == "equal":
            kept = "".join(was[i:j])
            is_first, is_last = i == 0, j == len(was)
            piece = Piece(_folded(kept, is_first, is_last), is_different=False)
            old.append(piece)
            new.append(piece)
            continue
        old += _different(was[i:j])
        new += _different(now[k:m])
    if not any(piece.text.strip() and not piece.is_different for piece in old):
        return None
    return old, new


def _different(words: list[str]) -> Iterator[Piece]:
    if words:
        yield Piece(visible("".join(words)), is_different=True)


def _folded(text: str, is_first: bool, is_last: bool) -> str:
    """Leave out the middle of what stayed; at the ends, all but what is beside."""
    if is_first and is_last:
        return visible(text)
    if len(text) <= 2 * CONTEXT:
        return visible(text)
    start = "" if is_first else visible(text[:CONTEXT])
    end = "" if is_last else visible(text[-CONTEXT:])
    return f"{start} … {end}"
