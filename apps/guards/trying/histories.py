"""A session's history as its guards saw it: each write with what came before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from apps.checks import names_before
from apps.diffs.changes import Comparison
from apps.diffs.compare import compare
from apps.diffs.flags import Flag
from apps.guards.detecting import OF_STATES, OF_TURNS, Moment, Rule
from apps.guards.trying.turns import Turns
from apps.guards.trying.windows import Seen, Window
from apps.guards.words import Kind
from apps.timeline.hooks import QUIET
from apps.timeline.models import Session, Version
from apps.timeline.versions import Stream, fetch_bodies, parsed_state, versions_at
from apps.timeline.words import Op

# Versions that are read at once: so many, of so many bytes together.
AT_ONCE = 500
BYTES_AT_ONCE = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Looks:
    """What rules look at: states, turns, the version before, and what differs from it.

    `nulls_alone`: whether any value turned null, and nothing else.
    """

    states: bool
    turns: bool
    before: bool
    changes: bool
    nulls_alone: bool


def looks_of(rules: Sequence[Rule]) -> Looks:
    """Return what some rules look at."""
    nulls = [rule.kind is Kind.NULL_SPREE for rule in rules]
    was = [rule.kind is Kind.CHECK and names_before(rule.value) for rule in rules]
    return Looks(
        states=any(rule.kind in OF_STATES for rule in rules),
        turns=any(rule.kind in OF_TURNS for rule in rules),
        before=any(nulls) or any(was),
        changes=any(nulls),
        nulls_alone=all(nulls),
    )


def moments_of(session: Session, looks: Looks, window: Window) -> Iterator[Seen]:
    """Yield the writes of a session that rules may say something of."""
    turns = Turns(session, window) if looks.turns else None
    if looks.states:
        yield from _versions(session, looks, window, turns)
    if turns is not None:
        yield from turns.left()


def _versions(
    session: Session, looks: Looks, window: Window, turns: Turns | None
) -> Iterator[Seen]:
    mine = Version.objects.filter(session_id=session.id, created_at__lt=window.until)
    found = mine.filter(created_at__gte=window.since, number__gte=window.lowest)
    rows = found.order_by("number").values_list(*Header._fields)
    headers = [one for one in map(Header._make, rows) if one.op not in QUIET]
    states = _States(session, looks)
    for some in _batches(headers):
        states.read([one for one in some if one.may_fail(looks)])
        for one in some:
            yield _seen(one, looks, states, turns)


class Header(NamedTuple):
    """What of a version is read before its state."""

    number: int
    op: str
    requested_at: datetime
    flags: list[str]
    changes_truncated: bool
    body_number: int
    commitment: bytes
    size: int

    def may_fail(self, looks: Looks) -> bool:
        """Say whether its state has to be looked at.

        Whether any value turned null was noted when it was written, but for version 0.
        """
        if not looks.nulls_alone:
            return True
        is_known = self.number > 0 and not self.changes_truncated
        return not is_known or Flag.NULLED in self.flags


def _batches(headers: list[Header]) -> Iterator[list[Header]]:
    """Yield as many at once as are read together."""
    some: list[Header] = []
    size = 0
    for one in headers:
        if some and (len(some) == AT_ONCE or size + one.size > BYTES_AT_ONCE):
            yield some
            some, size = [], 0
        some.append(one)
        size += one.size
    if some:
        yield some


class _States:
    """The states of a session's versions, and of those before them where looked at."""

    def __init__(self, session: Session, looks: Looks) -> None:
        self._session, self._looks = session, looks
        self._stream = Stream(session.id)
        self._found: dict[int, Any] = {}

    def read(self, headers: list[Header]) -> None:
        """Read what is looked at of these, in place of what was read before."""
        here = {one.number: one for one in headers}
        if self._looks.before:
            here |= self._before(headers, here)
        wanted = {one.body_number: bytes(one.commitment) for one in here.values()}
        size = sum(one.size for one in here.values())
        read = self._stream.read(wanted, size=size)
        if read is None:
            self._found = self._one_by_one(sorted(here))
            return
        self._found = {
            number: read[one.body_number]
            for number, one in here.items()
            if one.body_number in read
        }

    def of(self, number: int) -> tuple[Any, bool]:
        """Return the state of a version that was read, and whether it is there."""
        return self._found.get(number), number in self._found

    def before(self, header: Header) -> tuple[Any, bool]:
        """Return the state before a version, and whether it is known which that is."""
        if not self._looks.before:
            return None, True
        if header.number > 0:
            return self.of(header.number - 1)
        origin = self._session.origin_session_id
        if header.op != Op.FORK or origin is None:
            return None, True
        for one in versions_at(origin, [self._session.origin_number or 0]):
            if not one.is_emptied:
                return parsed_state(one), True
        return None, False

    def _before(
        self, headers: list[Header], here: dict[int, Header]
    ) -> dict[int, Header]:
        """Return the headers of the versions before these that are not among them."""
        numbers = {one.number - 1 for one in headers if one.number} - here.keys()
        if not numbers:
            return {}
        mine = Version.objects.filter(session_id=self._session.id, number__in=numbers)
        rows = mine.values_list(*Header._fields)
        return {one.number: one for one in map(Header._make, rows)}

    def _one_by_one(self, numbers: list[int]) -> dict[int, Any]:
        rows = versions_at(self._session.id, numbers)
        there = [one for one in rows if not one.is_emptied]
        fetch_bodies(there)
        return {one.number: parsed_state(one) for one in there}


def _seen(header: Header, looks: Looks, states: _States, turns: Turns | None) -> Seen:
    turn = turns.of_version(header.number) if turns is not None else None
    moment: Moment | None = None
    if not header.may_fail(looks):
        moment = Moment(at=header.requested_at, is_version=True)
    else:
        state, is_there = states.of(header.number)
        was, is_known = states.before(header) if is_there else (None, False)
        if is_known:
            moment = Moment(
                at=header.requested_at,
                is_version=True,
                state=state,
                before=was,
                has_before=was is not None,
                changes=_changes(looks, was, state),
                turn=turn,
                earlier=() if turns is None else turns.before(turn),
            )
    return Seen(
        number=header.number,
        turn_number=turn.number if turn is not None else 0,
        at=header.requested_at,
        moment=moment,
    )


def _changes(looks: Looks, was: Any, state: Any) -> Comparison | None:
    if not looks.changes or was is None:
        return None
    return compare(was, state)
