# Written by make_sync.py from apps/checks/model.py: do not edit.
"""What a check is: places, operands, tests, and how they are combined.

All of it is frozen and comparable: two spellings of one check are equal once read.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

Scalar = str | int | float | bool | None


class Root(StrEnum):
    """Where a place begins: in this version, the one before, an item of `EACH`."""

    STATE = "state"
    WAS = "was"
    ITEM = "item"


class Comparison(StrEnum):
    EQUAL = "="
    LESS = "<"
    AT_MOST = "<="
    MORE = ">"
    AT_LEAST = ">="


class Type(StrEnum):
    """Types of JSON, by JSON Schema's names: 1.0 is an integer, too."""

    OBJECT = "object"
    ARRAY = "array"
    STRING = "string"
    NUMBER = "number"
    INTEGER = "integer"
    BOOLEAN = "boolean"
    NULL = "null"


class Format(StrEnum):
    """What a text may be written like; decided without regular expressions of users."""

    DATE = "date"
    DATE_TIME = "date-time"
    EMAIL = "email"
    URL = "url"
    UUID = "uuid"
    NUMBER = "number"


@dataclass(frozen=True, slots=True)
class Place:
    """A JSON pointer below a root."""

    root: Root
    pointer: str


@dataclass(frozen=True, slots=True)
class Literal:
    value: Scalar


@dataclass(frozen=True, slots=True)
class Size:
    """How many items, members or characters there are."""

    place: Place


@dataclass(frozen=True, slots=True)
class Sum:
    """The sum of a list's numbers, or of one number of each item."""

    place: Place
    of: Place | None = None


Measured = Place | Size | Sum
Operand = Measured | Literal


@dataclass(frozen=True, slots=True)
class Compared:
    """Numbers by value, texts by code points; other types are only ever equal."""

    left: Measured
    comparison: Comparison
    right: Operand


@dataclass(frozen=True, slots=True)
class There:
    place: Place


@dataclass(frozen=True, slots=True)
class HasType:
    place: Place
    type: Type


@dataclass(frozen=True, slots=True)
class HasFormat:
    place: Place
    format: Format


@dataclass(frozen=True, slots=True)
class OneOf:
    place: Place
    values: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Contains:
    """A list has an equal item; a text has the text within."""

    place: Place
    value: Scalar


@dataclass(frozen=True, slots=True)
class Unique:
    """No two items are equal, or equal at one place of each."""

    place: Place
    of: Place | None = None


@dataclass(frozen=True, slots=True)
class All:
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class Not:
    check: Check


@dataclass(frozen=True, slots=True)
class Each:
    """Every item of a list passes; a list without items does, no list fails."""

    place: Place
    check: Check


Test = Compared | There | HasType | HasFormat | OneOf | Contains | Unique
Check = Test | All | AnyOf | Not | Each
