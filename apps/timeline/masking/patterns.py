"""Find texts of a mask's pattern, in time that grows with the text and no faster."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from string import ascii_letters

from stdnum import iban, numdb

from apps.accounts.masks import Mask, Pattern
from apps.timeline.masking.cards import Span, cards

# Each run is looked at once, however long it is.
_BREAKS = r"\s@<>\"(),;:\[\]"
_EMAIL = re.compile(rf"(?<![^{_BREAKS}])[^{_BREAKS}]++(?:@[^{_BREAKS}]++)+")
# What each sign is: a digit, a letter, or something else.
_SIGNS = bytes(
    ord("0") if chr(one).isdecimal() else ord("a") if chr(one).isalpha() else ord(" ")
    for one in [*range(128), *[32] * 128]
)
# Two letters that begin a word, and two digits.
_IBAN_BEGINS = b" aa00"
# As ISO 7064 counts them, without what stands between groups: A is 10.
_COUNTED = {ord(sign): str(int(sign, 36)) for sign in ascii_letters} | {
    ord(" "): None,
    ord("-"): None,
}


def finder_of(mask: Mask) -> Callable[[str], Iterable[Span]]:
    """Return what finds the texts of a pattern, from left to right."""
    if mask.pattern == Pattern.EMAIL:
        return _emails
    if mask.pattern == Pattern.CARD:
        return cards
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


def _ibans(text: str) -> Iterable[Span]:
    """Find account numbers; words that follow one are no part of it.

    Each country has one length. The remainder is looked at first: it costs a twentieth
    of the whole check, which is made of what passes.
    """
    # A sign each, with one more before the first: what stands there begins a word.
    signs = b" " + text.encode("ascii", "replace").translate(_SIGNS)
    start = signs.find(_IBAN_BEGINS)
    while start >= 0:
        rest = _rest_of(text[start : start + 2].upper())
        found = rest and rest.match(text, start + 4)
        if found:
            stop = found.end()
            turned = f"{found.group()}{text[start : start + 4]}".translate(_COUNTED)
            if int(turned) % 97 == 1 and iban.is_valid(text[start:stop]):
                yield start, stop
        start = signs.find(_IBAN_BEGINS, start + 5)


@cache
def _rest_of(country: str) -> re.Pattern[str] | None:
    """Return what follows a country and its check digits, or None for no country."""
    _, facts = numdb.get("iban").info(country)[0]
    if "bban" not in facts:
        return None
    length = sum(map(int, re.findall(r"[0-9]+", facts["bban"])))
    return re.compile(rf"(?:[ -]?[A-Za-z0-9]){{{length}}}")
