# Written by make_sync.py from apps/checks/tokens.py: do not edit.
"""Split a check's text into tokens, each with the place where it stands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from stepback.checks.errors import CheckRefused, Where

_KEY = r'[^\s."=<>()\[\],/]+'
_STRING = r'"(?:[^"\\]|\\.)*"'


class Kind(StrEnum):
    PLACE = "place"
    POINTER = "pointer"
    STRING = "string"
    OPERATOR = "operator"
    MARK = "mark"
    FUNCTION = "function"
    WORD = "word"
    END = "end"


# In the order in which they are tried; none can take more than linear time.
_TOKENS = re.compile(
    "|".join(
        f"(?P<{kind.name}>{pattern})"
        for kind, pattern in (
            (Kind.STRING, _STRING),
            (Kind.OPERATOR, "<=|>=|[=<>]"),
            (Kind.MARK, r"[()\[\],]"),
            (Kind.FUNCTION, r"[A-Za-z]+:(?=\S)"),
            (
                Kind.PLACE,
                rf"(?:state|was|item)(?:\.(?:{_STRING}|{_KEY}))*(?=[\s=<>()\[\],]|\Z)",
            ),
            (Kind.POINTER, r"/[^\s=<>()\[\],]*"),
            (Kind.WORD, r'[^\s"()=<>\[\],]+'),
        )
    ),
    re.DOTALL,
)
_SPACE = re.compile(r"\s*")
PART = re.compile(rf"\.(?:(?P<quoted>{_STRING})|(?P<plain>{_KEY}))", re.DOTALL)
PLAIN_KEY = re.compile(_KEY)


@dataclass(frozen=True, slots=True)
class Token:
    kind: Kind
    text: str
    at: int

    @property
    def where(self) -> Where:
        return Where(position=self.at)


def tokens_of(text: str) -> Iterator[Token]:
    """Yield all tokens, and one for the end.

    Raises: CheckRefused for an open quote.
    """
    at = _skipped(text, 0)
    while at < len(text):
        found = _TOKENS.match(text, at)
        if found is None:
            raise CheckRefused("this quote is not closed", Where(position=at))
        yield Token(Kind[str(found.lastgroup)], found.group(), at)
        at = _skipped(text, found.end())
    yield Token(Kind.END, "", len(text))


def unquoted(written: str, at: int) -> str:
    """Return the text that a JSON string stands for.

    Raises: CheckRefused.
    """
    try:
        found = json.loads(written, strict=False)
    except json.JSONDecodeError as error:
        raise CheckRefused("no JSON string", Where(position=at + error.pos)) from None
    if any("\ud800" <= character <= "\udfff" for character in found):
        raise CheckRefused("half a character (a lone surrogate)", Where(position=at))
    return str(found)


def _skipped(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
