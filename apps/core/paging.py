"""What lists share: the cursor envelope, and query parameters read strictly.

A parameter that does not parse is refused by name instead of ignored: a filter that
silently does nothing shows a caller what it did not ask for.
"""

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, TypeVar

from rest_framework.request import Request

from apps.core import json
from apps.core.errors import InvalidRequest, MalformedJson, UnacceptableJson
from apps.core.ids import ALPHABET, DIGITS
from apps.core.time.moments import moment

Item = TypeVar("Item")

DEFAULT_LIMIT = 20
MAXIMUM_LIMIT = 100
MAXIMUM_TEXT = 1000

_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,18}", re.ASCII)


def page(
    items: Sequence[Item],
    limit: int,
    id_of: Callable[[Item], str],
    show: Callable[[Item], Any] | None = None,
) -> dict[str, Any]:
    """Return the list envelope for items that were fetched up to `limit` + 1."""
    shown = items[:limit]
    return {
        "object": "list",
        "data": [show(item) for item in shown] if show else list(shown),
        "has_more": len(items) > limit,
        "first_id": id_of(shown[0]) if shown else None,
        "last_id": id_of(shown[-1]) if shown else None,
    }


def limit_of(
    request: Request,
    default: int = DEFAULT_LIMIT,
    maximum: int = MAXIMUM_LIMIT,
    name: str = "limit",
) -> int:
    """Return how many items are asked for; raises `InvalidRequest`."""
    found = integer_of(request, name, minimum=1, maximum=maximum)
    return default if found is None else found


def integer_of(
    request: Request, name: str, *, minimum: int, maximum: int
) -> int | None:
    """Return a whole number within bounds, None if not given."""
    text = text_of(request, name)
    if text is None:
        return None
    if not _WHOLE_NUMBER.fullmatch(text) or not minimum <= int(text) <= maximum:
        raise InvalidRequest(
            f"{name} takes a whole number from {minimum} to {maximum}.", param=name
        )
    return int(text)


def moment_of(request: Request, name: str) -> datetime | None:
    """Return a moment in UTC from ISO 8601: a date, or a time with or without zone.

    A plain date is its midnight, a time without a zone is UTC.
    """
    text = text_of(request, name)
    if text is None:
        return None
    try:
        return moment(text)
    except (ValueError, OverflowError):
        raise InvalidRequest(
            f"{name} takes a date or a time in ISO 8601, as in 2026-01-31 or "
            "2026-01-31T12:00:00Z.",
            param=name,
        ) from None


def flag_of(request: Request, name: str, *, default: bool = False) -> bool:
    """Return true or false, spelled in words or as 1 or 0."""
    text = text_of(request, name)
    if text is None:
        return default
    if text.lower() not in ("true", "false", "1", "0"):
        raise InvalidRequest(f"{name} takes true or false.", param=name)
    return text.lower() in ("true", "1")


def json_object_of(
    request: Request, name: str, maximum: int = MAXIMUM_TEXT
) -> dict[str, Any] | None:
    """Return a JSON object that stands in the query, None if not given."""
    text = text_of(request, name, maximum)
    if text is None:
        return None
    try:
        value = json.parse(text.encode())
    except (MalformedJson, UnacceptableJson) as error:
        raise InvalidRequest(
            f"{name} takes a JSON object: {error.message}", param=name
        ) from None
    if not isinstance(value, dict):
        raise InvalidRequest(f"{name} takes a JSON object.", param=name)
    return value


def cursor_of(request: Request, prefix: str, *, shortest: int = DIGITS) -> str | None:
    """Return the id of this kind that a page begins behind, None for a first page.

    Nothing needs to have that id any more. Of its digits `shortest` will do.

    Raises: InvalidRequest for what is no such id: a list begins nowhere.
    """
    cursor = text_of(request, "starting_after")
    shape = rf"{prefix}_[{ALPHABET}]{{{shortest},{DIGITS}}}"
    if cursor is not None and not re.fullmatch(shape, cursor):
        raise InvalidRequest(
            "starting_after takes the last_id of a page.", param="starting_after"
        )
    return cursor


def text_of(request: Request, name: str, maximum: int = MAXIMUM_TEXT) -> str | None:
    """Return one query parameter that PostgreSQL can compare, None if not given."""
    text: str | None = request.GET.get(name)
    if text is None:
        return None
    if len(text) > maximum:
        raise InvalidRequest(f"{name} takes at most {maximum} characters.", param=name)
    if "\0" in text:
        raise InvalidRequest(f"{name} cannot hold U+0000.", param=name)
    return text
