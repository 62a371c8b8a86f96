"""The deed behind a result: the version that last changed the thing a term names.

A thing is the value itself, or the object that is named by it: of `/order/id` the
order, and of a key that is an id what stands under it. The first version that had it
only told of it; a later one that changed it did something.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from apps.core.json import Json
from apps.diffs import pointers
from apps.diffs.changes import MISSING, Kind
from apps.diffs.paths import Paths
from apps.timeline.ledger.facts import index
from apps.timeline.search.conditions.base import Candidate, Hit, Thing, of_each

if TYPE_CHECKING:
    from apps.timeline.search.telling.explaining import Result

# A term may name many things in one state; the first of them are followed.
MOST_THINGS = 8
_NAMES = frozenset({"id", "key", "name", "code", "number", "uuid", "ref"})
_ENDINGS = ("_id", "_key", "_code", "_number", "_ref", "Id", "Code", "Number")
# How far back changes are read in a session: the last one is what is told.
_NEWEST = 1_000
_CHANGES = f"""
SELECT c.path_key, max(c.number) AS number,
       array_agg(c.number ORDER BY c.number) AS numbers,
       array_agg(c.number) FILTER (WHERE v.op = 'rollback') AS rollbacks,
       array_agg(c.number) FILTER (WHERE c.kind = %(removed)s) AS removals
  FROM (SELECT c.path_key, c.number, c.kind FROM timeline_change_current c
         WHERE c.session_id = w.id AND c.path_key = ANY (%(paths)s::bytea[])
         ORDER BY c.number DESC LIMIT {_NEWEST}) c
  JOIN timeline_version v ON v.session_id = w.id AND v.number = c.number
 GROUP BY c.path_key"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class Found:
    """A hit in the state of a version of this session."""

    session: Candidate
    hit: Hit


def things(state: Json, places: Iterator[str], key: bytes) -> tuple[Thing, ...]:
    """Return what these places of a state name, each by where its changes stand."""
    paths = Paths(state)
    found: dict[str, Thing] = {}
    for place in places:
        if len(found) == MOST_THINGS:
            break
        thing = _named_by(place)
        name = None if thing == place else index.path_key(key, paths.find(place))
        path = index.path_key(key, paths.find(thing))
        found[thing] = Thing(thing, path, name)
    return tuple(found.values())


def with_deeds(found: Sequence[Found]) -> list[list[Hit]]:
    """Return for each hit what is told in its place: the deed, if there is one.

    Where the version that was found is not the one that did it, both are told.
    """
    changes = _changes(found)
    return [_told(one, changes) for one in found]


def rank(result: Result) -> int:
    """Sort what changed the thing before what has it, and that before a mention."""
    ranks: dict[str, int] = {}
    for match in result.matches:
        rank = _RANKS.get(match.hit.where, 1)
        ranks[match.clause] = min(rank, ranks.get(match.clause, rank))
    return sum(ranks.values())


_RANKS = {"change": 0} | dict.fromkeys(("turn", "reasoning", "summary", "messages"), 2)


@dataclass(frozen=True, slots=True)
class _Changes:
    """The versions that changed what stands at one path, and what some of them did."""

    numbers: list[int]
    rollbacks: frozenset[int]
    removals: frozenset[int]


_Known = dict[tuple[str, bytes], _Changes]
_NONE = _Changes([], frozenset(), frozenset())


@dataclass(frozen=True, slots=True)
class _Span:
    """The first and the last change of a thing in a session."""

    first: int
    last: int


def _changes(found: Sequence[Found]) -> _Known:
    sessions = {one.session.id: one.session for one in found if one.hit.things}
    things = [thing for one in found for thing in one.hit.things]
    paths = {thing.path_key for thing in things}
    paths |= {thing.name_key for thing in things if thing.name_key is not None}
    asked = {"paths": sorted(paths), "removed": index.KINDS[Kind.REMOVED]}
    rows = of_each(_CHANGES, list(sessions.values()), asked)
    return {
        (session_id, bytes(row.path_key)): _Changes(
            row.numbers, frozenset(row.rollbacks or ()), frozenset(row.removals or ())
        )
        for session_id, some in rows.items()
        for row in some
    }


def _span(one: Found, thing: Thing, known: _Known) -> _Span | None:
    """Return the changes of a thing while it had its name; None where none are known.

    A rollback took a change back: what it took back is the deed.
    """
    changes = known.get((one.session.id, thing.path_key))
    if changes is None:
        return None
    at = one.hit.version or 0
    naming = _NONE
    if thing.name_key is not None:
        naming = known.get((one.session.id, thing.name_key), _NONE)
    renamed = [number for number in naming.numbers if number not in changes.removals]
    since = max((number for number in renamed if number <= at), default=-1)
    until = min((number for number in renamed if number > at), default=None)
    deeds = [
        number
        for number in changes.numbers
        if number > since
        and (until is None or number < until)
        and number not in changes.rollbacks
    ]
    first = changes.numbers[0]
    return _Span(first, deeds[-1] if deeds else first)


def _told(one: Found, changes: _Known) -> list[Hit]:
    known = [
        (thing.pointer, span)
        for thing in one.hit.things
        if (span := _span(one, thing, changes)) is not None
    ]
    if not known:
        return [one.hit]
    pointer, newest = max(known, key=lambda each: each[1].last)
    if newest.last <= min(span.first for _, span in known):
        return [one.hit]
    is_same = newest.last == one.hit.version
    value = one.hit.value if is_same and pointer == one.hit.pointer else MISSING
    deed = replace(
        one.hit, where="change", version=newest.last, pointer=pointer, value=value
    )
    return [deed] if is_same else [deed, one.hit]


def _named_by(place: str) -> str:
    """Return the object that the value at a place names, or the place itself."""
    *_, name = pointers.split(place)
    parent = pointers.parent(place)
    is_name = name in _NAMES or name.endswith(_ENDINGS)
    return parent if is_name and parent else place
