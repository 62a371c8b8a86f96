"""What a session did, step by step: its versions and calls, by the customer's turns.

A step belongs to the last turn before it, or to the one that made it. Without turns the
messages that the versions hold say where a turn begins. Asks for a window, and says how
far that reaches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from apps.console.pages.session import version_text
from apps.console.pages.session.conversation.spoken import (
    CUSTOMER,
    OTHER,
    kind_of,
    said_in,
)
from apps.console.pages.session.timeline_rows import REASONING, one_line
from apps.core import json
from apps.core.errors import DomainError
from apps.core.json import Json
from apps.diffs.changes import Change
from apps.diffs.meaning.incidental import is_incidental
from apps.diffs.meaning.noise import Noise
from apps.diffs.text import shorten, visible
from apps.timeline.models import Session
from apps.timeline.queries import (
    Call,
    KeptMessage,
    ListedTurn,
    MessagePlace,
    calls_in_messages,
    calls_in_turn,
    kept_messages,
    message_window,
    turns_on,
)
from apps.timeline.versions import (
    CorruptBody,
    VersionRow,
    live_ranges,
    set_aside_by,
    versions_at,
    versions_of,
)
from apps.timeline.words import Op

STEPS = 60
SAID = 300
# Operations that write a state, and are no acts of their own.
WRITING = frozenset({Op.CREATE, Op.UPDATE, Op.REPLACE, Op.TURN})
# Ends of what an append kept of a value that it shortened.
CUT = "…"
LAST_ITEM = 10**9
# Among so many messages before a window the last of a customer is looked for.
LAST_MESSAGES = 50


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One version, or one call of a tool; `does` is what it did, to be compared.

    `is_whole`: all of what it did is in that.
    """

    does: tuple[Any, ...]
    is_whole: bool = True
    # The version that it is, or that a call belongs to.
    number: int | None = None
    call: str = ""
    arguments: str = ""
    version: VersionRow | None = None
    operation: str = ""
    words: str = ""
    reasoning: str = ""
    flags: Sequence[str] = ()
    set_aside_by: int | None = None
    is_last: bool = False

    @property
    def action(self) -> tuple[Any, ...]:
        """What it did, whatever with."""
        return self.does[:2]

    @property
    def writes(self) -> bool:
        """Whether it is a version as agents write them, by whatever operation."""
        return self.version is not None and self.version.op in WRITING


@dataclass(kw_only=True, slots=True)
class Group:
    """What a customer said, None before the first of them, and the steps since."""

    said: str | None = None
    steps: list[Step] = field(default_factory=list)

    @property
    def key(self) -> str:
        return "" if self.said is None else self.said.casefold()


@dataclass(frozen=True, kw_only=True, slots=True)
class Window:
    """Steps of successive versions, from `first` to `last` of those up to `end`."""

    groups: Sequence[Group] = ()
    first: int | None = None
    last: int | None = None
    end: int = 0
    # The version of whose turns or messages not all were looked at.
    cut_at: int | None = None

    @property
    def has_more(self) -> bool:
        return self.last is not None and self.last < self.end


def window(session: Session, *, after: int, end: int, noise: Noise) -> Window:
    """Return the steps of the versions after one number, up to another."""
    rows = versions_of(session.id, newest_first=False, after=after, limit=STEPS - 1)[
        :STEPS
    ]
    rows = [row for row in rows if row.number <= end]
    if not rows:
        return Window(end=end)
    read = _by_turns if session.turn_count else _by_messages
    rows, told, is_cut = read(session, rows)
    begun = Group(said=None if after < 0 else _said_before(session, after))
    live = live_ranges(session.id, end)
    steps = {row.number: _step(row, live, end, noise) for row in rows}
    return Window(
        groups=list(_groups(begun, rows, steps, told)),
        first=rows[0].number,
        last=rows[-1].number,
        end=end,
        cut_at=rows[-1].number if is_cut else None,
    )


# What is told beside a version: whether before it, what a customer said, calls.
_Told = dict[int, list[tuple[bool, str | None, list[Call]]]]


def _by_turns(
    session: Session, rows: list[VersionRow]
) -> tuple[list[VersionRow], _Told, bool]:
    """Return the versions of which all turns are known, and what those tell.

    The first is kept where not all of its own are known, which is said.
    """
    found, is_all = turns_on(session.id, [row.number for row in rows])
    known = rows
    if not is_all:
        known = [row for row in rows if row.number < found[-1].head_number]
    told: _Told = {}
    for turn in found:
        heard, calls = _heard(turn)
        told.setdefault(turn.head_number, []).append((turn.made_version, heard, calls))
    return known or rows[:1], told, not known


def _heard(turn: ListedTurn) -> tuple[str | None, list[Call]]:
    """Return what a customer said in a turn, and its calls; nothing if damaged."""
    try:
        parts = turn.parts()
        heard = json.parse(parts["input"])
        return _customers(heard, CUSTOMER), calls_in_turn(parts)
    except (CorruptBody, DomainError, KeyError, AttributeError, ValueError):
        return None, []


def _by_messages(
    session: Session, rows: list[VersionRow]
) -> tuple[list[VersionRow], _Told, bool]:
    """Return the versions of which all messages are known, and what those tell.

    A fork begins with its origin's: nobody said them again.
    """
    first = rows[0].number
    after = MessagePlace(first - 1, LAST_ITEM) if first else None
    found = message_window(session.id, after=after)
    told: _Told = {}
    is_fork = rows[0].op == Op.FORK
    for kept in found.messages:
        if kept.place.number == 0 and is_fork:
            continue
        told.setdefault(kept.place.number, []).append(_spoken(kept))
    reached = found.last
    if found.has_later and found.messages:
        reached = found.messages[-1].place.number - 1
    known = [row for row in rows if row.number <= reached]
    return known or rows[:1], told, not known


def _spoken(kept: KeptMessage) -> tuple[bool, str | None, list[Call]]:
    return True, _customers(kept.message, OTHER), calls_in_messages([kept.message])


def _customers(message: Json, default: str) -> str | None:
    """Return what a customer says in a message, shortened to a few lines' worth."""
    if kind_of(message, default) != CUSTOMER:
        return None
    said = said_in(message, kind=CUSTOMER)
    text = said.text or (said.side.text if said.side else "")
    return one_line(text, SAID) or None


def _said_before(session: Session, number: int) -> str | None:
    """Return what a customer said last, up to a version, where that tells of it."""
    if session.turn_count:
        turns, is_all = turns_on(session.id, [number])
        texts = [_heard(turn)[0] for turn in turns] if is_all else []
    else:
        versions = versions_at(session.id, [number])
        try:
            kept = kept_messages(versions[0]) if versions else []
        except (CorruptBody, DomainError):
            return None
        texts = [_customers(one, OTHER) for one in kept[-LAST_MESSAGES:]]
    return next((one for one in reversed(texts) if one is not None), None)


def _groups(
    group: Group, rows: Iterable[VersionRow], steps: dict[int, Step], told: _Told
) -> Iterator[Group]:
    """Yield what was said with its steps, beginning in the middle of a group."""
    begun = group
    for row in rows:
        here = told.get(row.number, [])
        before = [one for one in here if one[0]]
        for _, heard, _ in before:
            if heard is not None:
                yield from (group,) if group is not begun or group.steps else ()
                group = Group(said=heard)
        # A fork begins with a copy, which is no step.
        if row.op != Op.FORK or row.change_count:
            group.steps.append(steps[row.number])
        group.steps += [
            _called(call, row.number) for _, _, calls in before for call in calls
        ]
        for _, heard, calls in (one for one in here if not one[0]):
            if heard is not None:
                yield from (group,) if group is not begun or group.steps else ()
                group = Group(said=heard)
            group.steps += [_called(call, row.number) for call in calls]
    yield from (group,) if group is not begun or group.steps else ()


def _step(version: VersionRow, live: Sequence[range], end: int, noise: Noise) -> Step:
    kept = version_text.restored(version)
    told = [
        one for one in kept if not (noise.covers(one.pointer) or is_incidental(one))
    ]
    is_whole = len(kept) == version.change_count and not any(map(_is_cut, told))
    return Step(
        does=("version", version.op, *map(_what, told)),
        is_whole=is_whole,
        number=version.number,
        version=version,
        operation=version_text.operation(version),
        words=version_text.words(version, noise),
        reasoning=one_line(version.reasoning or "", REASONING),
        flags=version_text.flag_words(version, None, noise),
        set_aside_by=set_aside_by(live, version.number),
        is_last=version.number == end,
    )


def _what(change: Change) -> tuple[str, str, str]:
    return change.pointer, change.kind.value, repr(change.after)


def _is_cut(change: Change) -> bool:
    """Return whether the append shortened a value, so that its end is not known."""
    return change.differs_at is not None or CUT in repr(change.after)


def _called(call: Call, number: int) -> Step:
    arguments = ""
    if call.arguments is not None:
        arguments = json.dumps(call.arguments).decode()
    return Step(
        does=("call", call.name, arguments),
        number=number,
        call=visible(shorten(call.name, 80)),
        arguments=shorten(arguments, 120),
    )
