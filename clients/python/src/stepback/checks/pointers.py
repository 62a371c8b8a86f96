# Written by make_sync.py from apps/diffs/pointers.py: do not edit.
"""JSON pointers (RFC 6901): the one module that writes, parses and follows them.

Pure text and lookups, strict: text with a bad escape is no pointer, and a token that
does not fit is a KeyError. `core.json.pointers` makes them errors of a caller.
"""

import re
from collections.abc import Iterable
from typing import Any

_INDEX = re.compile(r"0|[1-9][0-9]{0,9}", re.ASCII)
_BAD_ESCAPE = re.compile(r"~(?![01])")


def escape(token: str) -> str:
    """Write one object key as it stands in a pointer."""
    if "~" in token or "/" in token:
        return token.replace("~", "~0").replace("/", "~1")
    return token


def unescape(token: str) -> str:
    """Return the object key that a token of a pointer is."""
    return token.replace("~1", "/").replace("~0", "~")


def split(pointer: str) -> list[str]:
    """Return the unescaped tokens of a pointer.

    Raises: ValueError for text that is not a pointer.
    """
    if not pointer:
        return []
    if not pointer.startswith("/"):
        raise ValueError("A JSON pointer is empty or starts with a slash.")
    if "~" not in pointer:
        return pointer[1:].split("/")
    if _BAD_ESCAPE.search(pointer):
        raise ValueError("In a JSON pointer ~ is written ~0, and / is written ~1.")
    return [unescape(token) for token in pointer[1:].split("/")]


def join(tokens: Iterable[str | int]) -> str:
    """Write keys and indexes as one pointer."""
    return "".join(f"/{escape(str(token))}" for token in tokens)


def parent(pointer: str) -> str:
    """Return the pointer of the container around a value."""
    return pointer.rpartition("/")[0]


def index(token: str) -> int:
    """Read a token as a list index.

    Raises: KeyError where it is none.
    """
    if not _INDEX.fullmatch(token):
        raise KeyError(token)
    return int(token)


def key(container: Any, token: str) -> str | int:
    """Return the key or index that a token names in the container.

    Raises: KeyError where there is nothing.
    """
    if isinstance(container, dict) and token in container:
        return token
    if isinstance(container, list) and (place := index(token)) < len(container):
        return place
    raise KeyError(token)


def step(container: Any, token: str) -> Any:
    """Go one token down.

    Raises: KeyError where there is nothing.
    """
    return container[key(container, token)]


def resolve(state: Any, pointer: str) -> Any:
    """Return the value that a pointer names.

    Raises: KeyError where there is nothing; ValueError for what is no pointer.
    """
    for token in split(pointer):
        state = step(state, token)
    return state


def has(container: Any, token: str) -> bool:
    """Return whether there is something one token down."""
    try:
        key(container, token)
    except KeyError:
        return False
    return True
