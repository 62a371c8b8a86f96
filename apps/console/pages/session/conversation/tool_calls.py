"""A tool call as a card: its name, what it was given, what it answered.

Makes plain text, bounded; what was cut says so. An answer that is JSON inside a text,
as most are, is written as the JSON it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from apps.console.pages.session import change_table
from apps.console.pages.session.change_table import Side
from apps.core import json
from apps.core.errors import DomainError
from apps.core.json import Json
from apps.diffs.text import shorten
from apps.timeline.queries import Call

# On one line, and where the card is open.
GLANCE = 90
LONGEST = 2_000
CALLS = 12


@dataclass(frozen=True, kw_only=True, slots=True)
class Card:
    """One call; `result` is None where its answer was not reported with it."""

    name: str
    id: str
    arguments: Side | None
    result: Side | None
    glance: str
    result_glance: str
    # What can be done about it, where it was begun as an effect.
    class_words: str = ""
    # Nothing was called: a result of the record answered it.
    is_reused: bool = False

    @property
    def is_cut(self) -> bool:
        return any(
            one is not None and one.is_cut for one in (self.arguments, self.result)
        )

    @property
    def length(self) -> int:
        """How many characters of HTML it takes."""
        sides = (self.arguments, self.result)
        return sum(len(escape(one.text)) for one in sides if one is not None)


def card(call: Call, result: Json = None, *, longest: int = LONGEST) -> Card:
    """Return a call with its answer; None says that there is none."""
    arguments = call.arguments
    answer = _unpacked(result)
    return Card(
        name=shorten(call.name, 120) or "(unnamed)",
        id=shorten(call.id, 60) if call.id else "",
        arguments=None
        if arguments is None
        else change_table.written(arguments, longest),
        result=None if answer is None else change_table.written(answer, longest),
        glance="" if arguments is None else _glance(arguments),
        result_glance="" if answer is None else _glance(answer),
    )


def _unpacked(result: Json) -> Json:
    """Return the JSON object or list that a text is, if it is one."""
    if not isinstance(result, str) or result[:1] not in ("{", "["):
        return result
    try:
        return json.parse(result.encode(errors="replace"))
    except DomainError:
        return result


def _glance(value: Json) -> str:
    """Write the beginning of a value on one line."""
    side = change_table.written(value, GLANCE * 2)
    return shorten(" ".join(side.text.split()), GLANCE)
