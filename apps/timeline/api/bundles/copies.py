"""Find copies of many values in a text, however many there are. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby

Span = tuple[int, int]
# Words are told apart by their first letter, then by these, then one by one.
HEAD = 3


def finder_of(words: Iterable[str]) -> Callable[[str], Iterable[Span]]:
    """Return what finds words of three letters or more, in upper or lower case.

    One after the other, hundreds of words take a second for 100 KB.
    """
    lower = sorted({word.lower() for word in words})
    fast = re.compile(_grouped(lower))
    # Letters that are longer in lower case move all behind them.
    slow = re.compile("|".join(map(re.escape, _longest_first(lower))), re.IGNORECASE)

    def find(text: str) -> Iterator[Span]:
        folded = text.lower()
        found = fast.finditer(folded)
        if len(folded) != len(text):
            found = slow.finditer(text)
        return (one.span() for one in found)

    return find


def _grouped(words: Iterable[str]) -> str:
    """Return one expression, in which few branches are tried at each place."""
    return "|".join(
        f"{re.escape(first)}(?:{'|'.join(_heads(same))})"
        for first, same in groupby(words, key=lambda word: word[0])
    )


def _heads(words: Iterable[str]) -> Iterator[str]:
    for head, same in groupby(words, key=lambda word: word[1:HEAD]):
        tails = _longest_first(word[HEAD:] for word in same)
        yield f"{re.escape(head)}(?:{'|'.join(map(re.escape, tails))})"


def _longest_first(words: Iterable[str]) -> list[str]:
    """Of two that begin alike all of it goes."""
    return sorted(words, key=len, reverse=True)
