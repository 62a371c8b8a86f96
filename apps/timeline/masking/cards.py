"""Find numbers of cards among other digits, in one look through a text.

Between the digits of a card there may be spaces and dashes. So a text is looked at with
these left out, part by part: there as many digits stand together as a card has. Of
100 KB of numbers a thousandth part is left, and where it stood is found by halving.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stdnum import luhn

Span = tuple[int, int]

LENGTHS = range(13, 20)
_BEGINS = b"23456"
_MOST_GROUPS = 6
# In one piece or in groups, as cards have them; other numbers may stand beside.
# Only from the first digit of a run: from a later one there are no more digits.
_DIGITS = re.compile(
    r"[0-9](?<![0-9].)[0-9]{2}(?=(?:[ -]?[0-9]){10})[0-9]*+(?:[ -][0-9]{3,}+)*+"
)
_GROUP = re.compile(r"[0-9]+")
# What stands between groups is left out, and what is no digit is a point.
_BETWEEN = b" -"
_AS_DIGITS = bytes(sign if 48 <= sign < 58 else 46 for sign in range(256))
_AS_RUNS = bytes(48 if 48 <= sign < 58 else 46 for sign in range(256))
_LONG_RUN = b"0" * 13
_AFTER = re.compile(r"[^0-9 -]")
_PART = 2048
# From this length on a run is no longer cheaper to check than to find.
_UNCHECKED = 16
# The sum of the digits of twice a digit, written as one.
_DOUBLED = bytes(
    48 + sum(divmod(2 * (sign - 48), 10)) if 48 <= sign < 58 else 0
    for sign in range(256)
)


def cards(text: str) -> Iterator[Span]:
    """Yield where cards stand, from left to right; other numbers may be beside them."""
    for run in _long_runs(text):
        groups = [found.span() for found in _GROUP.finditer(text, *run)]
        for first, (start, _) in enumerate(groups):
            if ord(text[start]) not in _BEGINS:
                continue
            digits = b""
            for begin, stop in groups[first : first + _MOST_GROUPS]:
                digits += text[begin:stop].encode()
                if len(digits) >= LENGTHS.stop:
                    break
                if (
                    len(digits) in LENGTHS
                    and _is_sound(digits)
                    and luhn.is_valid(digits.decode())
                ):
                    yield start, stop


def _long_runs(text: str) -> Iterator[Span]:
    """Yield runs of groups of digits in which a card may be."""
    # A sign each, so that places are those of the text.
    data = text.encode("ascii", "replace")
    begin = 0
    while begin < len(data):
        end = _end_of_run(text, begin + _PART)
        part = data[begin:end]
        kept = part.translate(_AS_DIGITS, _BETWEEN)
        for at, digits in _runs_in(kept):
            if len(digits) >= _UNCHECKED or _holds_card(digits):
                start = begin + _place_of(at, part)
                stop = _end_of_run(text, start)
                yield from (run.span() for run in _DIGITS.finditer(text, start, stop))
        begin = end


def _end_of_run(text: str, start: int) -> int:
    found = _AFTER.search(text, start)
    return found.start() if found else len(text)


def _runs_in(kept: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield digits that stand together, and where, if a card has as many."""
    runs = kept.translate(_AS_RUNS)
    at = runs.find(_LONG_RUN)
    while at >= 0:
        after = runs.find(b".", at)
        stop = len(runs) if after < 0 else after
        yield at, kept[at:stop]
        at = runs.find(_LONG_RUN, stop)


def _place_of(nth: int, part: bytes) -> int:
    """Return where a sign stands, of which it is told how many are kept before it."""
    low, high = 0, len(part)
    while high - low > 1:
        middle = (low + high) // 2
        n_kept = len(part[low:middle].translate(None, _BETWEEN))
        if n_kept <= nth:
            low, nth = middle, nth - n_kept
        else:
            high = middle
    return low


def _holds_card(digits: bytes) -> bool:
    """Say whether some of these, wherever groups begin and end, may be a card's."""
    for first in range(len(digits) - LENGTHS.start + 1):
        if digits[first] in _BEGINS:
            for stop in range(first + LENGTHS.start, len(digits) + 1):
                if _is_sound(digits[first:stop]):
                    return True
    return False


def _is_sound(digits: bytes) -> bool:
    """Say whether the library may find it valid: this costs a tenth of asking it."""
    total = sum(digits[::-2]) + sum(digits[-2::-2].translate(_DOUBLED))
    return (total - 48 * len(digits)) % 10 == 0
