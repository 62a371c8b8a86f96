"""A conversation as entries: each a message, by whom, when, in which version.

What was stored and does not read says so in its place. Asks the database nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from apps.console.pages.session import json_tree, version_text
from apps.console.pages.session.conversation import tool_calls
from apps.console.pages.session.conversation.spoken import (
    NAMES,
    Said,
    said_in,
    speaker_of,
)
from apps.console.pages.session.conversation.tool_calls import CALLS, Card
from apps.core import json
from apps.core.errors import Busy, DomainError
from apps.core.json import Json
from apps.timeline.models import Turn
from apps.timeline.queries import (
    Call,
    KeptMessage,
    ListedTurn,
    calls_in_messages,
    calls_in_turn,
)
from apps.timeline.stepping import Speaker, kind_of
from apps.timeline.versions import CorruptBody, set_aside_by

Place = tuple[int, int]
NOTHING = Said()
# The answers of tools, by which message calls, and which of its calls.
Answers = dict[tuple[int, int], Json]


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One message. `place` says where it is among all, `where` the same in words."""

    place: Place
    where: str
    at: datetime
    number: int
    kind: Speaker = Speaker.OTHER
    speaker: str = NAMES[Speaker.OTHER]
    said: Said = NOTHING
    cards: Sequence[Card] = ()
    n_more_cards: int = 0
    # Whether it came with the version, or found it and left it as it was.
    made_version: bool = False
    set_aside_by: int | None = None
    is_rewritten: bool = False
    is_unreadable: bool = False
    is_erased: bool = False
    # Of a turn that is too large to be read in a list.
    size: int | None = None
    # Versions whose place in the conversation this is, the first of which is its own.
    places_of: Sequence[int] = ()
    is_here: bool = False
    begins_day: bool = False
    # The query of a page that has it.
    link: str = ""

    @property
    def anchor(self) -> str:
        number, index = self.place
        return f"m-{number}-{index}" if index else f"m-{number}"

    @property
    def cursor(self) -> str:
        return "{}.{}".format(*self.place)

    @property
    def is_closed(self) -> bool:
        """Whether it is shown closed: policies and other text of the system."""
        return self.kind == Speaker.SYSTEM

    @property
    def is_cut(self) -> bool:
        is_cut = self.said.is_cut or any(card.is_cut for card in self.cards)
        return is_cut or bool(self.n_more_cards) or self.size is not None

    @property
    def amount(self) -> str:
        """How much there is of what is not shown whole."""
        if self.size is not None:
            return version_text.size(self.size)
        n_characters = self.said.n_characters
        return f"{n_characters:,} characters" if self.said.is_cut else ""

    @property
    def is_silent(self) -> bool:
        """Whether there is nothing to show: it neither says nor calls anything."""
        is_told = self.is_unreadable or self.is_erased or self.size is not None
        return not (self.said or self.cards or is_told)

    @property
    def length(self) -> int:
        """How many characters of the agent's it puts on the page, as HTML."""
        return self.said.length + sum(card.length for card in self.cards)


def of_turn(
    turn: ListedTurn | Turn, live: Sequence[range], *, whole: bool = False
) -> list[Entry]:
    """Return what was said in a turn: what came in, then what the agent made of it."""
    base = Entry(
        place=(turn.turn_number, 0),
        where=f"turn {turn.turn_number:,}",
        at=turn.created_at,
        number=turn.head_number,
        speaker="Turn",
        made_version=turn.made_version,
        set_aside_by=set_aside_by(live, turn.head_number),
    )
    if turn.is_emptied:
        return [replace(base, is_erased=True)]
    if turn.data is None:
        return [replace(base, size=turn.size)]
    try:
        parts = turn.parts()
        heard, answer = json.parse(parts["input"]), json.parse(parts["output"])
        calls = calls_in_turn(parts)
    except Busy:
        raise  # nothing is wrong with it
    except (CorruptBody, DomainError, KeyError, AttributeError):
        # Bytes that are not what was written may be anything, also no turn.
        return [replace(base, is_unreadable=True)]
    if kind_of(heard, Speaker.CUSTOMER) == Speaker.TOOL and calls:
        return [_of_tool(base, answer, calls, whole=whole)]
    entries = [
        _speaking(base, heard, Speaker.CUSTOMER, whole=whole),
        replace(
            _speaking(base, answer, Speaker.AGENT, whole=whole),
            place=(turn.turn_number, 1),
            **_cards(calls, {}, 0, whole=whole),
        ),
    ]
    return [one for one in entries if not one.is_silent] or entries[1:]


def of_messages(
    kept: Sequence[KeptMessage], live: Sequence[range], *, whole: bool = False
) -> list[Entry]:
    """Return messages that versions brought; an answer goes with the call it answers.

    Where the call is not among them, the answer is an entry of its own.
    """
    calls = [calls_in_messages([one.message]) for one in kept]
    answers, with_their_calls = _answers(kept, calls)
    return [
        replace(
            _speaking(_base(one, live), one.message, Speaker.OTHER, whole=whole),
            **_cards(calls[at], answers, at, whole=whole),
        )
        for at, one in enumerate(kept)
        if at not in with_their_calls
    ]


def _base(kept: KeptMessage, live: Sequence[range]) -> Entry:
    number, index = kept.place
    return Entry(
        place=(number, index),
        where=f"message {index + 1:,}",
        at=kept.version.created_at,
        number=number,
        made_version=True,
        set_aside_by=set_aside_by(live, number),
        is_rewritten=kept.is_rewritten,
    )


def _speaking(base: Entry, message: Json, default: Speaker, *, whole: bool) -> Entry:
    kind = kind_of(message, default)
    return replace(
        base,
        kind=kind,
        speaker=speaker_of(message, kind),
        said=said_in(message, kind=kind, whole=whole),
    )


def _of_tool(base: Entry, answer: Json, calls: Sequence[Call], *, whole: bool) -> Entry:
    """Return a turn that reports a call of a tool and what the tool answered."""
    result = answer
    if isinstance(answer, dict):
        result = answer.get("output", answer.get("content"))
    return replace(
        base,
        kind=Speaker.TOOL,
        speaker=NAMES[Speaker.TOOL],
        **_cards(calls, {(0, 0): result}, 0, whole=whole),
    )


def _cards(
    calls: Sequence[Call], answers: Answers, at: int, *, whole: bool
) -> dict[str, Any]:
    """Return the cards of a message's calls, and how many calls are left out."""
    longest = json_tree.LONGEST_WHOLE if whole else tool_calls.LONGEST
    some = calls if whole else calls[:CALLS]
    cards = [
        tool_calls.card(call, answers.get((at, index)), longest=longest)
        for index, call in enumerate(some)
    ]
    return {"cards": cards, "n_more_cards": len(calls) - len(some)}


def _answers(
    kept: Sequence[KeptMessage], calls: Sequence[Sequence[Call]]
) -> tuple[Answers, set[int]]:
    """Return the answers to calls, and which messages they are."""
    waiting: dict[str, tuple[int, int]] = {}
    answers: Answers = {}
    found = set()
    for at, one in enumerate(kept):
        waiting |= {
            call.id: (at, index) for index, call in enumerate(calls[at]) if call.id
        }
        message = one.message
        if (
            not isinstance(message, dict)
            or kind_of(message, Speaker.OTHER) != Speaker.TOOL
        ):
            continue
        call = waiting.pop(str(message.get("tool_call_id")), None)
        if call is not None:
            answers[call] = message.get("content")
            found.add(at)
    return answers, found
