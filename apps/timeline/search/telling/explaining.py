"""Tells why sessions and versions were found: in which version, at which place.

For all results of a page together, so that a hundred take as many statements as one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from apps.core import keyset
from apps.core.admission import work
from apps.core.admission.work import WorkBudget
from apps.timeline.search.clauses import AnyOf, Clause, FreeTerm, Words
from apps.timeline.search.conditions.base import (
    Candidate,
    Condition,
    Cost,
    Hit,
    Hits,
    of_each,
)
from apps.timeline.search.states import Allowance, Reader, States
from apps.timeline.search.telling.deeds import Found, with_deeds
from apps.timeline.search.telling.quotes import Said, quoted

# Where hits are texts that people read.
QUOTED = frozenset({"reasoning", "turn", "summary", "messages"})
# How many hits of one clause in one session are read at a time.
HITS = 500
# How many states are read to tell the places in them; small ones take little.
MOST_READ = 5_000

_NUMBERS = f"""
SELECT v.number FROM timeline_version v
 WHERE v.session_id = w.id
   AND {keyset.below("v.number")}
 ORDER BY v.number DESC LIMIT %(limit)s
"""  # noqa: S608

Conditions = Sequence[Condition]
# The hits of one result, by place of the clause.
Told = dict[int, list[Hit]]


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
class Reached:
    """What was found, with the hits that are known already, by place of the clause."""

    session: Candidate
    number: int | None = None
    hits: Mapping[int, Hit] = field(default_factory=dict)


def explained(
    conditions: Conditions, reached: Sequence[Reached]
) -> tuple[list[Result], int]:
    """Return the results, and in how many states a place could not be looked for."""
    told: list[Told] = [
        {place: [hit] for place, hit in one.hits.items()} for one in reached
    ]
    for place, condition in enumerate(conditions):
        asked = {
            one.session.id: one.session for one in reached if place not in one.hits
        }
        reasons = condition.reasons(list(asked.values())) if asked else {}
        for one, hits in zip(reached, told, strict=True):
            if place not in hits and one.session.id in reasons:
                hits[place] = _of_number(reasons[one.session.id], one.number)
    unread = _with_places(conditions, reached, told)
    _with_deeds(reached, told)
    _with_quotes(conditions, reached, told)
    return [
        Result(
            session=one.session,
            number=one.number,
            matches=tuple(
                Match(clause=hit.clause or condition.clause.text, hit=hit)
                for place, condition in enumerate(conditions)
                for hit in hits.get(place, ())
            ),
        )
        for one, hits in zip(reached, told, strict=True)
    ], unread


def _of_number(hits: Sequence[Hit], number: int | None) -> list[Hit]:
    """Keep what is true of the session or its head, and what is of this version."""
    if number is None:
        return list(hits)
    return [hit for hit in hits if _is_of_session(hit) or hit.version == number]


def _is_of_session(hit: Hit) -> bool:
    return hit.version is None or hit.where == "head"


def numbers(
    conditions: Conditions,
    states: States,
    sessions: Sequence[Candidate],
    before: int | None,
    limit: int,
) -> Iterator[Reached]:
    """Yield the versions that meet every clause about versions, newest first.

    The first `limit` hits of all sessions are read together; a session that has more
    than those goes on by itself. Where states could not be looked into any more,
    `states.cut` says so, and nothing behind it is yielded.
    """
    first = _Hits(conditions, states, sessions, before, limit)
    for session in sessions:
        hits, below = first, before
        while True:
            yield from hits.met(session)
            below, cut = hits.floor(session), hits.cut(session)
            if cut is not None and (below is None or cut >= below):
                states.cut = (session.id, cut)
                return
            if below is None:
                break
            hits = _Hits(conditions, states, [session], below, HITS)


class _Hits:
    """The hits of each clause in some versions of sessions, read together."""

    def __init__(
        self,
        conditions: Conditions,
        states: States,
        sessions: Sequence[Candidate],
        before: int | None,
        limit: int,
    ) -> None:
        self.limit = limit
        costly = count()
        found: list[Hits] = []
        # Below which version not all were looked into, by clause and session.
        self.unlisted: list[dict[str, int]] = []
        for condition in conditions:
            if condition.cost is Cost.HISTORY:
                states.use_share(next(costly))
            states.unlisted = {}
            found.append(condition.hits(sessions, before, limit))
            self.unlisted.append(states.unlisted)
        self.lists = {one.id: _of_versions(found, one.id) for one in sessions}
        all_of = [one for one in sessions if not self.lists[one.id]]
        self.all = of_each(_NUMBERS, all_of, {"before": before, "limit": limit})

    def met(self, session: Candidate) -> Iterator[Reached]:
        known = {
            place: {hit.version or 0: hit for hit in reversed(hits)}
            for place, hits in self.lists[session.id].items()
        }
        if not known:
            for row in self.all.get(session.id, ()):
                yield Reached(session, row.number)
            return
        floor = max(self.floor(session) or 0, self.cut(session) or 0)
        lists = list(known.values())
        for number in sorted(set(lists[0]).intersection(*lists[1:]), reverse=True):
            if number >= floor:
                hits = {place: of_clause[number] for place, of_clause in known.items()}
                yield Reached(session, number, hits)

    def cut(self, session: Candidate) -> int | None:
        """Return below which version not all were looked into; None: all were."""
        found = (self.unlisted[place] for place in self.lists[session.id])
        return max((of[session.id] for of in found if session.id in of), default=None)

    def floor(self, session: Candidate) -> int | None:
        """Return down to which version all hits are here; None: there are no more."""
        lists = self.lists[session.id].values()
        if not lists:
            rows = self.all.get(session.id, [])
            return rows[-1].number if len(rows) == self.limit else None
        if not all(lists):
            return None
        full = [hits[-1].version or 0 for hits in lists if len(hits) == self.limit]
        return max(full, default=None)


def _of_versions(found: Sequence[Hits], session_id: str) -> dict[int, Sequence[Hit]]:
    """Return the hits by place of the clause, of clauses about versions.

    What is true of a session as a whole, or of its head, is true of all versions.
    """
    lists = {place: hits.get(session_id, ()) for place, hits in enumerate(found)}
    return {
        place: hits
        for place, hits in lists.items()
        if not any(map(_is_of_session, hits))
    }


def _with_places(
    conditions: Conditions, reached: Sequence[Reached], told: list[Told]
) -> int:
    """Add place and value to the hits, each state read once and then let go."""
    wanted = _wanted(conditions, reached, told)
    states = States(allowance=Allowance(MOST_READ, WorkBudget(work.PAGE // 2)))
    reader = Reader(states, list(wanted))
    unread = 0
    for version, places in wanted.items():
        if states.is_spent:
            unread += 1
            continue
        state = reader.state(version)
        if state is None:  # `verify` tells of it
            continue
        for row, place, at in places:
            hits = told[row][place]
            hits[at] = conditions[place].told(hits[at], state)
    return unread


def _wanted(
    conditions: Conditions, reached: Sequence[Reached], told: list[Told]
) -> dict[tuple[str, int], list[tuple[int, int, int]]]:
    """Return the versions whose states tell more of hits, and of which."""
    found: dict[tuple[str, int], list[tuple[int, int, int]]] = defaultdict(list)
    for row, (one, listed) in enumerate(zip(reached, told, strict=True)):
        for place, hits in listed.items():
            for at, hit in enumerate(hits):
                if hit.version is not None and conditions[place].has_place(hit):
                    found[one.session.id, hit.version].append((row, place, at))
    return found


def _with_deeds(reached: Sequence[Reached], told: list[Told]) -> None:
    """Tell of sessions which version last changed the thing that was found."""
    places = [
        (row, place, at)
        for row, (one, listed) in enumerate(zip(reached, told, strict=True))
        for place, hits in listed.items()
        for at, hit in enumerate(hits)
        if hit.things and one.number is None
    ]
    found = [
        Found(reached[row].session, told[row][place][at]) for row, place, at in places
    ]
    done = with_deeds(found)
    # From the last on: where two are told, the places behind them move.
    for (row, place, at), hits in reversed(list(zip(places, done, strict=True))):
        told[row][place][at : at + 1] = hits


def _with_quotes(
    conditions: Conditions, reached: Sequence[Reached], told: list[Told]
) -> None:
    """Quote the words around the hits in texts."""
    places = [
        (row, place, at)
        for row, listed in enumerate(told)
        for place, hits in listed.items()
        for at, hit in enumerate(hits)
        if hit.where in QUOTED
    ]
    said = []
    for row, place, at in places:
        hit = told[row][place][at]
        term = _term(conditions[place].clause, hit)
        said.append(Said(reached[row].session, hit, term))
    for (row, place, at), hit in zip(places, quoted(said), strict=True):
        told[row][place][at] = hit


def _term(clause: Clause, hit: Hit) -> str:
    """Return what was looked for in texts."""
    match clause:
        case AnyOf(clauses=some):
            return _term(next(one for one in some if one.text == hit.clause), hit)
        case Words(words=term) | FreeTerm(term=term):
            return term
    return ""
