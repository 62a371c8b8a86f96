"""Find texts of a mask's pattern, in time that grows with the text and no faster."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from string import ascii_letters

from stdnum import iban, luhn, numdb

from apps.accounts.masks import Mask, Pattern

# Each run is looked at once, however long it is.
_BREAKS = r"\s@<>\"(),;:\[\]"
_EMAIL = re.compile(rf"(?<![^{_BREAKS}])[^{_BREAKS}]++(?:@[^{_BREAKS}]++)+")
# In one piece or in groups, as cards have them; other numbers may stand beside.
# Only from the first digit of a run: from a later one there are no more digits.
_DIGITS = re.compile(
    r"[0-9](?<![0-9].)[0-9]{2}(?=(?:[ -]?[0-9]){10})[0-9]*+(?:[ -][0-9]{3,}+)*+"
)
_CARD_BEGINS = "23456"
_CARD_LENGTHS = range(13, 20)
_MOST_GROUPS = 6
# Two letters that begin a word, and two digits: told by these, of which a text has few.
_IBAN = re.compile(
    r"[0-9]{2}(?<=[A-Za-z]{2}..)(?<![A-Za-z0-9][A-Za-z]{2}..)(?=[ -]?[A-Za-z0-9])",
    re.DOTALL,
)
_GROUP = re.compile(r"[A-Za-z0-9]+")

# As ISO 7064 counts them, without what stands between groups: A is 10.
_COUNTED = {ord(sign): str(int(sign, 36)) for sign in ascii_letters} | {
    ord(" "): None,
    ord("-"): None,
}

Span = tuple[int, int]


def finder_of(mask: Mask) -> Callable[[str], Iterable[Span]]:
    """Return what finds the texts of a pattern, from left to right."""
    if mask.pattern == Pattern.EMAIL:
        return _emails
    if mask.pattern == Pattern.CARD:
        return _cards
    if mask.pattern == Pattern.IBAN:
        return _ibans
    return _finder_of_words(mask.words)


def _finder_of_words(words: Sequence[str]) -> Callable[[str], Iterable[Span]]:
    # The longest first: of two that begin alike all of it goes.
    ordered = sorted(words, key=len, reverse=True)
    own = re.compile("|".join(map(re.escape, ordered)), re.IGNORECASE)
    # Beyond ASCII more letters are equal than have the same lower case.
    lower = [word.lower() for word in words] if all(map(str.isascii, words)) else None

    def find(text: str) -> Iterable[Span]:
        if lower is not None and text.isascii():
            folded = text.lower()
            if not any(word in folded for word in lower):
                return ()
        return (found.span() for found in own.finditer(text))

    return find


def _emails(text: str) -> Iterable[Span]:
    if "@" not in text:
        return ()
    return (found.span() for found in _EMAIL.finditer(text))


def _cards(text: str) -> Iterable[Span]:
    """Find cards among groups of digits: other numbers may stand right beside them."""
    for run in _DIGITS.finditer(text):
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

    Each country has one length. The remainder is looked at first: it costs a twentieth
    of the whole check, which is made of what passes.
    """
    for digits in _IBAN.finditer(text):
        start = digits.start() - 2
        rest = _rest_of(text[start : start + 2].upper())
        found = rest and rest.match(text, digits.end())
        if not found:
            continue
        stop = found.end()
        turned = f"{found.group()}{text[start : digits.end()]}".translate(_COUNTED)
        if int(turned) % 97 == 1 and iban.is_valid(text[start:stop]):
            yield start, stop


@cache
def _rest_of(country: str) -> re.Pattern[str] | None:
    """Return what follows a country and its check digits, or None for no country."""
    _, facts = numdb.get("iban").info(country)[0]
    if "bban" not in facts:
        return None
    length = sum(map(int, re.findall(r"[0-9]+", facts["bban"])))
    return re.compile(rf"(?:[ -]?[A-Za-z0-9]){{{length}}}")
