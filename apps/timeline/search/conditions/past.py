"""Conditions on what versions set and changed, of all that there ever were."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from apps.core import keyset
from apps.core.errors import InvalidRequest
from apps.core.json import Json
from apps.diffs.changes import MISSING
from apps.diffs.compare import compare
from apps.diffs.equality import same
from apps.timeline.ledger.facts import index
from apps.timeline.search import index_scan, places
from apps.timeline.search.clauses import Changed, Holds
from apps.timeline.search.conditions.base import Candidate, Cost, Hit, Hits, of_each
from apps.timeline.search.conditions.holding import OfState
from apps.timeline.search.index_scan import Entry, IndexScan
from apps.timeline.search.states import Fits, States
from apps.timeline.search.telling import deeds

_SET = f"""
SELECT DISTINCT c.number FROM timeline_change_current c
 WHERE c.session_id = w.id AND c.value_key = ANY (%(values)s::bytea[])
   AND (%(paths)s::bytea[] IS NULL OR c.path_key = ANY (%(paths)s::bytea[]))
   AND {keyset.below("c.number")}
 ORDER BY c.number DESC LIMIT %(limit)s
"""  # noqa: S608
_CHANGED = f"""
SELECT DISTINCT c.number FROM timeline_change_current c
 WHERE c.session_id = w.id AND c.path_key = ANY (%(paths)s::bytea[])
   AND c.role < 4 AND c.number > 0 AND {keyset.below("c.number")}
 ORDER BY c.number DESC LIMIT %(limit)s
"""  # noqa: S608


class Past(OfState):
    """What `Ever` and `ChangedAt` share: change rows, and bodies where those end."""

    cost = Cost.HISTORY
    tells_only_met = True
    where: str
    query: str

    def __init__(self, clause: Holds | Changed, key: bytes, states: States) -> None:
        super().__init__(clause, key, states)
        # What was looked into once; None: no incomplete version fits.
        self.looked_into: dict[str, int | None] = {}

    def indexed(self) -> Entry:
        """Return the entries of the index that meet the clause."""
        raise NotImplementedError

    @property
    def step(self) -> Fits:
        """Tell whether a version meets the clause, by the states around it."""
        raise NotImplementedError

    def look(self, ids: Sequence[str]) -> dict[str, int]:
        """Return which sessions meet the clause by a version with too few rows."""
        return self.states.incomplete(ids, self.step)

    def among(self, sessions: Sequence[Candidate]) -> set[str]:
        ids = [one.id for one in sessions]
        found = IndexScan([self.indexed()]).among(ids)
        return found | set(self._in_bodies([one for one in ids if one not in found]))

    def hits(
        self, sessions: Sequence[Candidate], before: int | None, limit: int
    ) -> Hits:
        found = self._in_rows(sessions, before, limit)
        cut = IndexScan([self.truncated()]).among([one.id for one in sessions])
        ids = [one.id for one in sessions if one.id in cut]
        others = self.states.incomplete_among(ids, self.step, before, limit)
        return {
            one.id: self._listed({*found[one.id], *others.get(one.id, ())}, limit)
            for one in sessions
        }

    def newest(self, sessions: Sequence[Candidate]) -> dict[str, Hit]:
        found = self._in_rows(sessions, None, 1)
        rest = [one.id for one in sessions if not found[one.id]]
        newest = {one: numbers[0] for one, numbers in found.items() if numbers}
        newest |= self._in_bodies(rest)
        return {one: self._hit(number) for one, number in newest.items()}

    def _in_rows(
        self, sessions: Sequence[Candidate], before: int | None, limit: int
    ) -> dict[str, list[int]]:
        asked = {
            "values": self.value_keys,
            "paths": None if self.pointer is None else self.paths,
            "before": before,
            "limit": limit,
        }
        found = of_each(self.query, sessions, asked)
        return {
            one.id: [row.number for row in found.get(one.id, ())] for one in sessions
        }

    def _in_bodies(self, ids: Sequence[str]) -> dict[str, int]:
        new = [one for one in ids if one not in self.looked_into]
        cut = IndexScan([self.truncated()]).among(new)
        found = self.look([one for one in new if one in cut])
        known = {one: found.get(one) for one in new}
        self.looked_into |= {
            one: number
            for one, number in known.items()
            if one not in self.states.undecided
        }
        known |= {one: self.looked_into[one] for one in ids if one in self.looked_into}
        return {one: number for one, number in known.items() if number is not None}

    def _listed(self, numbers: set[int], limit: int) -> list[Hit]:
        return [self._hit(one) for one in sorted(numbers, reverse=True)[:limit]]

    def _hit(self, number: int) -> Hit:
        return Hit(where=self.where, version=number, pointer=self.pointer)

    def notices(self) -> list[str]:
        said = super().notices()
        if self.pointer is not None and places.has_position(self.pointer):
            said.append(
                "items that have an id, key or name are followed by it, not by their "
                "position: name the item, as in /items/A-17"
            )
        return said


class Ever(Past):
    """Some version set the value, or the session began with it."""

    where = "state"
    query = _SET

    def indexed(self) -> Entry:
        return self.ever()

    def candidates(self, before: str | None, limit: int) -> list[str] | None:
        if not self.value_keys:
            return None
        return IndexScan([self.ever(), self.truncated()]).below(before, limit)

    def look(self, ids: Sequence[str]) -> dict[str, int]:
        # Whatever a state holds, some version set.
        fits = Fits(lambda before, after: self.fits(after), is_alone=True)
        return self.states.incomplete(ids, fits) if self.value_keys else {}

    @property
    def step(self) -> Fits:
        return Fits(self._sets)

    def _sets(self, before: Json, after: Json) -> bool:
        changed = [change.pointer for change in compare(before, after)]
        return any(_is_below(place, changed) for place in self._places(after))

    def _places(self, state: Json) -> Iterator[str]:
        if self.pointer is None:
            return places.holding(state, self.values)
        return places.at_pointer(state, self.pointer, self.values)


class EverNamed(Ever):
    """Some version set the value in any case, or added a key that reads so."""

    def __init__(self, clause: Holds, key: bytes, states: States) -> None:
        super().__init__(clause, key, states)
        term = str(clause.value)
        self.folded = term.casefold()
        lower = index.value_key(key, self.folded)
        keys = [*self.value_keys, lower, index.folded_key(key, term)]
        self.value_keys = list(dict.fromkeys(one for one in keys if one is not None))

    def place_in(self, state: Json) -> str | None:
        return next(self._places(state), None)

    def told(self, hit: Hit, state: Json) -> Hit:
        named = deeds.things(state, self._places(state), self.key)
        return replace(super().told(hit, state), things=named)

    def _places(self, state: Json) -> Iterator[str]:
        yield from places.holding(state, self.values)
        yield from places.named(state, self.folded)


class ChangedAt(Past):
    """Some version changed what stands at a pointer, or anything below it.

    Version 0 is passed by: it set everything that its session began with.
    """

    pointer: str
    where = "change"
    query = _CHANGED

    def indexed(self) -> Entry:
        return index_scan.changed_later(self.paths)

    def candidates(self, before: str | None, limit: int) -> list[str] | None:
        # Those that began with it and left it alone, too: the index does not tell.
        entries = [index_scan.changed_at(self.paths), self.truncated()]
        return IndexScan(entries).below(before, limit)

    @property
    def step(self) -> Fits:
        return Fits(self._differs, carried=False, since=1)

    def _differs(self, before: Json, after: Json) -> bool:
        was = next((one for _, one in places.locate(before, self.pointer)), MISSING)
        now = next((one for _, one in places.locate(after, self.pointer)), MISSING)
        if MISSING in (was, now):
            return was is not now
        return not same(was, now)


def require_searchable(clause: Holds, found: OfState) -> None:
    """Refuse what neither an index nor a bounded look could ever find.

    Raises: InvalidRequest.
    """
    if isinstance(found, Ever) and not found.value_keys:
        raise InvalidRequest(
            "A value of more than 200 characters cannot be looked for in the past; "
            "look for its words, or for it in the head with now:.",
            param="q",
        )


def _is_below(place: str, pointers: Sequence[str]) -> bool:
    return any(place == one or place.startswith(f"{one}/") for one in pointers)
