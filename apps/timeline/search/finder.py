"""Finds the sessions, or versions, that meet all clauses of a query, newest first.

The clause whose index is the sparsest leads: its sessions are walked, and the other
clauses are held against each handful of them. A page looks at a bounded number of
sessions, and into states within a budget of work; where that ends it, it says so and
tells from where to go on, also in the middle of a session. So no query takes longer
because it finds nothing, and pages find together what one without a limit would.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

from apps.agents.scope import Scope
from apps.core import keyset, sql
from apps.core.errors import InvalidRequest
from apps.timeline.search import coverage
from apps.timeline.search.clauses import Query
from apps.timeline.search.conditions.base import Candidate, Condition, Cost
from apps.timeline.search.conditions.identifying import SESSION
from apps.timeline.search.cursors import Place
from apps.timeline.search.planning.planner import Planner
from apps.timeline.search.states import States
from apps.timeline.search.telling.explaining import Reached, Result, explained, numbers

# How many sessions one page looks at before it answers what it has found.
MOST_LOOKED_AT = 5_000
PROBED = 200
LARGEST_CHUNK = 1_000

_VISIBLE = """
SELECT s.id, a.external_id AS agent, s.user_id, s.external_id, s.origin_session_id,
       s.status, s.created_at, s.updated_at, s.head_number, s.rollback_count,
       s.review
  FROM timeline_session s JOIN agents_agent a ON a.id = s.agent_id
 WHERE s.id = ANY (%(ids)s::varchar[]) AND s.project_id = %(project)s
   AND (%(agents)s::text[] IS NULL OR a.external_id = ANY (%(agents)s::text[]))
   AND s.kind = 'session'
   AND s.status <> 'deleted'
   AND (s.expires_at IS NULL OR s.expires_at > %(now)s)
 ORDER BY s.id DESC
"""
_NEWEST = sql.across("""
SELECT s.id FROM timeline_session s
 WHERE s.project_id = %(project)s AND s.kind = 'session'
   AND s.id < %(before)s::varchar AND s.id > 'sess'
 ORDER BY s.id DESC LIMIT %(limit)s
""")


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """One page. With `next` there may be more, also where the page is short."""

    results: tuple[Result, ...]
    next: Place | None
    notices: tuple[str, ...]
    # All that was stored before it was looked at; None: whatever was stored.
    as_of: datetime | None
    # Whether sessions may be missing into which it could not look.
    misses: bool


@dataclass
class Search:
    """One search: its conditions, how far it got, and with what."""

    scope: Scope
    query: Query
    now: datetime
    next: Place | None = None
    looked_at: int = 0
    states: States = field(default_factory=States)
    # Whether the page ends because states were looked into.
    is_cut: bool = False
    _was_alone: bool = False
    _has_listed: bool = False

    def __post_init__(self) -> None:
        self.states.project_id = self.scope.project.id
        planner = Planner(self.scope, self.states, self.now)
        self.conditions = [planner.condition(one) for one in self.query.clauses]
        # In which they judge: what an index rejects is not looked into.
        self.order = sorted(self.conditions, key=lambda one: one.cost)

    def matching(self, after: Place | None, *, most: int = 0) -> Iterator[Candidate]:
        """Yield the sessions that meet every clause; set `next` where it stops.

        Who wants no more than `most` has no more looked at than that takes.

        Raises: InvalidRequest for a place that no page of this search ends at.
        """
        if after is not None and after.step is not None:
            found, place = self._alone(after)
            yield from found
            if self.is_cut:
                self.next = place
                return
        before = after.session_id if after else None
        lead, ids = self._lead(before)
        count, n_found = PROBED, 0
        while ids:
            found, self.next = self._judged(ids)
            yield from found
            n_found += len(found)
            self.looked_at += len(ids)
            if self.next is not None or len(ids) < count:
                return
            if self.looked_at >= MOST_LOOKED_AT:
                self.next = Place(ids[-1])
                return
            wanted = max(PROBED, most - n_found) if most else count * 2
            before, count = ids[-1], min(wanted, LARGEST_CHUNK)
            ids = self._candidates(lead, before, count)

    def again(self, session_id: str) -> list[Candidate]:
        """Return a session that an earlier page found, if it may still be listed.

        What is met by versions of the past is not judged again: they do not change.
        """
        kept = self._visible([session_id])
        for condition in self.order:
            if kept and condition.cost < Cost.HISTORY:
                met = condition.among(kept)
                kept = [one for one in kept if one.id in met]
        return kept

    def listed(
        self, some: Sequence[Candidate], before: int | None, limit: int
    ) -> list[Reached]:
        """Return the next versions of these sessions; set `next` where it stops."""
        if not self._has_listed:
            # To judge may have taken all: then no page would ever list anything.
            costs = [condition.cost for condition in self.conditions]
            self.states.divide(max(1, costs.count(Cost.HISTORY)))
            self._has_listed = True
        found = numbers(self.conditions, self.states, some, before, limit)
        listed = list(islice(found, limit))
        if self.states.cut is not None:
            self.next, self.is_cut = Place(*self.states.cut), True
        return listed

    @property
    def is_blind(self) -> bool:
        """Whether there were sessions into whose states it could not look."""
        return bool(self.states.away or self.states.unreadable)

    def found(self, reached: Sequence[Reached]) -> Found:
        results, unread = explained(self.conditions, reached)
        notices = [
            f"{condition.clause.text}: {notice}"
            for condition in self.conditions
            for notice in condition.notices()
        ]
        if unread:
            notices.append(
                f"the places in {unread:,} states are not told, which are more than "
                "are read for one page"
            )
        covered = coverage.measured(self.scope.project.id)
        notices += coverage.notices(
            self.scope.project.id,
            covered,
            of_history=any(one.reads_history for one in self.conditions),
        )
        return Found(
            results=tuple(results),
            next=self.next,
            notices=(*notices, *self._about_the_page(results)),
            as_of=covered.as_of,
            misses=self.is_blind or covered.is_behind,
        )

    def _lead(self, before: str | None) -> tuple[Condition | None, list[str]]:
        """Choose the condition with the fewest sessions, or the sparsest ones."""
        lead: Condition | None = None
        ids = self._candidates(None, before, PROBED)
        for condition in self.conditions:
            some = _sessions(condition.candidates(before, PROBED))
            if some is not None and _sparsity(some) < _sparsity(ids):
                lead, ids = condition, some
        return lead, ids

    def _candidates(
        self, lead: Condition | None, before: str | None, limit: int
    ) -> list[str]:
        if lead is not None:
            return _sessions(lead.candidates(before, limit)) or []
        asked = {
            "project": self.scope.project.id,
            "before": before or keyset.LAST_ID,
            "limit": limit,
        }
        return [row.id for row in sql.rows(_NEWEST, asked)]

    def _judged(self, ids: Sequence[str]) -> tuple[list[Candidate], Place | None]:
        """Return those that meet every clause, and where the budget ended."""
        kept = visible = self._visible(ids)
        undecided: set[str] = set()
        for condition in self.order:
            if not kept:
                break
            self.states.undecided = {}
            met = condition.among(kept)
            open_here = self.states.undecided
            undecided.update(open_here)
            kept = [one for one in kept if one.id in met or one.id in open_here]
        first = next((one.id for one in kept if one.id in undecided), None)
        if first is None:
            return kept, None
        self.is_cut = True
        if not (self.looked_at or self._was_alone) and first == visible[0].id:
            # Others may have taken what it needs, or it needs more than a page may.
            return self._alone(Place(first, step=0))
        return [one for one in kept if one.id > first], Place(first, step=0)

    def _alone(self, at: Place) -> tuple[list[Candidate], Place]:
        """Judge one session with a whole budget; go on in it, or below it."""
        if at.step is None or at.step >= max(1, len(self.order)):
            raise InvalidRequest(
                "starting_after takes the next of an earlier answer.",
                param="starting_after",
            )
        self._was_alone = True
        self.states.refill()
        kept = self._visible([at.session_id])
        for step, condition in enumerate(self.order):
            if step < at.step or not kept:
                continue
            self.states.undecided = {}
            self.states.below = at.below if step == at.step else None
            met = condition.among(kept)
            below = self.states.undecided.get(at.session_id)
            self.states.below = None
            if not met and below is not None:
                self.is_cut = True
                return [], Place(at.session_id, step=step, below=below)
            kept = [one for one in kept if one.id in met]
        return kept, Place(at.session_id)

    def _visible(self, ids: Sequence[str]) -> list[Candidate]:
        asked = {
            "ids": sql.text_array(ids),
            "project": self.scope.project.id,
            "agents": self.scope.agent_list,
            "now": self.now,
        }
        return sql.rows(_VISIBLE, asked)

    def _about_the_page(self, results: Sequence[Result]) -> Iterator[str]:
        if self.next is not None and self.looked_at >= MOST_LOOKED_AT:
            yield (
                f"{self.looked_at:,} sessions were looked at for this page; "
                "there may be more behind them"
            )
        if self.next is None and not results and len(self.conditions) == 1:
            # Of several clauses, what each was looked for as does not say why.
            looked = self.conditions[0].where_looked()
            if looked is not None:
                yield f"{self.conditions[0].clause.text}: {looked}"
        if self.is_cut:
            yield (
                "as many states were looked into as one page may, and there may be "
                "more results behind them; go on with next"
            )
        if self.states.away:
            yield (
                f"{len(self.states.away):,} sessions have states in the store of "
                "objects, which does not answer: they were not looked into, and may "
                "be missing"
            )
        for session_id in sorted(self.states.unreadable):
            yield (
                f"{session_id} has states that cannot be read, and may be missing; "
                "verify tells which"
            )


def _sessions(ids: list[str] | None) -> list[str] | None:
    """Leave out documents, which stand behind all sessions: a page may end at none."""
    return ids and [one for one in ids if one.startswith(SESSION)]


def _sparsity(ids: Sequence[str]) -> tuple[int, str]:
    """Sort by how few sessions there are, then by how far apart they stand."""
    return (len(ids), "") if len(ids) < PROBED else (PROBED, ids[-1])
