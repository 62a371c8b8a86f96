"""Conditions made of others: what leaves sessions out, and what any of some meets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from apps.core.admission import work
from apps.core.admission.work import WorkBudget
from apps.core.json import Json
from apps.timeline.search.clauses import AnyOf, Without
from apps.timeline.search.conditions.base import (
    Candidate,
    Condition,
    Cost,
    Hit,
    Hits,
    newest_of,
)
from apps.timeline.search.states import MOST_STATES, Allowance, States

# Where a session that does not meet a clause leaves it: nowhere.
WITHOUT = "without"


class NoneOf(Condition):
    """The session does not meet a clause. Of versions it says nothing."""

    def __init__(self, clause: Without, inner: Condition, states: States) -> None:
        super().__init__(clause)
        self.inner = inner
        self.states = states
        self.cost = inner.cost
        self.reads_history = inner.reads_history

    def among(self, sessions: Sequence[Candidate]) -> set[str]:
        met = self.inner.among(sessions)
        return {one.id for one in sessions} - met - set(self.states.undecided)

    def hits(
        self, sessions: Sequence[Candidate], before: int | None, limit: int
    ) -> Hits:
        return {one.id: [Hit(where=WITHOUT)] for one in sessions}

    def notices(self) -> list[str]:
        return self.inner.notices()


class OneOf(Condition):
    """At least one of some clauses is met; each that is, is a reason of its own."""

    def __init__(
        self, clause: AnyOf, conditions: Sequence[Condition], states: States
    ) -> None:
        super().__init__(clause)
        self.conditions = conditions
        self.shares = _Shares(states, sum(one.cost > Cost.INDEX for one in conditions))
        self.states = states
        self.cost = max(one.cost for one in conditions)
        self.reads_history = any(one.reads_history for one in conditions)

    def candidates(self, before: str | None, limit: int) -> list[str] | None:
        return newest_of(
            [one.candidates(before, limit) for one in self.conditions], limit
        )

    def among(self, sessions: Sequence[Candidate]) -> set[str]:
        found: set[str] = set()
        undecided: dict[str, int] = {}
        for place, condition in enumerate(self.conditions):
            rest = [one for one in sessions if one.id not in found]
            self.states.undecided = {}
            with self.shares.of(place, condition):
                found |= condition.among(rest)
            for session_id, below in self.states.undecided.items():
                undecided[session_id] = max(below, undecided.get(session_id, 0))
        # What one of them meets, the others need not decide.
        self.states.undecided = {
            one: below for one, below in undecided.items() if one not in found
        }
        return found

    def hits(
        self, sessions: Sequence[Candidate], before: int | None, limit: int
    ) -> Hits:
        found = self._each(sessions, lambda one, some: one.hits(some, before, limit))
        return {one: _of_versions(hits, limit) for one, hits in found.items()}

    def reasons(self, sessions: Sequence[Candidate]) -> Hits:
        return self._each(sessions, lambda one, some: one.reasons(some))

    def has_place(self, hit: Hit) -> bool:
        return self._of(hit).has_place(hit)

    def told(self, hit: Hit, state: Json) -> Hit:
        return replace(self._of(hit).told(hit, state), clause=hit.clause)

    def notices(self) -> list[str]:
        return [said for one in self.conditions for said in one.notices()]

    def _each(
        self,
        sessions: Sequence[Candidate],
        ask: Callable[[Condition, Sequence[Candidate]], Hits],
    ) -> dict[str, list[Hit]]:
        """Ask each of the sessions that meet it; say of the hits which clause it is."""
        found: dict[str, list[Hit]] = {one.id: [] for one in sessions}
        for place, condition in enumerate(self.conditions):
            with self.shares.of(place, condition):
                some = sessions
                if not condition.tells_only_met:
                    met = condition.among(sessions)
                    some = [one for one in sessions if one.id in met]
                hits = ask(condition, some)
            for session_id, listed in hits.items():
                text = condition.clause.text
                found[session_id] += [
                    replace(hit, clause=hit.clause or text) for hit in listed
                ]
        return found

    def _of(self, hit: Hit) -> Condition:
        return next(one for one in self.conditions if one.clause.text == hit.clause)


@dataclass
class _Shares:
    """What each of several conditions may look into, so that each gets further.

    One that took all would leave the next undecided at the same version, page after
    page.
    """

    states: States
    count: int
    _whole: Allowance | None = None
    _each: dict[int, Allowance] = field(default_factory=dict)

    @contextmanager
    def of(self, place: int, condition: Condition) -> Iterator[None]:
        if condition.cost is Cost.INDEX or self.count < 2:
            yield
            return
        whole = self.states.allowance
        if whole is not self._whole:
            self._whole, self._each = whole, {}
        share = self._each.setdefault(place, self._share())
        self.states.allowance = share
        try:
            yield
        finally:
            self.states.allowance = whole

    def _share(self) -> Allowance:
        return Allowance(
            max(1, MOST_STATES // self.count),
            WorkBudget(max(1, work.PAGE // self.count)),
        )


def _of_versions(hits: Sequence[Hit], limit: int) -> list[Hit]:
    """Return one hit of a version, the newest first; of the session before all."""
    newest = sorted(hits, key=lambda hit: (hit.version is not None, -_number(hit)))
    each = {hit.version: hit for hit in reversed(newest)}
    return [hit for hit in newest if each[hit.version] is hit][:limit]


def _number(hit: Hit) -> int:
    return -1 if hit.version is None else hit.version
