"""Which versions of one session may have turned a check, listed from its change rows.

Only numbers are read here; no state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from apps.agents.scope import Scope
from apps.checks import Check, names_before
from apps.core import sql
from apps.timeline.bisect.paths import paths_of
from apps.timeline.bisect.runs import Known, Runs
from apps.timeline.ledger.facts import index
from apps.timeline.queries.divergence import Link

# So many candidates of a session are listed; older ones may be any version.
MOST_LISTED = 50_000

CANDIDATES = sql.of_session(sql.query("timeline", "bisect_candidates"))


class Along(StrEnum):
    """Which versions are passed: those that lead to the last one, or all by number."""

    LIVE = "live"
    ALL = "all"


@dataclass(frozen=True, eq=False)
class Segment:
    """What lies in one session: its versions in order, and those to be looked into.

    `broken` are candidates right behind versions that are gone: whatever turned the
    check there is not known.
    """

    session_id: str
    lineage: Runs
    candidates: Runs
    broken: frozenset[int]
    n_gone: int
    live: Sequence[range]
    ends_gone: bool

    @property
    def last(self) -> int:
        return self.lineage.at(len(self.lineage) - 1)


class Listing:
    """Lists the candidates of one session after the other, the oldest first."""

    def __init__(self, scope: Scope, check: Check, along: Along) -> None:
        key = bytes(scope.project.index_key)
        self._paths = [index.path_key(key, path) for path in paths_of(check)]
        self._along = along
        self._looks_back = names_before(check)
        self._earlier_is_gone: bool | None = None

    def segment(self, link: Link, low: int, live: Sequence[range]) -> Segment:
        window = [range(low, link.number + 1)]
        is_live = self._along is Along.LIVE
        lineage = Runs(reversed(live)).within(window) if is_live else Runs(window)
        listed, lowest = self._listed(link, low)
        known = Known(listed, link.thinned_below if lowest == low else None)
        wanted = self._wanted(listed, lineage, live, link.thinned_below)
        later = Runs.of(number for number in wanted if number >= lowest)
        candidates = Runs([range(low, lowest), *later.ranges]).within(lineage.ranges)
        broken: set[int] = set()
        if known.thinned_below is not None:
            candidates = Runs.of(one for one in candidates if not known.lacks(one))
            pairs = ((one, lineage.below(one)) for one in candidates)
            broken = {
                one
                for one, behind in pairs
                if behind and known.lacks(lineage.at(behind - 1))
            }
        if self._earlier_is_gone and lineage.at(0) in candidates:
            broken.add(lineage.at(0))
        self._earlier_is_gone = known.lacks(link.number)
        return Segment(
            session_id=link.session_id,
            lineage=lineage,
            candidates=candidates,
            broken=frozenset(broken),
            n_gone=known.count_gone(lineage),
            live=live,
            ends_gone=self._earlier_is_gone,
        )

    def _listed(self, link: Link, low: int) -> tuple[set[int], int]:
        """Return the versions with a say, and down to which number these are all."""
        asked = {
            "session": link.session_id,
            "paths": self._paths,
            "low": low,
            "high": link.number,
            "thinned": link.thinned_below,
            "most": MOST_LISTED,
        }
        rows = sql.rows(CANDIDATES, asked)
        lowest = rows[-1].number if len(rows) == MOST_LISTED else low
        return {row.number for row in rows}, lowest

    def _wanted(
        self,
        listed: set[int],
        lineage: Runs,
        live: Sequence[range],
        thinned_below: int | None,
    ) -> set[int]:
        """Return the candidates: what the change rows name, and what they cannot tell.

        A rollback shows the state of the version that is passed before it.
        """
        jumps = {one.start for one in live[:-1] if lineage.below(one.start)}
        wanted = set(listed)
        if self._along is Along.LIVE:
            # Beside what is gone, or by what was before, it may differ after all.
            is_sure = thinned_below is None and not self._looks_back
            wanted = wanted - jumps if is_sure else wanted | jumps
        if self._looks_back:
            # Version 0 has none before it, so the next one may differ from it anyway.
            wanted |= {1, *(number + 1 for number in listed)}
        if self._looks_back or self._earlier_is_gone is not False:
            wanted.add(lineage.at(0))
        if thinned_below is not None:
            wanted.add(thinned_below)
        return wanted
