"""Two texts word by word: what stayed, what went, what came. Pure, and bounded.

What both texts begin and end with is told by comparing slices, so a word is found in
megabytes; only what lies between is matched.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from apps.diffs.excerpts import common_end, common_start
from apps.diffs.graphemes import boundary, cut, tokens
from apps.diffs.text import visible

LONGEST = 20_000
MOST_WORDS = 2_000
# Of a run that stayed, so much is shown beside what changed.
CONTEXT = 60
# Of what differs and is too long to be matched, so much is shown.
UNMATCHED = 2_000
# No longer word is looked for the beginning or the end of.
LONGEST_WORD = 60


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text, and whether it differs from the other side."""

    text: str
    is_different: bool


@dataclass(frozen=True, slots=True)
class Wording:
    """Two texts in pieces; `differs_at` where their beginning was left out.

    It is the number of the first character that differs, counted from 1.
    """

    before: Sequence[Piece]
    after: Sequence[Piece]
    differs_at: int | None


def by_words(before: str, after: str) -> Wording | None:
    """Return both texts in pieces; None where they have nothing in common."""
    parted = common_start(before, after)
    start = _word_start(before, after, parted)
    end = _word_end(before, after, common_end(before, after, after_start=parted))
    was, now = before[start : len(before) - end], after[start : len(after) - end]
    old, new = _matched(was, now) or _unmatched(was, now)
    left = Piece(_last(before[:start]), is_different=False)
    right = Piece(_first(before[len(before) - end :]), is_different=False)
    sides = [[left, *side, right] for side in (old, new)]
    if not any(one.text.strip() and not one.is_different for one in sides[0]):
        return None
    old, new = ([one for one in side if one.text] for side in sides)
    return Wording(old, new, parted + 1 if start > 2 * CONTEXT else None)


def _matched(was: str, now: str) -> tuple[list[Piece], list[Piece]] | None:
    """Match what lies between word by word; None where there is too much of it."""
    if max(len(was), len(now)) > LONGEST:
        return None
    old_words, new_words = tokens(was), tokens(now)
    if max(len(old_words), len(new_words)) > MOST_WORDS:
        return None
    matcher = SequenceMatcher(None, old_words, new_words, autojunk=False)
    old: list[Piece] = []
    new: list[Piece] = []
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag == "equal":
            piece = Piece(_middle("".join(old_words[i:j])), is_different=False)
            old.append(piece)
            new.append(piece)
            continue
        old += _different("".join(old_words[i:j]))
        new += _different("".join(new_words[k:m]))
    return old, new


def _unmatched(was: str, now: str) -> tuple[list[Piece], list[Piece]]:
    return list(_different(was)), list(_different(now))


def _different(text: str) -> Iterator[Piece]:
    if text:
        end = " … " if len(text) > LONGEST else ""
        shown = cut(text, UNMATCHED) if end else text
        yield Piece(visible(shown) + end, is_different=True)


def _word_start(before: str, after: str, parted: int) -> int:
    """Go back to where the first word that differs begins."""
    here = before[parted : parted + 1] + after[parted : parted + 1]
    # Where both go on with a space or a mark, the word before is the same.
    if not any(one.isalnum() for one in here):
        return parted
    start = parted
    while start and before[start - 1].isalnum():
        if parted - start == LONGEST_WORD:
            return parted
        start -= 1
    return boundary(before, start)


def _word_end(before: str, after: str, length: int) -> int:
    """Return how much both end with, from the end of the last word that differs."""
    was, now = len(before) - length, len(after) - length
    here = before[max(0, was - 1) : was] + after[max(0, now - 1) : now]
    if not any(one.isalnum() for one in here):
        return length
    end = was
    while end < len(before) and before[end].isalnum():
        if end - was == LONGEST_WORD:
            return length
        end += 1
    while boundary(before, end) < end:
        end += 1
    return len(before) - end


def _first(text: str) -> str:
    return visible(text if len(text) <= 2 * CONTEXT else _beginning(text) + " … ")


def _last(text: str) -> str:
    return visible(text if len(text) <= 2 * CONTEXT else " … " + _ending(text))


def _middle(text: str) -> str:
    """Leave out the middle of what stayed between two changes."""
    if len(text) <= 2 * CONTEXT:
        return visible(text)
    return visible(f"{_beginning(text)} … {_ending(text)}")


def _beginning(text: str) -> str:
    return cut(text, CONTEXT)


def _ending(text: str) -> str:
    return text[boundary(text, len(text) - CONTEXT) :]
