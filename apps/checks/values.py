"""JSON values as checks compare them: numbers by what is written, texts by code points.

0.1 + 0.2 is 0.3 and 1e23 is 10 to the 23rd, because a float stands for its shortest
spelling and not for the nearest binary fraction. 1 equals 1.0; true equals no number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable
from datetime import date
from fractions import Fraction
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from apps.checks.model import Format, Type

Number = int | Fraction
Take = Callable[[int], None]

# A text of this many characters costs a look more to read.
TEXT_PER_LOOK = 4096
LONGEST_FORMATTED = 2_000
LONGEST_EMAIL = 254

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_MOMENT = re.compile(
    r"(?P<date>\d{4}-\d{2}-\d{2})[Tt ]"
    r"(?P<hour>\d{2}):(?P<minute>\d{2}):(?P<second>\d{2})(?:\.\d+)?"
    r"(?:[Zz]|(?P<sign>[+-])(?P<ahead>\d{2}):(?P<past>\d{2}))",
    re.ASCII,
)


def number_of(value: Any) -> Number | None:
    """Return the number that is written, None for what is none."""
    if type(value) is int or type(value) is Fraction:
        return value
    if type(value) is float and math.isfinite(value):
        return Fraction(repr(value))
    return None


def key_of(value: Any, take: Take) -> Hashable:
    """Return what equals the key of each equal value, and of no other.

    `take` is told of each value that is looked at, and may stop it.
    """
    take(1)
    if value is None or isinstance(value, bool):
        return ("word", value)
    if isinstance(value, str):
        take(len(value) // TEXT_PER_LOOK)
        return value
    if isinstance(value, list):
        return ("array", tuple(key_of(item, take) for item in value))
    if isinstance(value, dict):
        members = ((name, key_of(item, take)) for name, item in value.items())
        return ("object", frozenset(members))
    return number_of(value)


def has_type(value: Any, wanted: Type) -> bool:
    if wanted is Type.NUMBER:
        return number_of(value) is not None
    if wanted is Type.INTEGER:
        number = number_of(value)
        return number is not None and number.denominator == 1
    return type(value) is _TYPES[wanted]


def has_format(value: Any, wanted: Format) -> bool:
    """Decide for texts up to a length; anything else is written like nothing."""
    if not isinstance(value, str) or len(value) > LONGEST_FORMATTED:
        return False
    try:
        return _FORMATS[wanted](value)
    except ValueError:
        return False


def _is_date(text: str) -> bool:
    """Decide for a full date of RFC 3339; `fromisoformat` also takes weeks."""
    if not _DATE.fullmatch(text):
        return False
    # There is a year 0, with the days of 2000; Python's begin with 1.
    return bool(date(int(text[:4]) or 2000, int(text[5:7]), int(text[8:])))


def _is_moment(text: str) -> bool:
    """Decide for a date with a time and an offset from UTC, as RFC 3339 has them."""
    found = _MOMENT.fullmatch(text)
    if not found or not _is_date(found["date"]):
        return False
    named = ("hour", "minute", "second", "ahead", "past")
    hour, minute, second, ahead, past = (int(found[one] or 0) for one in named)
    if hour > 23 or minute > 59 or ahead > 23 or past > 59:
        return False
    offset = (ahead * 60 + past) * (-1 if found["sign"] == "-" else 1)
    # A leap second is the last one of a day in UTC.
    is_last = (hour * 60 + minute - offset) % (24 * 60) == 24 * 60 - 1
    return second < 60 or (second == 60 and is_last)


def _is_email(text: str) -> bool:
    name, at, domain = text.rpartition("@")
    labels = domain.split(".")
    is_one_word = text.isprintable() and not any(map(str.isspace, text))
    return (
        bool(at and name)
        and len(text) <= LONGEST_EMAIL
        and "@" not in name
        and is_one_word
        and len(labels) > 1
        and all(labels)
    )


def _is_url(text: str) -> bool:
    """Decide for an address of the web; a port that there is not is a ValueError."""
    parts = urlsplit(text)
    _ = parts.port
    is_one_word = not any(map(str.isspace, text))
    return parts.scheme in ("http", "https") and bool(parts.hostname) and is_one_word


def _is_uuid(text: str) -> bool:
    return str(UUID(text)) == text.lower()


def _is_number(text: str) -> bool:
    return text.isascii() and "_" not in text and math.isfinite(float(text))


_TYPES: dict[Type, type] = {
    Type.OBJECT: dict,
    Type.ARRAY: list,
    Type.STRING: str,
    Type.BOOLEAN: bool,
    Type.NULL: type(None),
}
_FORMATS: dict[Format, Callable[[str], bool]] = {
    Format.DATE: _is_date,
    Format.DATE_TIME: _is_moment,
    Format.EMAIL: _is_email,
    Format.URL: _is_url,
    Format.UUID: _is_uuid,
    Format.NUMBER: _is_number,
}
