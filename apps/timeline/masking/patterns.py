"""Find texts of a mask's pattern, in time that grows with the text and no faster."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from stdnum import iban, luhn

from apps.accounts.masks import Mask, Pattern

# Each run is looked at once, however long it is.
_BREAKS = r"\s@<>\"(),;:\[\]"
_EMAIL = re.compile(rf"(?<![^{_BREAKS}])[^{_BREAKS}]++(?:@[^{_BREAKS}]++)+")
# In one piece or in groups, as cards have them; other numbers may stand beside.
_DIGITS = re.compile(r"(?<![0-9])[0-9]{3,}+(?:[ -][0-9]{3,}+)*+")
_CARD_BEGINS = "23456"
_CARD_LENGTHS = range(13, 20)
_MOST_GROUPS = 6
_IBAN = re.compile(
    r"(?=(?<![A-Za-z0-9])([A-Za-z]{2}[0-9]{2}(?:[ -]?[A-Za-z0-9]){11,30}))"
)
_GROUP = re.compile(r"[A-Za-z0-9]+")

Span = tuple[int, int]


def finder_of(mask: Mask) -> Callable[[str], Iterable[Span]]:
    """Return what finds the texts of a pattern, from left to right."""
    if mask.pattern == Pattern.EMAIL:
        return _emails
    if mask.pattern == Pattern.CARD:
        return _cards
    if mask.pattern == Pattern.IBAN:
        return _ibans
    # The longest first: of two that begin alike all of it goes.
    words = sorted(mask.words, key=len, reverse=True)
    own = re.compile("|".join(map(re.escape, words)), re.IGNORECASE)
    return lambda text: (found.span() for found in own.finditer(text))


def _emails(text: str) -> Iterable[Span]:
    if "@" not in text:
        return ()
    return (found.span() for found in _EMAIL.finditer(text))


def _cards(text: str) -> Iterable[Span]:
    """Find cards among groups of digits: other numbers may stand right beside them."""
    for run in _DIGITS.finditer(text):
        if len(run.group()) < min(_CARD_LENGTHS):
            continue
        groups = [found.span() for found in _GROUP.finditer(text, *run.span())]
        for first, (start, _) in enumerate(groups):
            if text[start] not in _CARD_BEGINS:
                continue
            digits = ""
            for begin, stop in groups[first : first + _MOST_GROUPS]:
                digits += text[begin:stop]
                if len(digits) > max(_CARD_LENGTHS):
                    break
                if len(digits) in _CARD_LENGTHS and luhn.is_valid(digits):
                    yield start, stop


def _ibans(text: str) -> Iterable[Span]:
    """Find account numbers; words that follow one are no part of it.

    The remainder is carried from group to group: what looks like the beginning of a
    number at each word would else be computed anew for each of its ends.
    """
    for found in _IBAN.finditer(text):
        start, stop = found.span(1)
        head, rest, end = int(_digits(text[start : start + 4])), 0, None
        for group in _GROUP.finditer(text, start + 4, stop):
            digits = _digits(group.group())
            rest = (rest * 10 ** len(digits) + int(digits)) % 97
            is_checked = (rest * 10**6 + head) % 97 == 1
            if is_checked and iban.is_valid(text[start : group.end()]):
                end = group.end()
        if end is not None:
            yield start, end


def _digits(text: str) -> str:
    """Return a text as ISO 7064 counts it: A is 10."""
    if text.isdecimal():
        return text
    return "".join(str(int(char, 36)) for char in text)
