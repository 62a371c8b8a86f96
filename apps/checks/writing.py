"""Write a check as the line of text that `language` reads as the same check."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from apps.checks.model import (
    All,
    AnyOf,
    Check,
    Compared,
    Contains,
    Each,
    HasFormat,
    HasType,
    Literal,
    Not,
    OneOf,
    Operand,
    Place,
    Scalar,
    Size,
    There,
    Unique,
)
from apps.checks.places import written


def write_text(check: Check) -> str:
    """Return the text of a check; texts are always quoted."""
    return _WRITERS[type(check)](check)


def _combined(word: str) -> Callable[[Any], str]:
    """Write what a word stands between; a single check is written with itself."""
    return lambda check: f" {word} ".join(map(_part, check.checks))


def _part(check: Check) -> str:
    text = write_text(check)
    return f"({text})" if isinstance(check, (All, AnyOf)) else text


def _operand(operand: Operand) -> str:
    if isinstance(operand, Place):
        return written(operand)
    if isinstance(operand, Literal):
        return _value(operand.value)
    if isinstance(operand, Size):
        return f"size:{written(operand.place)}"
    return f"sum:{written(operand.place)}{_of(operand.of)}"


def _of(place: Place | None) -> str:
    return "" if place is None else f"({written(place)})"


def _value(value: Scalar) -> str:
    return json.dumps(value, ensure_ascii=False)


def _compared(check: Compared) -> str:
    return f"{_operand(check.left)}{check.comparison}{_operand(check.right)}"


def _one_of(check: OneOf) -> str:
    return f"{written(check.place)} IN [{', '.join(map(_value, check.values))}]"


_WRITERS: dict[type, Callable[[Any], str]] = {
    All: _combined("AND"),
    AnyOf: _combined("OR"),
    Not: lambda check: f"NOT {_part(check.check)}",
    Each: lambda check: f"EACH {written(check.place)} ({write_text(check.check)})",
    Compared: _compared,
    There: lambda check: f"there:{written(check.place)}",
    HasType: lambda check: f"type:{written(check.place)}={check.type}",
    HasFormat: lambda check: f"format:{written(check.place)}={check.format}",
    OneOf: _one_of,
    Contains: lambda check: f"{written(check.place)} CONTAINS {_value(check.value)}",
    Unique: lambda check: f"unique:{written(check.place)}{_of(check.of)}",
}
