"""Numbers of heads within a range. No index has them in order.

Whose heads hold a number at a place has set it at some time, or was forked from one
that had; those sessions are looked through, newest first, a page so many of them. What
a head holds there is among its facets, or is read where they had no room for it. A
project that encrypts keeps no facets, so there every such head is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from apps.core import sql
from apps.core.json import Json
from apps.core.json import pointer as pointer_of
from apps.diffs import pointers
from apps.timeline.ledger.facts import index
from apps.timeline.ledger.facts.tags import SearchTag
from apps.timeline.search import index_scan, places
from apps.timeline.search.clauses import Within
from apps.timeline.search.conditions.base import Candidate, Hit, Hits
from apps.timeline.search.conditions.holding import OfState
from apps.timeline.search.index_scan import IndexScan
from apps.timeline.search.states import States

# Beyond it a number of a state may have been another one than jsonb gives back.
_EXACT = 2**53
_HELD = sql.across("""
SELECT s.id, s.facets = '{}' AS is_bare,
       jsonb_typeof(s.facets -> %(pointer)s::text) AS kind,
       CASE jsonb_typeof(s.facets -> %(pointer)s::text)
       WHEN 'number' THEN (s.facets -> %(pointer)s::text)::numeric END AS number
  FROM timeline_session s WHERE s.id = ANY (%(ids)s::varchar[]) LIMIT %(most)s
""")


class Ranged(OfState):
    """The head holds a number at the place, and it lies within the range."""

    def __init__(self, clause: Within, key: bytes, states: States) -> None:
        super().__init__(clause, key, states)
        self.within = clause
        self.place: str = clause.pointer

    def candidates(self, before: str | None, limit: int) -> list[str] | None:
        forked = index_scan.tagged([index.tag_key(self.key, SearchTag.FORKED)])
        entries = [index_scan.changed_at(self._above()), self.truncated(), forked]
        return IndexScan(entries).below(before, limit)

    def _above(self) -> list[bytes]:
        """Return where changes of the number are recorded, or of a list that has it.

        Items with ids are recorded by those, and not by their positions.
        """
        tokens = pointers.split(self.place)
        place = next((at for at, one in enumerate(tokens) if one.isdecimal()), None)
        if place is None:
            return self.paths
        above = pointer_of(tokens[:place])
        return [index.path_key(self.key, path) for path in places.paths(above)]

    def among(self, sessions: Sequence[Candidate]) -> set[str]:
        ids = [one.id for one in sessions]
        asked = {"ids": ids, "pointer": self.place, "most": len(ids)}
        rows = sql.rows(_HELD, asked)
        found = {row.id for row in rows if self._fits(_number(row))}
        untold = self._may_hold([row for row in rows if _is_untold(row)])
        return found | set(self.states.heads_with(untold, self.fits))

    def hits(
        self, sessions: Sequence[Candidate], before: int | None, limit: int
    ) -> Hits:
        return {
            one.id: [Hit(where="head", version=one.head_number, pointer=self.place)]
            for one in sessions
        }

    def place_in(self, state: Json) -> str | None:
        found = places.locate(state, self.place)
        return next((at for at, value in found if self._fits(value)), None)

    def notices(self) -> list[str]:
        return [
            "no index has numbers in order: sessions that ever had one there were "
            "looked through, the newest first"
        ]

    def _may_hold(self, rows: list[Any]) -> list[str]:
        """Return those that may hold it although their facets do not tell."""
        ids = [row.id for row in rows]
        if self.by_item:
            return ids
        cut = IndexScan([self.cut]).among(ids)
        return [
            row.id
            for row in rows
            if row.kind is not None or row.is_bare or row.id in cut
        ]

    def _fits(self, value: Json) -> bool:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        return self.within.has(value)


def _is_untold(row: Any) -> bool:
    """Say whether facets do not tell: nothing is there, or a text for a number."""
    if row.kind == "number":
        return bool(abs(row.number) >= _EXACT)
    return row.kind is None or row.kind == "string"


def _number(row: Any) -> int | float | None:
    if row.number is None or abs(row.number) >= _EXACT:
        return None
    whole = int(row.number)
    return whole if whole == row.number else float(row.number)
