"""What a key may be: whatever every client's address for it finds again.

Anchor's clients put keys into addresses as they are. What an address would turn into
another one is refused where it is written: to delete it would delete another key.
"""

from __future__ import annotations

import re

from apps.core.errors import InvalidRequest
from apps.data.errors import InvalidKey

LONGEST_KEY = 512
# They end an address or are decoded in it; a browser makes a slash of a backslash.
_MARKS = re.compile(r"[?#\\]|%[0-9A-Fa-f]{2}")
# Clients drop some of them, and the database refuses the first.
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
_DOTS = frozenset({".", ".."})
# What stands at these addresses is no key.
_ROUTES = frozenset({"batch", "search"})
_BEGINNING = "prefix/"
_ENDINGS = ("/full", "/versions")


def require_key(key: str, *, param: str = "key") -> None:
    """Refuse what no client could read again under its address.

    Raises: InvalidKey.
    """
    fault = _fault_of_text(key) or _fault_of_address(key)
    if fault is not None:
        raise InvalidKey(f"A key {fault}", param=param)


def require_prefix(prefix: str, *, param: str = "prefix") -> None:
    """Refuse what no key begins with; nothing at all would mean every key.

    Raises: InvalidRequest for nothing, InvalidKey.
    """
    if not prefix:
        raise InvalidRequest(
            "A prefix has at least one character: none would mean all keys.",
            param=param,
        )
    fault = _fault_of_text(prefix)
    if fault is not None:
        raise InvalidKey(f"A prefix {fault}", param=param)


def _fault_of_text(text: str) -> str | None:
    if not text:
        return "has at least one character."
    if len(text) > LONGEST_KEY:
        return f"has at most {LONGEST_KEY} characters."
    if any("\ud800" <= one <= "\udfff" for one in text):
        return "is text: half of a surrogate pair is not."
    if _CONTROLS.search(text):
        return "holds no control characters, such as NUL or a line's end."
    return None


def _fault_of_address(key: str) -> str | None:
    if _MARKS.search(key):
        return (
            "holds no `?`, `#`, `\\` nor `%` with two hex digits behind it: in an "
            "address they lead to another key."
        )
    if not _DOTS.isdisjoint(key.split("/")):
        return "has no part `.` or `..`: in an address they lead to another key."
    if key != key.rstrip():
        return "does not end with a space: clients cut it off."
    if key in _ROUTES or key.startswith(_BEGINNING) or key.endswith(_ENDINGS):
        return (
            "is not `batch` or `search`, begins not with `prefix/` and ends not with "
            "`/full` or `/versions`: these are addresses of their own."
        )
    return None
