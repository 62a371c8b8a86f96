"""JSON pointers (RFC 6901): write, split and follow them.

Pure text and lookups. Nothing here guesses: a token that does not fit is a KeyError.
"""

import re

from apps.diffs.changes import Json

_INDEX = re.compile(r"0|[1-9][0-9]{0,9}", re.ASCII)


def escape(token: str) -> str:
    """Write one object key as it stands in a pointer."""
    if "~" in token or "/" in token:
        return token.replace("~", "~0").replace("/", "~1")
    return token


def split(pointer: str) -> list[str]:
    """Give the unescaped tokens of a pointer.

    Raises: ValueError for text that is not a pointer.
    """
    if not pointer:
        return []
    if not pointer.startswith("/"):
        raise ValueError("A JSON pointer is empty or starts with a slash.")
    return [
        token.replace("~1", "/").replace("~0", "~") for token in pointer[1:].split("/")
    ]


def join(tokens: list[str]) -> str:
    """Write tokens as one pointer."""
    return "".join(f"/{escape(token)}" for token in tokens)


def parent(pointer: str) -> str:
    """Give the pointer of the container around a value."""
    return pointer.rpartition("/")[0]


def index(token: str) -> int:
    """Read a token as a list index.

    Raises: KeyError where it is none.
    """
    if not _INDEX.fullmatch(token):
        raise KeyError(token)
    return int(token)


def step(container: Json, token: str) -> Json:
    """Go one token down.

    Raises: KeyError where there is nothing.
    """
    if isinstance(container, dict):
        return container[token]
    if isinstance(container, list) and (place := index(token)) < len(container):
        return container[place]
    raise KeyError(token)


def resolve(state: Json, pointer: str) -> Json:
    """Give the value that a pointer names.

    Raises: KeyError where there is nothing.
    """
    for token in split(pointer):
        state = step(state, token)
    return state


def has(container: Json, token: str) -> bool:
    """Whether there is something one token down."""
    try:
        step(container, token)
    except KeyError:
        return False
    return True
