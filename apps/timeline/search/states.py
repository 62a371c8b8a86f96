"""Looks into states where an index cannot decide, and no further than a budget.

A page that needs more ends there: where it goes on is a session that is undecided, and
in it the version below which nothing was looked into yet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from apps.core import json, keyset, sql
from apps.core.admission import work
from apps.core.admission.work import BYTES_A_UNIT, WorkBudget
from apps.core.json import Json
from apps.timeline.search.at_hand import at_hand
from apps.timeline.versions import fetching
from apps.timeline.versions.reading import VersionRow

# Of one page; what large ones take is bounded by the budget of work.
MOST_STATES = 400
# What is read with one statement: parsed, a state is several times its bytes.
BATCH_BYTES = 4 * 1024 * 1024
# Of versions in a row the first often decides.
AHEAD = 16
MOST_LISTED = 10_000
# Above every version.
NEWEST = 10**18 - 1

# Versions of which the change rows do not tell everything, or are gone; a fork brought
# version 0.
_INCOMPLETE = sql.query("timeline", "search_incomplete", below=keyset.below("v.number"))

Version = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Fits:
    """Whether a version is looked for, by the state before it and its own.

    `carried`: what a fork began with counts. `is_alone`: the state before does not.
    Versions before `since` are not looked for.
    """

    test: Callable[[Json, Json], bool]
    carried: bool = True
    is_alone: bool = False
    since: int = 0


@dataclass(slots=True)
class Allowance:
    """How many states may be looked into, and with how much work; and how many were."""

    most: int = field(default_factory=lambda: MOST_STATES)
    budget: WorkBudget = field(default_factory=WorkBudget)
    looked_into: int = 0

    @property
    def is_spent(self) -> bool:
        return self.looked_into >= self.most or self.budget.is_spent


@dataclass(slots=True)
class States:
    """The states that one search decodes, counted."""

    project_id: str = ""
    allowance: Allowance = field(default_factory=Allowance)
    shares: list[Allowance] = field(default_factory=list)
    # Below which version to look, where one session alone is judged.
    below: int | None = None
    # Sessions that an index could not decide and the budget did not reach, and below
    # which version they are undecided.
    undecided: dict[str, int] = field(default_factory=dict)
    # Sessions whose list of versions that fit ends where the budget did: those below
    # this one were not looked into.
    unlisted: dict[str, int] = field(default_factory=dict)
    # Sessions with a state that cannot be read.
    unreadable: set[str] = field(default_factory=set)
    # Those with states in the store, where that does not answer.
    away: set[str] = field(default_factory=set)
    # The session, and the version in it, below which no versions were listed.
    cut: tuple[str, int] | None = None

    @property
    def is_spent(self) -> bool:
        return self.allowance.is_spent

    def spend(self, done: int) -> None:
        self.allowance.budget.spend(done)

    def refill(self) -> None:
        """Begin with a whole allowance: what was spent before was spent on others."""
        self.allowance = Allowance()

    def divide(self, count: int) -> None:
        """Begin with one that is divided: none of them takes what another needs."""
        self.shares = [
            Allowance(
                max(1, MOST_STATES // count), WorkBudget(max(1, work.PAGE // count))
            )
            for _ in range(count)
        ]

    def use_share(self, place: int) -> None:
        if self.shares:
            self.allowance = self.shares[place % len(self.shares)]

    def heads_with(
        self, ids: Sequence[str], fits: Callable[[Json], bool]
    ) -> dict[str, int]:
        """Return the sessions whose head fits, with its number."""
        found: dict[str, int] = {}
        heads = {} if self.is_spent or not ids else fetching.heads(ids)
        rows = [heads[one] for one in ids if one in heads]
        reader = Reader(self, [(row.session_id, row.number) for row in rows], rows)
        for session_id in ids:
            if self.is_spent:
                self.undecided[session_id] = NEWEST
                continue
            row = heads.get(session_id)
            state = None if row is None else reader.state((session_id, row.number))
            if row is None or state is None:
                if session_id not in self.away:
                    self.unreadable.add(session_id)
            elif fits(state):
                found[session_id] = row.number
        return found

    def incomplete(self, ids: Sequence[str], fits: Fits) -> dict[str, int]:
        """Return the newest version of each with too few change rows that fits.

        Sessions in which that stays open are `undecided`.
        """
        look = _Look(self, ids, fits, below=self.below)
        self.undecided |= look.unreached
        return {one: numbers[0] for one, numbers in look.found.items()}

    def incomplete_among(
        self, ids: Sequence[str], fits: Fits, before: int | None, limit: int
    ) -> dict[str, list[int]]:
        """Return the newest such versions of each.

        Sessions with more that could not be looked into are `unlisted`.
        """
        look = _Look(self, ids, fits, below=before, limit=limit)
        for session_id, below in look.unreached.items():
            known = self.unlisted.get(session_id, 0)
            self.unlisted[session_id] = max(known, below)
        return look.found


class Reader:
    """States of versions, read ahead in this order as far as a budget goes."""

    def __init__(
        self,
        states: States,
        order: Sequence[Version],
        rows: Sequence[VersionRow] = (),
        ahead: int | None = None,
    ) -> None:
        self.states = states
        self.order = order
        self.ahead = ahead or len(order)
        self.rows = {(row.session_id, row.number): row for row in rows}
        self.raws: dict[Version, bytes] = {}

    @cached_property
    def places(self) -> dict[Version, int]:
        return {version: place for place, version in enumerate(self.order)}

    def state(self, version: Version) -> Json | None:
        """Return a version's state; None where it cannot be read."""
        if version not in self.rows:
            self.rows = {
                (row.session_id, row.number): row
                for row in fetching.versions_each(self._next(version))
            }
        row = self.rows.get(version)
        if row is None or row.is_emptied:
            return None
        self.states.allowance.looked_into += 1
        if version not in self.raws:
            # What was read before is let go first.
            self.raws = {}
            self.states.spend(row.body_depth * row.body_size // BYTES_A_UNIT)
            self.raws = self._read(version)
        raw = self.raws.get(version)
        if raw is None:
            return None
        # Other parts of a body are decoded with its state.
        self.states.spend(work.of_json(raw) + row.body_size // BYTES_A_UNIT)
        return json.parse_written(raw)

    def is_gone(self, version: Version) -> bool:
        """Whether a version without a state was pruned or emptied."""
        row = self.rows.get(version)
        return row is None or row.is_emptied

    def _next(self, version: Version) -> Sequence[Version]:
        place = self.places[version]
        return self.order[place : place + self.ahead]

    def _read(self, version: Version) -> dict[Version, bytes]:
        rows: list[VersionRow] = []
        room = BATCH_BYTES
        for one in dict.fromkeys(self._next(version)):
            row = self.rows.get(one)
            if row is None or row.is_emptied:
                continue
            room -= row.body_size
            if rows and room < 0:
                break
            rows.append(row)
        return self._at_hand(rows) or self._at_hand(rows[:1])

    def _at_hand(self, rows: Sequence[VersionRow]) -> dict[Version, bytes]:
        found = at_hand(rows, is_away=bool(self.states.away))
        self.states.away.update(found.away)
        return found.states


class _Look:
    """One look through the versions of sessions that change rows do not tell of."""

    def __init__(
        self,
        states: States,
        ids: Sequence[str],
        fits: Fits,
        *,
        below: int | None = None,
        limit: int = 1,
    ) -> None:
        self.states = states
        self.fits = fits
        self.found: dict[str, list[int]] = {}
        # Below which version of a session nothing was looked into.
        self.unreached: dict[str, int] = {}
        self._go_through(self._listed(ids, below), limit)

    def _go_through(self, listed: list[Version], limit: int) -> None:
        order = [one for version in listed for one in self._needed(version)]
        reader = Reader(self.states, order, ahead=AHEAD)
        for session_id, number in listed:
            known = self.found.get(session_id, [])
            is_full = len(known) == limit
            if is_full or self.unreached.get(session_id, 0) > number:
                continue
            if self.states.is_spent:
                self.unreached[session_id] = number + 1
                continue
            read = [reader.state(one) for one in self._needed((session_id, number))]
            if any(state is None for state in read):
                needed = self._needed((session_id, number))
                is_away = session_id in self.states.away
                if not is_away and not any(map(reader.is_gone, needed)):
                    self.states.unreadable.add(session_id)
            elif self.fits.test(read[0] if read[1:] else {}, read[-1]):
                self.found[session_id] = [*known, number]
                if len(known) + 1 == limit:
                    self.unreached.pop(session_id, None)

    def _listed(self, ids: Sequence[str], below: int | None) -> list[Version]:
        """List what to look into; what is left out of the list is unreached."""
        if not ids:
            return []
        asked = {
            "ids": list(ids),
            "before": below,
            "carried": self.fits.carried,
            "since": self.fits.since,
            "limit": MOST_STATES,
            "most": MOST_LISTED,
        }
        rows = [(row.session_id, row.number) for row in sql.rows(_INCOMPLETE, asked)]
        lowest = dict(rows)
        counts = Counter(session_id for session_id, _ in rows)
        for session_id, count in counts.items():
            if count == MOST_STATES:
                self.unreached[session_id] = lowest[session_id]
        if len(rows) == MOST_LISTED:
            last = rows[-1][0]
            self.unreached[last] = lowest[last]
            for session_id in ids[list(ids).index(last) + 1 :]:
                self.unreached[session_id] = NEWEST if below is None else below
        return rows

    def _needed(self, version: Version) -> list[Version]:
        session_id, number = version
        if self.fits.is_alone or not number:
            return [version]
        return [(session_id, number - 1), version]
