"""Convert a value to another type, exactly, or not at all."""

from __future__ import annotations

import re
from typing import TypeGuard

from apps.core import json
from apps.core.errors import DomainError
from apps.core.json import Json
from apps.schemas.steps.reading import Type

# Beyond it a number with a point no longer says which whole number it is.
_EXACT = 2**53
_WHOLE = re.compile(r"-?(0|[1-9][0-9]*)")
_TRUTHS = {"true": True, "false": False}


class CannotConvert(ValueError):
    """The value says nothing of that type."""


def converted(value: Json, to: Type) -> Json:
    """Return the value as one of this type; null stays null.

    Raises: CannotConvert.
    """
    if value is None:
        return None
    match to:
        case Type.STRING:
            return _string(value)
        case Type.INTEGER:
            return _integer(value)
        case Type.NUMBER:
            return _number(value)
        case Type.BOOLEAN:
            return _boolean(value)
        case Type.LIST:
            return value if isinstance(value, list) else [value]


def _string(value: Json) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float):
        return json.dumps(value).decode()
    raise CannotConvert("A list or an object is no text.")


def _integer(value: Json) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) <= _EXACT:
        return int(value)
    if _is_short(value) and _WHOLE.fullmatch(value):
        return int(value)
    raise CannotConvert("This is no whole number.")


def _is_short(value: Json) -> TypeGuard[str]:
    return isinstance(value, str) and len(value) <= json.MAX_DIGITS


def _number(value: Json) -> int | float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if isinstance(value, str):
        try:
            found = json.parse(value.encode())
        except (DomainError, UnicodeEncodeError):
            found = None
        if isinstance(found, int | float) and not isinstance(found, bool):
            return found
    raise CannotConvert("This is no number.")


def _boolean(value: Json) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value in _TRUTHS:
        return _TRUTHS[value]
    if isinstance(value, int) and value in (0, 1):
        return bool(value)
    raise CannotConvert("This is neither true nor false.")
