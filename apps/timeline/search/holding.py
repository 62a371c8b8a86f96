"""Conditions on values and places of the state, now and ever."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from apps.core import sql
from apps.core.errors import InvalidRequest
from apps.core.json import Json
from apps.diffs.equality import same
from apps.diffs.facets import LONGEST_POINTER
from apps.timeline import marks
from apps.timeline.search import places, terms, walks
from apps.timeline.search.clauses import Changed, Holds, Scalar
from apps.timeline.search.conditions import Candidate, Condition, Hit
from apps.timeline.search.states import States
from apps.timeline.search.terms import Mark
from apps.timeline.search.walks import Entry, Walk

# Deeper pointers than a state may have are asked for in vain.
MOST_DEPTH = 128

_SET = """
SELECT DISTINCT c.number FROM timeline_change c
 WHERE c.session_id = %(session)s AND c.value_key = ANY (%(values)s::bytea[])
   AND (%(paths)s::bytea[] IS NULL OR c.path_key = ANY (%(paths)s::bytea[]))
   AND (%(before)s::bigint IS NULL OR c.number < %(before)s::bigint)
 ORDER BY c.number DESC LIMIT %(limit)s
"""
_CHANGED = """
SELECT DISTINCT c.number FROM timeline_change c
 WHERE c.session_id = %(session)s AND c.path_key = ANY (%(paths)s::bytea[])
   AND c.role < 4 AND (%(before)s::bigint IS NULL OR c.number < %(before)s::bigint)
 ORDER BY c.number DESC LIMIT %(limit)s
"""


class _OfState(Condition):
    """What `Now`, `Ever` and `ChangedAt` share: digests, and states for the rest."""

    def __init__(self, clause: Holds | Changed, key: bytes, states: States) -> None:
        super().__init__(clause)
        self.key = key
        self.states = states
        self.pointer = clause.pointer
        self.values: list[Scalar] = []
        if isinstance(clause, Holds):
            self.values = places.written_as(clause.value, clause.match)
        self.value_keys = places.value_keys(key, self.values)

    @cached_property
    def paths(self) -> list[bytes]:
        """The keys of the canonical paths that some session has."""
        if self.pointer is None:
            return []
        keys = [marks.path_key(self.key, path) for path in places.paths(self.pointer)]
        return walks.live_paths(keys, self.value_keys)

    def truncated(self) -> Entry:
        return walks.marked([terms.mark_key(self.key, Mark.TRUNCATED)])

    def ever(self) -> Entry:
        if self.pointer is None:
            return walks.set_anywhere(self.value_keys)
        return walks.set_at(self.value_keys, self.paths)

    def fits(self, state: Json) -> bool:
        return self.place_in(state) is not None

    def place_in(self, state: Json) -> str | None:
        if self.pointer is None:
            return next(places.holding(state, self.values), None)
        return next(places.at_pointer(state, self.pointer, self.values), None)

    def told(self, session_id: str, number: int, state: Json | None) -> Hit:
        """Tell of a version, with the place in its state if that can be had."""
        place = None if state is None else self.place_in(state)
        if place is None or state is None:
            return Hit(where="state", version=number, pointer=self.pointer)
        value = next(value for at, value in places.locate(state, place) if at == place)
        return Hit(where="state", version=number, pointer=place, value=value)

    def notices(self) -> list[str]:
        said = []
        if len(self.value_keys) < len(self.values):
            said.append("values of more than 200 characters are not indexed")
        return said


class Now(_OfState):
    """The head holds the value.

    Terms tell for short scalars at the pointers that had room. For the rest, and where
    a segment is the id of an item: what is held now was set at some time, so sessions
    that ever held it are candidates, and their heads decide.
    """

    @cached_property
    def exact(self) -> Walk:
        if self.pointer is None:
            return Walk([walks.held_anywhere(self.value_keys)])
        path = terms.pointer_key(self.key, self.pointer)
        return Walk([walks.held_at(path, self.value_keys)])

    @cached_property
    def by_item(self) -> bool:
        """Whether some session records the place by the id of an item, or too deep."""
        if self.pointer is None:
            return False
        plain = {
            marks.path_key(self.key, path)
            for path in places.paths(self.pointer)
            if not any(isinstance(part, tuple) for part in path)
        }
        return bool(set(self.paths) - plain) or len(self.pointer) > LONGEST_POINTER

    @cached_property
    def cut(self) -> Entry:
        """Sessions whose terms may lack this place: cut at its depth, or above."""
        deepest = MOST_DEPTH
        if self.pointer is not None:
            deepest = min(self.pointer.count("/"), MOST_DEPTH)
        depths = [terms.cut_key(self.key, depth) for depth in range(1, deepest + 1)]
        return walks.held_at(terms.mark_key(self.key, Mark.CUT), depths)

    @cached_property
    def inexact(self) -> Walk:
        """What to look into beside the exact ones: the rarer of two supersets."""
        if self.by_item:
            return Walk([self.ever(), self.truncated()])
        cut = Walk([self.cut])
        ever = Walk([self.ever(), self.truncated()])
        some, others = cut.below(None, 200), ever.below(None, 200)
        if len(some) < 200 or (len(others) == 200 and some[-1] <= others[-1]):
            return cut
        return ever

    def candidates(self, before: str | None, limit: int) -> list[str] | None:
        if not self.value_keys:
            return None
        walk = Walk([*self.exact.entries, *self.inexact.entries])
        return walk.below(before, limit)

    def among(self, sessions: Sequence[Candidate]) -> set[str]:
        ids = [one.id for one in sessions]
        found = self.exact.among(ids)
        rest = [one for one in ids if one not in found]
        if self.value_keys:
            if not self.by_item:
                cut = Walk([self.cut]).among(rest)
                rest = [one for one in rest if one in cut]
            ever = Walk([self.ever(), self.truncated()]).among(rest)
            rest = [one for one in rest if one in ever]
        return found | set(self.states.heads_with(rest, self.fits))

    def hits(self, session: Candidate, before: int | None, limit: int) -> list[Hit]:
        state = self.states.head(session.id)
        hit = self.told(session.id, session.head_number, state)
        # The head is what is asked about, whichever version is looked for.
        return [
            Hit(
                where="head",
                pointer=hit.pointer,
                value=hit.value,
                version=None if before is not None else session.head_number,
            )
        ]


class Ever(_OfState):
    """Some version set the value, or the session began with it."""

    def walk(self) -> Walk:
        return Walk([self.ever(), self.truncated()])

    def candidates(self, before: str | None, limit: int) -> list[str] | None:
        return self.walk().below(before, limit) if self.value_keys else None

    def among(self, sessions: Sequence[Candidate]) -> set[str]:
        ids = [one.id for one in sessions]
        found = Walk([self.ever()]).among(ids)
        rest = [one for one in ids if one not in found]
        if self.value_keys:
            rest = sorted(Walk([self.truncated()]).among(rest))
        return found | {one for one in rest if self._in_bodies(one) is not None}

    def hits(self, session: Candidate, before: int | None, limit: int) -> list[Hit]:
        numbers = [
            row.number
            for row in sql.rows(
                _SET,
                {
                    "session": session.id,
                    "values": self.value_keys,
                    "paths": None if self.pointer is None else self.paths,
                    "before": before,
                    "limit": limit,
                },
            )
        ]
        if not numbers and before is None:
            number = self._in_bodies(session.id)
            numbers = [] if number is None else [number]
        return [
            Hit(where="state", version=number, pointer=self.pointer)
            for number in numbers
        ]

    def _in_bodies(self, session_id: str) -> int | None:
        return self.states.incomplete(session_id, self.fits)


class ChangedAt(_OfState):
    """Some version changed what stands at a pointer, or anything below it."""

    pointer: str

    def candidates(self, before: str | None, limit: int) -> list[str] | None:
        return Walk([walks.changed_at(self.paths), self.truncated()]).below(
            before, limit
        )

    def among(self, sessions: Sequence[Candidate]) -> set[str]:
        ids = [one.id for one in sessions]
        found = Walk([walks.changed_at(self.paths)]).among(ids)
        rest = Walk([self.truncated()]).among([one for one in ids if one not in found])
        return found | {
            one
            for one in sorted(rest)
            if self.states.incomplete_change(one, self._differs) is not None
        }

    def hits(self, session: Candidate, before: int | None, limit: int) -> list[Hit]:
        asked = {
            "session": session.id,
            "paths": self.paths,
            "before": before,
            "limit": limit,
        }
        numbers = [row.number for row in sql.rows(_CHANGED, asked)]
        if not numbers and before is None:
            number = self.states.incomplete_change(session.id, self._differs)
            numbers = [] if number is None else [number]
        return [
            Hit(where="change", version=number, pointer=self.pointer)
            for number in numbers
        ]

    def notices(self) -> list[str]:
        if places.has_position(self.pointer):
            return [
                "items that have an id, key or name are followed by it, not by their "
                "position: name the item, as in /items/A-17"
            ]
        return []

    def _differs(self, before: Json, after: Json) -> bool:
        was = next((one for _, one in places.locate(before, self.pointer)), None)
        now = next((one for _, one in places.locate(after, self.pointer)), None)
        return not same(was, now)


def require_searchable(clause: Holds, found: _OfState) -> None:
    """Refuse what neither an index nor a bounded look could ever find.

    Raises: InvalidRequest.
    """
    if isinstance(found, Ever) and not found.value_keys:
        raise InvalidRequest(
            "A value of more than 200 characters cannot be looked for in the past; "
            "look for its words, or for it in the head with now:.",
            param="q",
        )
