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
from itertools import islice

from apps.agents.scope import Scope
from apps.core import keyset, sql
from apps.timeline.search.clauses import Query
from apps.timeline.search.conditions import Candidate, Condition
from apps.timeline.search.explaining import Reached, Result, explained, numbers
from apps.timeline.search.plan import Planner
from apps.timeline.search.states import States

# How many sessions one page looks at before it answers what it has found.
MOST_LOOKED_AT = 5_000
PROBED = 200
LARGEST_CHUNK = 1_000

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
_UNSEARCHED = """
SELECT count(*) AS count FROM (
    SELECT FROM timeline_unsearched WHERE project_id = %(project)s LIMIT 1000) found
"""


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
    found = list(islice(search.matching(_start(after)), limit + 1))
    if len(found) > limit:
        search.next = Place(found[limit - 1].id)
    return search.found([Reached(session) for session in found[:limit]])


def versions(
    scope: Scope, query: Query, *, now: datetime, after: Place | None, limit: int
) -> Found:
    """Return the next versions that meet every clause about versions themselves.

    What is true of a session counts for all its versions. Newest session first, and
    in it the newest version first.

    Raises: InvalidRequest for a clause that cannot be answered.
    """
    search = _Search(scope, query, now)
    place = after if after and after.number is not None else None
    found: list[Reached] = []
    matching = search.matching(_start(after))
    while len(found) <= limit:
        # The one that an earlier page began goes on by itself.
        some = list(islice(matching, 1 if place and not found else limit + 1))
        if not some:
            break
        is_resumed = place is not None and some[0].id == place.session_id
        before = place.number if place and is_resumed else None
        found += islice(
            numbers(search.conditions, some, before, limit + 1), limit + 1 - len(found)
        )
        place = None
    if len(found) > limit:
        last = found[limit - 1]
        search.next = Place(last.session.id, last.number)
    return search.found(found[:limit])


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
        return Found(
            results=tuple(results),
            next=self.next,
            notices=(*notices, *self._about_the_page(results)),
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
            "before": before or keyset.LAST_ID,
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

    def _about_the_page(self, results: Sequence[Result]) -> Iterator[str]:
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
        if self.next is None and not results and len(self.conditions) == 1:
            # Of several clauses, what each was looked for as does not say why.
            looked = self.conditions[0].where_looked()
            if looked is not None:
                yield f"{self.conditions[0].clause.text}: {looked}"
        if self.states.undecided:
            yield (
                f"{self.states.looked_into:,} states were looked into, which is as "
                "many as one page may; go on with next"
            )
        for session_id in sorted(self.states.unlisted):
            yield (
                f"{session_id} has versions that touched more than is indexed; not all "
                "of them could be looked into, and some may be missing"
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
