"""Places in a state as the search language writes them.

`state.order.id`, with odd keys quoted (`state."odd key".x`), or a JSON pointer
(`/order/id`), which ends at the first `=`, `:`, `<` or `>`.
"""

from __future__ import annotations

import json
import re

from apps.core.errors import UnacceptableJson
from apps.core.json import pointer, segments
from apps.timeline.search.grammar.scanner import Scanner

LONGEST_POINTER = 500

_STATE = re.compile(r"state(?=[.=:<>\s]|\Z)")
_KEY = re.compile(r'[^\s."=:<>/]+')
_POINTER = re.compile(r"/[^\s=:<>]*")
_DOT = re.compile(r"\.")


def is_here(scanner: Scanner) -> bool:
    """Say whether a place in the state is written here; a slash alone may be a word."""
    return bool(_STATE.match(scanner.text, scanner.at)) or scanner.looks_at("/")


def take(scanner: Scanner) -> str:
    """Take a place, and return it as a JSON pointer.

    Raises: InvalidRequest.
    """
    start = scanner.at
    if scanner.looks_at("/"):
        found = _checked_pointer(scanner, scanner.take(_POINTER) or "")
    else:
        found = pointer(_keys(scanner))
    if len(found) > LONGEST_POINTER:
        scanner.fail(f"a place has at most {LONGEST_POINTER} characters", at=start)
    return found


def written(place: str) -> str:
    """Write a JSON pointer the way `take` reads it."""
    return "".join(["state", *(f".{_written_key(key)}" for key in segments(place))])


def _keys(scanner: Scanner) -> list[str]:
    scanner.take(_STATE)
    found: list[str] = []
    while scanner.take(_DOT):
        at = scanner.at
        if scanner.looks_at('"'):
            found.append(scanner.quoted())
        else:
            key = scanner.take(_KEY)
            if key is None:
                scanner.fail("the name of a key is missing behind the dot", at=at)
            found.append(key)
    return found


def _checked_pointer(scanner: Scanner, found: str) -> str:
    try:
        segments(found)
    except UnacceptableJson:
        scanner.fail(
            "no JSON pointer: ~ is written ~0 and / is written ~1",
            at=scanner.at - len(found),
        )
    return found


def _written_key(key: str) -> str:
    # A search that holds U+0000 as it is would be refused.
    is_plain = _KEY.fullmatch(key) and "\0" not in key
    return key if is_plain else json.dumps(key, ensure_ascii=False)
