"""What a session did, step by step: its versions and calls, by the customer's turns.

A step belongs to the last turn before it, or to the one that made it. Without turns the
messages that the versions hold say where a turn begins. Asks for a window, and says how
far that reaches.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from apps.core import json
from apps.diffs.changes import Change, Kind
from apps.diffs.meaning.incidental import is_incidental
from apps.diffs.meaning.noise import Noise
from apps.timeline.models import Session
from apps.timeline.queries import (
    Call,
    KeptMessage,
    MessagePlace,
    calls_in_messages,
    message_window,
    turns_on,
)
from apps.timeline.stepping.heard import Heard, customers, heard, said_on
from apps.timeline.stepping.speakers import Speaker
from apps.timeline.versions import (
    VersionRow,
    kept_changes,
    live_ranges,
    set_aside_by,
    versions_of,
)
from apps.timeline.words import Op

STEPS = 60
# Operations that write a state, and are no acts of their own.
WRITING = frozenset({Op.CREATE, Op.UPDATE, Op.REPLACE, Op.TURN})
# Ends of what an append kept of a value that it shortened.
CUT = "…"
ANY_RUNS = "a time, or an id that was drawn"
LAST_ITEM = 10**9


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
    version: VersionRow | None = None
    set_aside_by: int | None = None
    is_last: bool = False

    @property
    def action(self) -> tuple[Any, ...]:
        """What it did, whatever with."""
        return self.does[:2]

    @property
    def sets(self) -> tuple[tuple[str, str, str], ...]:
        """What a version set: each place, how, and to what; of a call nothing."""
        return self.does[2:] if self.version is not None else ()

    @property
    def arguments(self) -> str:
        """The arguments of a call as JSON; empty where they were not kept."""
        return str(self.does[-1]) if self.version is None else ""

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
    def is_all(self) -> bool:
        """Whether no step up to `end` was left out."""
        return not self.has_more and self.cut_at is None

    @property
    def has_more(self) -> bool:
        return self.last is not None and self.last < self.end


def window(
    session: Session,
    *,
    after: int,
    end: int,
    noise: Noise,
    parted_at: datetime | None = None,
) -> Window:
    """Return the steps of the versions after one number, up to another.

    With what was said and called on the first number itself, `parted_at` or later.
    """
    rows = versions_of(session.id, newest_first=False, after=after, limit=STEPS - 1)[
        :STEPS
    ]
    rows = [row for row in rows if row.number <= end]
    said, late = said_on(session, after, parted_at) if after >= 0 else (None, [])
    begun = _begun(said, late, after)
    if not rows:
        return Window(groups=_groups(begun, (), {}, {}), end=end)
    read = _by_turns if session.turn_count else _by_messages
    rows, told, is_cut = read(session, rows)
    live = live_ranges(session.id, end)
    steps = {row.number: _step(row, live, end, noise) for row in rows}
    return Window(
        groups=_groups(begun, rows, steps, told),
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
        said, calls = heard(turn)
        told.setdefault(turn.head_number, []).append((turn.made_version, said, calls))
    return known or rows[:1], told, not known


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
    return (
        True,
        customers(kept.message, Speaker.OTHER),
        calls_in_messages([kept.message]),
    )


def _begun(said: str | None, late: Sequence[Heard], after: int) -> list[Group]:
    """Return the group that goes on, and what came late to the version `after`."""
    groups = [Group(said=said)]
    for told, calls in late:
        if told is not None:
            groups.append(Group(said=told))
        groups[-1].steps += [_called(call, after) for call in calls]
    return groups


def _groups(
    groups: list[Group], rows: Iterable[VersionRow], steps: dict[int, Step], told: _Told
) -> list[Group]:
    """Return what was said with its steps, beginning in the middle of a group."""
    for row in rows:
        here = told.get(row.number, [])
        before = [one for one in here if one[0]]
        groups += [Group(said=said) for _, said, _ in before if said is not None]
        # A fork begins with a copy, which is no step.
        if row.op != Op.FORK or row.change_count:
            groups[-1].steps.append(steps[row.number])
        groups[-1].steps += [
            _called(call, row.number) for _, _, calls in before for call in calls
        ]
        for _, said, calls in (one for one in here if not one[0]):
            if said is not None:
                groups.append(Group(said=said))
            groups[-1].steps += [_called(call, row.number) for call in calls]
    return groups if groups[0].steps else groups[1:]


def _step(version: VersionRow, live: Sequence[range], end: int, noise: Noise) -> Step:
    kept = kept_changes(version)
    told = [
        one for one in kept if not (noise.covers(one.pointer) or is_incidental(one))
    ]
    is_whole = len(kept) == version.change_count and not any(map(_is_cut, told))
    return Step(
        does=("version", version.op, *map(_what, told)),
        is_whole=is_whole,
        number=version.number,
        version=version,
        set_aside_by=set_aside_by(live, version.number),
        is_last=version.number == end,
    )


def _what(change: Change) -> tuple[str, str, str]:
    return change.pointer, change.kind.value, _told_after(change)


def _told_after(change: Change) -> str:
    """Write what a change left; a time or a drawn id only as such: any run has its own.

    Where a version only adds it there is no other to tell it from but the other side's.
    """
    after = change.after
    beside = Change(change.pointer, Kind.CHANGED, after, after)
    return ANY_RUNS if is_incidental(beside) else repr(after)


def _is_cut(change: Change) -> bool:
    """Return whether the append shortened a value, so that its end is not known."""
    return change.differs_at is not None or CUT in repr(change.after)


def _called(call: Call, number: int) -> Step:
    arguments = ""
    if call.arguments is not None:
        arguments = json.dumps(call.arguments).decode()
    return Step(does=("call", call.name, arguments), number=number, call=call.name)
