"""Answer a query: the next sessions, or versions, or how many there are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice

from apps.agents.scope import Scope
from apps.core.errors import DomainError
from apps.timeline.search import coverage
from apps.timeline.search.clauses import Query
from apps.timeline.search.conditions.base import Candidate
from apps.timeline.search.cursors import Place
from apps.timeline.search.finder import Found, Search
from apps.timeline.search.telling.deeds import rank
from apps.timeline.search.telling.explaining import Reached


def search_sessions(
    scope: Scope,
    query: Query,
    *,
    now: datetime,
    after: Place | None,
    limit: int,
    by_deed: bool = False,
) -> Found:
    """Return the next sessions that meet every clause, newest first.

    `by_deed`: of those of the page, what changed what is looked for comes before what
    holds it, and that before what only mentions it.

    Raises: InvalidRequest for a clause that cannot be answered.
    """
    search = Search(scope, query, now)
    found = list(islice(search.matching(after), limit + 1))
    if len(found) > limit:
        search.next = Place(found[limit - 1].id)
    page = search.found([Reached(session) for session in found[:limit]])
    return (
        replace(page, results=tuple(sorted(page.results, key=rank)))
        if by_deed
        else page
    )


@contextmanager
def searched_by(param: str) -> Iterator[None]:
    """Name the field that took the search, where that is not the `q` of addresses."""
    try:
        yield
    except DomainError as refused:
        if refused.param == "q":
            refused.param = param
        raise


@dataclass(frozen=True, slots=True)
class Counted:
    """The newest sessions that meet a query, and whether they are all there are.

    `has_more` than were asked for, or looked through. `misses`: some may be missing
    that are not indexed yet, or whose states could not be read.
    """

    sessions: tuple[Candidate, ...]
    has_more: bool
    misses: bool

    @property
    def is_all(self) -> bool:
        return not (self.has_more or self.misses)


def count_sessions(scope: Scope, query: Query, *, now: datetime, most: int) -> Counted:
    """Return up to so many sessions that meet every clause, without saying why.

    Raises: InvalidRequest for a clause that cannot be answered.
    """
    search = Search(scope, query, now)
    found = list(islice(search.matching(None, most=most + 1), most + 1))
    has_more = len(found) > most or search.next is not None
    misses = search.is_blind or _is_behind(scope)
    return Counted(tuple(found[:most]), has_more, misses)


def collect_sessions(
    scope: Scope, query: Query, *, now: datetime, most: int, walks: int
) -> Counted:
    """Return up to so many sessions that meet every clause, wherever a page would end.

    After so many pages' worth of looking it stops, and what it has is not all.

    Raises: InvalidRequest for a clause that cannot be answered.
    """
    found: list[Candidate] = []
    place: Place | None = None
    is_blind = False
    for _ in range(walks):
        search = Search(scope, query, now)
        wanted = most + 1 - len(found)
        found += islice(search.matching(place, most=wanted), wanted)
        place, is_blind = search.next, is_blind or search.is_blind
        if place is None or len(found) > most:
            break
    has_more = place is not None or len(found) > most
    # Asked once, behind all pages.
    return Counted(tuple(found[:most]), has_more, is_blind or _is_behind(scope))


def search_versions(
    scope: Scope, query: Query, *, now: datetime, after: Place | None, limit: int
) -> Found:
    """Return the next versions that meet every clause about versions themselves.

    What is true of a session counts for all its versions. Newest session first, and
    in it the newest version first.

    Raises: InvalidRequest for a clause that cannot be answered.
    """
    search = Search(scope, query, now)
    found: list[Reached] = []
    if after is not None and after.number is not None:
        some = search.again(after.session_id)
        found += search.listed(some, after.number, limit + 1)
        after = Place(after.session_id)
    matching = search.matching(after)
    while len(found) <= limit and not search.states.cut:
        some = list(islice(matching, limit + 1))
        if not some:
            break
        found += search.listed(some, None, limit + 1 - len(found))
    if len(found) > limit:
        last = found[limit - 1]
        search.next = Place(last.session.id, last.number)
    return search.found(found[:limit])


def _is_behind(scope: Scope) -> bool:
    return coverage.measured(scope.project.id).is_behind
