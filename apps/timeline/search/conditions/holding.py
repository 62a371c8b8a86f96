"""Conditions on values and places of the state: what they share, and what holds now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from apps.core.json import Json
from apps.diffs.facets import LONGEST_POINTER
from apps.diffs.readers import reader
from apps.timeline.ledger.facts import index
from apps.timeline.ledger.facts.tags import SearchTag
from apps.timeline.search import index_scan, places
from apps.timeline.search.clauses import Changed, Holds, Scalar, Within
from apps.timeline.search.conditions.base import (
    Candidate,
    Condition,
    Cost,
    Hit,
    Hits,
)
from apps.timeline.search.index_scan import Entry, IndexScan
from apps.timeline.search.states import States

# Deeper pointers than a state may have are asked for in vain.
MOST_DEPTH = 128


class OfState(Condition):
    """What conditions on states share: digests, and states for the rest."""

    cost = Cost.HEAD
    reads_history = True

    def __init__(
        self, clause: Holds | Changed | Within, key: bytes, states: States
    ) -> None:
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
        keys = [index.path_key(self.key, path) for path in places.paths(self.pointer)]
        return index_scan.live_paths(keys, self.value_keys)

    @cached_property
    def by_item(self) -> bool:
        """Whether some session records the place by the id of an item, or too deep."""
        if self.pointer is None:
            return False
        plain = {
            index.path_key(self.key, path)
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
        depths = [index.cut_key(self.key, depth) for depth in range(1, deepest + 1)]
        return index_scan.held_at(index.tag_key(self.key, SearchTag.CUT), depths)

    def truncated(self) -> Entry:
        """Sessions in which change rows do not tell everything."""
        tags = [index.tag_key(self.key, SearchTag.TRUNCATED)]
        return index_scan.tagged(tags, thinned_of=self.states.project_id)

    def ever(self) -> Entry:
        if self.pointer is None:
            return index_scan.set_anywhere(self.value_keys)
        return index_scan.set_at(self.value_keys, self.paths)

    def fits(self, state: Json) -> bool:
        return self.place_in(state) is not None

    def place_in(self, state: Json) -> str | None:
        if self.pointer is None:
            return next(places.holding(state, self.values), None)
        return next(places.at_pointer(state, self.pointer, self.values), None)

    def has_place(self, hit: Hit) -> bool:
        return hit.where in ("state", "head")

    def told(self, hit: Hit, state: Json) -> Hit:
        place = self.place_in(state)
        if place is None:
            return hit
        value = next(value for at, value in places.locate(state, place) if at == place)
        return replace(hit, pointer=place, value=value)

    def notices(self) -> list[str]:
        said = []
        if len(self.value_keys) < len(self.values):
            said.append("values of more than 200 characters are not indexed")
        return said


class Now(OfState):
    """The head holds the value.

    Terms tell for short scalars at the pointers that had room. For the rest, and where
    a segment is the id of an item: what is held now was set at some time, so sessions
    that ever held it are candidates, and their heads decide.
    """

    @cached_property
    def exact(self) -> IndexScan:
        if self.pointer is None:
            return IndexScan([index_scan.held_anywhere(self.value_keys)])
        path = index.pointer_key(self.key, self.pointer)
        return IndexScan([index_scan.held_at(path, self.value_keys)])

    @cached_property
    def inexact(self) -> IndexScan:
        """What to look into beside the exact ones: the rarer of two supersets."""
        if self.by_item:
            return IndexScan([self.ever(), self.truncated()])
        cut = IndexScan([self.cut])
        some = cut.below(None, 200)
        if len(some) < 200:
            return cut
        ever = IndexScan([self.ever(), self.truncated()])
        others = ever.below(None, 200)
        return cut if len(others) == 200 and some[-1] <= others[-1] else ever

    def candidates(self, before: str | None, limit: int) -> list[str] | None:
        if not self.value_keys:
            return None
        scan = IndexScan([*self.exact.entries, *self.inexact.entries])
        return scan.below(before, limit)

    def among(self, sessions: Sequence[Candidate]) -> set[str]:
        ids = [one.id for one in sessions]
        # An index knows nothing of masks: whoever is not shown everything is told of
        # what stands in the states that they see.
        found = self.exact.among(ids) if reader() is None else set()
        rest = [one for one in ids if one not in found]
        if self.value_keys and reader() is None:
            if not self.by_item:
                cut = IndexScan([self.cut]).among(rest)
                rest = [one for one in rest if one in cut]
            ever = IndexScan([self.ever(), self.truncated()]).among(rest)
            rest = [one for one in rest if one in ever]
        return found | set(self.states.heads_with(rest, self.fits))

    def hits(
        self, sessions: Sequence[Candidate], before: int | None, limit: int
    ) -> Hits:
        # The head is what is asked about, whichever version is looked for.
        return {
            one.id: [Hit(where="head", version=one.head_number, pointer=self.pointer)]
            for one in sessions
        }
