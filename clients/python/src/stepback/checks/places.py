# Written by make_sync.py from apps/checks/places.py: do not edit.
"""Places as checks write them: `state.order.id`, `state."odd key"`, `/order/id`."""

from __future__ import annotations

import json

from stepback.checks.errors import CheckRefused, Where
from stepback.checks.model import Place, Root
from stepback.checks.pointers import join, split
from stepback.checks.tokens import PART, PLAIN_KEY, Kind, Token, unquoted

LONGEST_POINTER = 500


def place_of(token: Token) -> Place:
    """Return the place that a token names; a pointer alone is one in the state.

    Raises: CheckRefused.
    """
    if token.kind is Kind.POINTER:
        return checked(Place(Root.STATE, token.text), token.where)
    root, _, _ = token.text.partition(".")
    keys = [
        unquoted(part["quoted"], token.at) if part["quoted"] else part["plain"]
        for part in PART.finditer(token.text, len(root))
    ]
    return checked(Place(Root(root), join(keys)), token.where)


def checked(place: Place, where: Where) -> Place:
    """Return a place that is short enough and written well.

    Raises: CheckRefused.
    """
    if len(place.pointer) > LONGEST_POINTER:
        raise CheckRefused(f"a place has at most {LONGEST_POINTER} characters", where)
    try:
        split(place.pointer)
    except ValueError as error:
        raise CheckRefused(str(error), where) from None
    return place


def written(place: Place) -> str:
    """Write a place the way `place_of` reads it."""
    return "".join([place.root, *(f".{_key(key)}" for key in split(place.pointer))])


def _key(key: str) -> str:
    # What prints nothing is escaped: no column of texts holds a NUL.
    is_plain = PLAIN_KEY.fullmatch(key) and key.isprintable()
    return key if is_plain else json.dumps(key, ensure_ascii=False)
