"""Read SQL as nested tokens: words, parameters and operators, and groups of them.

As much of PostgreSQL's lexical rules as statements of ours and of Django's ORM use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import TypeAlias

_TOKEN = re.compile(
    r"""
      (?P<space>\s+|--[^\n]*|/\*.*?\*/)
    | (?P<text>[eE]?'(?:[^'\\]|''|\\.)*'|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$)
    | (?P<quoted>"(?:[^"]|"")*")
    | (?P<parameter>%\(\w+\)s|%s|%b|%t|\$\d+)
    | (?P<word>[^\W\d][\w$]*)
    | (?P<number>\d[\w.]*)
    | (?P<mark>::|:=|=>|[(),;.\[\]:])
    | (?P<operator>%%|[+\-*/<>=~!@\#%^&|`?]+)
    """,
    re.VERBOSE | re.DOTALL,
)
_CLOSING = {"(": ")", "[": "]"}


class Is(Enum):
    """What a token is."""

    WORD = auto()
    PARAMETER = auto()
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """A word in lower case, a parameter by its name or place, or anything else.

    A quoted word is no keyword.
    """

    text: str
    kind: Is = Is.OTHER
    is_quoted: bool = False

    def says(self, *keywords: str) -> bool:
        """Say whether it is one of these keywords or marks."""
        return self.text in keywords and not self.is_quoted


@dataclass(frozen=True, slots=True)
class Group:
    """What stands between brackets."""

    items: Items
    opened_by: str = "("

    def says(self, *keywords: str) -> bool:
        return False


Items: TypeAlias = "list[Token | Group]"


def read(text: str) -> Items:
    """Return a statement as nested tokens.

    Raises: ValueError for what is not SQL, as far as that can be seen here.
    """
    open_groups: list[tuple[str, Items]] = [("", [])]
    for token in _tokens(text):
        if token.says("(", "["):
            open_groups.append((token.text, []))
        elif token.says(")", "]"):
            opened_by, items = open_groups.pop()
            if _CLOSING.get(opened_by) != token.text:
                raise ValueError(f"{token.text} closes what is not open")
            open_groups[-1][1].append(Group(items, opened_by))
        else:
            open_groups[-1][1].append(token)
    if len(open_groups) > 1:
        raise ValueError(f"{open_groups[-1][0]} is not closed")
    return open_groups[0][1]


def _tokens(text: str) -> Iterator[Token]:
    at, place = 0, 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise ValueError(f"{text[at]!r} is not understood")
        at = found.end()
        kind, written = found.lastgroup, found.group()
        if found["parameter"]:
            place += 1
            yield Token(_named(written, place), Is.PARAMETER)
        elif found["word"]:
            yield Token(written.lower(), Is.WORD)
        elif found["quoted"]:
            yield Token(written[1:-1], Is.WORD, is_quoted=True)
        elif kind != "space":
            yield Token(written)


def _named(written: str, place: int) -> str:
    """Return what a parameter is called: its name, its number, or its place."""
    if written.startswith("%("):
        return written[2:-2]
    return written if written.startswith("$") else f"%{place}"


def words(items: Items) -> Iterator[Token]:
    """Yield the words of a statement, in their order, whatever they stand in."""
    for item in items:
        if isinstance(item, Group):
            yield from words(item.items)
        elif item.kind is Is.WORD:
            yield item


def split(items: Items, *marks: str) -> list[Items]:
    """Return what stands between these marks, outside groups."""
    parts: list[Items] = [[]]
    for item in items:
        if item.says(*marks):
            parts.append([])
        else:
            parts[-1].append(item)
    return parts
