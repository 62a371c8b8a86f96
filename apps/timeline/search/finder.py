"""Finds the sessions, or versions, that meet all clauses of a query, newest first.

The clause whose index is the sparsest leads: its sessions are walked, and the other
clauses are held against each handful of them. A page looks at a bounded number of
sessions and states; where that ends it, it says so and tells from where to go on, so
no query takes longer because it finds nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from apps.agents.scope import Scope
from apps.core import sql
from apps.timeline.search.clauses import Query
from apps.timeline.search.conditions import Candidate, Condition, Hit
from apps.timeline.search.holding import Ever
from apps.timeline.search.plan import Planner
from apps.timeline.search.states import States
from apps.timeline.search.walks import AFTER_ALL
from apps.timeline.search.wording import Either

# How many sessions one page looks at before it answers what it has found.
MOST_LOOKED_AT = 5_000
PROBED = 200
LARGEST_CHUNK = 1_000
# How many hits of one clause in one session are read at a time.
HITS = 500

_VISIBLE = """
SELECT s.id, a.external_id AS agent, s.user_id, s.external_id, s.origin_session_id,
       s.status, s.created_at, s.updated_at, s.head_number, s.rollback_count
  FROM timeline_session s JOIN agents_agent a ON a.id = s.agent_id
 WHERE s.id = ANY (%(ids)s::varchar[]) AND s.project_id = %(project)s
   AND (%(agents)s::text[] IS NULL OR a.external_id = ANY (%(agents)s::text[]))
   AND s.status <> 'deleted'
   AND (s.expires_at IS NULL OR s.expires_at > %(now)s)
 ORDER BY s.id DESC
"""
_NEWEST = """
SELECT s.id FROM timeline_session s
 WHERE s.project_id = %(project)s AND s.id < %(before)s::varchar
 ORDER BY s.id DESC LIMIT %(limit)s
"""
_NUMBERS = """
SELECT v.number FROM timeline_version v
 WHERE v.session_id = %(session)s
   AND (%(before)s::bigint IS NULL OR v.number < %(before)s::bigint)
 ORDER BY v.number DESC LIMIT %(limit)s
"""
_UNSEARCHED = """
SELECT count(*) AS count FROM (
    SELECT FROM timeline_unsearched WHERE project_id = %(project)s LIMIT 1000) found
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Match:
    """Where a session or version meets one clause."""

    clause: str
    hit: Hit


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """One session, or one version of it, with why it was found."""

    session: Candidate
    number: int | None
    matches: tuple[Match, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the results to go on from: below this session, or version of it."""

    session_id: str
    number: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """One page. With `next` there may be more, also where the page is short."""

    results: tuple[Result, ...]
    next: Place | None
    notices: tuple[str, ...]


def sessions(
    scope: Scope, query: Query, *, now: datetime, after: Place | None, limit: int
) -> Found:
    """Return the next sessions that meet every clause, newest first.

    Raises: InvalidRequest for a clause that cannot be answered.
    """
    search = _Search(scope, query, now)
    results: list[Result] = []
    for session in search.matching(_start(after)):
        if len(results) == limit:
            search.next = Place(results[-1].session.id)
            break
        results.append(
            Result(session=session, number=None, matches=search.why(session))
        )
    return search.found(results)


def versions(
    scope: Scope, query: Query, *, now: datetime, after: Place | None, limit: int
) -> Found:
    """Return the next versions that meet every clause about versions themselves.

    What is true of a session counts for all its versions. Newest session first, and
    in it the newest version first.

    Raises: InvalidRequest for a clause that cannot be answered.
    """
    search = _Search(scope, query, now)
    results: list[Result] = []
    for session in search.matching(_start(after)):
        is_resumed = after is not None and session.id == after.session_id
        before = after.number if after and is_resumed else None
        for number, matches in search.numbers(session, before):
            if len(results) == limit:
                last = results[-1]
                search.next = Place(last.session.id, last.number)
                return search.found(results)
            results.append(Result(session=session, number=number, matches=matches))
    return search.found(results)


@dataclass
class _Search:
    scope: Scope
    query: Query
    now: datetime
    next: Place | None = None
    looked_at: int = 0
    states: States = field(default_factory=States)
    skipped: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        planner = Planner(self.scope, self.states)
        self.conditions = [planner.condition(one) for one in self.query.clauses]

    def matching(self, before: str | None) -> Iterator[Candidate]:
        """Yield the sessions that meet every clause; set `next` where it stops."""
        lead, ids = self._lead(before)
        count = PROBED
        while ids:
            found, reached = self._judged(ids)
            yield from found
            self.looked_at += len(ids)
            if reached is not None:
                self.next = Place(reached)
                return
            if len(ids) < count:
                return
            if self.looked_at >= MOST_LOOKED_AT:
                self.next = Place(ids[-1])
                return
            before, count = ids[-1], min(count * 2, LARGEST_CHUNK)
            ids = self._candidates(lead, before, count)

    def why(self, session: Candidate) -> tuple[Match, ...]:
        """Tell for each clause where the session meets it, the newest place."""
        matches = []
        for condition in self.conditions:
            hits = condition.hits(session, None, 1)
            if hits:
                hit = self._with_place(condition, session, hits[0])
                matches.append(Match(clause=condition.clause.text, hit=hit))
        return tuple(matches)

    def numbers(
        self, session: Candidate, before: int | None
    ) -> Iterator[tuple[int, tuple[Match, ...]]]:
        """Yield the versions of a session that meet every clause, newest first."""
        while True:
            lists, floor = self._hits(session, before)
            numbers = self._in_all(session, lists, before)
            for number in numbers:
                if floor is None or number >= floor:
                    yield number, self._why_version(session, number, lists)
            if lists and not any(lists):
                return
            if not lists:
                floor = numbers[-1] if len(numbers) == HITS else None
            if floor is None:
                return
            before = floor

    def found(self, results: Sequence[Result]) -> Found:
        notices = [
            f"{condition.clause.text}: {notice}"
            for condition in self.conditions
            for notice in condition.notices()
        ]
        return Found(
            results=tuple(results),
            next=self.next,
            notices=(*notices, *self._about_the_page()),
        )

    def _lead(self, before: str | None) -> tuple[Condition | None, list[str]]:
        """Choose the condition with the fewest sessions, or the sparsest ones."""
        lead: Condition | None = None
        ids = self._candidates(None, before, PROBED)
        for condition in self.conditions:
            some = condition.candidates(before, PROBED)
            if some is not None and _sparsity(some) < _sparsity(ids):
                lead, ids = condition, some
        return lead, ids

    def _candidates(
        self, lead: Condition | None, before: str | None, limit: int
    ) -> list[str]:
        if lead is not None:
            return lead.candidates(before, limit) or []
        asked = {
            "project": self.scope.project.id,
            "before": before or AFTER_ALL,
            "limit": limit,
        }
        return [row.id for row in sql.rows(_NEWEST, asked)]

    def _judged(self, ids: Sequence[str]) -> tuple[list[Candidate], str | None]:
        """Return those that meet every clause, and where the budget ended."""
        asked = {
            "ids": list(ids),
            "project": self.scope.project.id,
            "agents": self.scope.agent_list,
            "now": self.now,
        }
        kept = sql.records(Candidate, _VISIBLE, asked)
        for condition in self.conditions:
            if not kept:
                break
            met = condition.among(kept)
            undecided = self.states.undecided - self.skipped
            kept = [one for one in kept if one.id in met or one.id in undecided]
        undecided = self.states.undecided - self.skipped
        first = next((one.id for one in kept if one.id in undecided), None)
        if first is None:
            return [one for one in kept if one.id not in self.skipped], None
        if self.looked_at == 0 and first == ids[0]:
            # It alone takes more than a page may: go on behind it, and say so.
            self.skipped.add(first)
            self.states.undecided.clear()
            return [], first
        decided = [one for one in kept if one.id > first]
        return decided, f"{first}~"

    def _hits(
        self, session: Candidate, before: int | None
    ) -> tuple[list[dict[int, Match]], int | None]:
        """Return the hits of each clause about versions, and down to where all are."""
        lists: list[dict[int, Match]] = []
        floors: list[int] = []
        for condition in self.conditions:
            hits = condition.hits(session, before, HITS)
            if any(hit.version is None or hit.where == "head" for hit in hits):
                continue
            known: dict[int, Match] = {}
            for hit in hits:
                match = Match(clause=condition.clause.text, hit=hit)
                known.setdefault(hit.version or 0, match)
            lists.append(known)
            if len(hits) == HITS:
                floors.append(min(known))
        return lists, max(floors, default=None)

    def _in_all(
        self, session: Candidate, lists: list[dict[int, Match]], before: int | None
    ) -> list[int]:
        if lists:
            first, *others = lists
            common = set(first).intersection(*others)
            return sorted(common, reverse=True)
        asked = {"session": session.id, "before": before, "limit": HITS}
        return [row.number for row in sql.rows(_NUMBERS, asked)]

    def _why_version(
        self, session: Candidate, number: int, lists: list[dict[int, Match]]
    ) -> tuple[Match, ...]:
        mine = {known[number].clause: known[number] for known in lists}
        matches = []
        for condition in self.conditions:
            text = condition.clause.text
            if text in mine:
                hit = self._with_place(condition, session, mine[text].hit)
                matches.append(Match(clause=text, hit=hit))
                continue
            matches += [
                Match(clause=text, hit=hit) for hit in condition.hits(session, None, 1)
            ]
        return tuple(matches)

    def _with_place(self, condition: Condition, session: Candidate, hit: Hit) -> Hit:
        """Find the place and the value in the version's state, while that lasts."""
        ever = condition.ever if isinstance(condition, Either) else condition
        if not isinstance(ever, Ever) or hit.where != "state" or hit.version is None:
            return hit
        return ever.told(
            session.id, hit.version, self.states.at(session.id, hit.version)
        )

    def _about_the_page(self) -> Iterator[str]:
        asked = {"project": self.scope.project.id}
        unsearched = sql.rows(_UNSEARCHED, asked)[0].count
        if unsearched:
            many = f"{unsearched:,}" if unsearched < 1000 else "1,000 or more"
            yield (
                f"{many} sessions are not indexed yet and may be missing: "
                "manage.py rebuild_search"
            )
        if self.next is not None and self.looked_at >= MOST_LOOKED_AT:
            yield (
                f"{self.looked_at:,} sessions were looked at for this page; "
                "there may be more behind them"
            )
        if self.states.undecided or self.states.is_spent:
            yield (
                f"{self.states.looked_into:,} states were looked into, which is as "
                "many as one page may; go on with next"
            )
        for session_id in sorted(self.skipped):
            yield f"{session_id} is too large to be looked into, and may be missing"


def _sparsity(ids: Sequence[str]) -> tuple[int, str]:
    """Sort by how few sessions there are, then by how far apart they stand."""
    return (len(ids), "") if len(ids) < PROBED else (PROBED, ids[-1])


def _start(after: Place | None) -> str | None:
    """Return below what to walk: a session whose versions go on comes once more."""
    if after is None:
        return None
    return after.session_id if after.number is None else f"{after.session_id}~"
