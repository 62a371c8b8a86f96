"""Which versions may have turned a check, in the order in which they came.

Segment by segment: a fork's history begins in its origin, as far as the caller may see
that. Only numbers are read here, from the change rows; no state.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from apps.agents.scope import Scope
from apps.checks import Check, names_before
from apps.core import sql
from apps.timeline.errors import RangeRefused
from apps.timeline.ledger.facts import index
from apps.timeline.queries.bisect.paths import paths_of
from apps.timeline.queries.bisect.runs import Known, Runs
from apps.timeline.queries.divergence import Link, Reason, chains_of
from apps.timeline.versions.lineage import live_ranges_each, set_aside_by

# So many candidates of a session are listed; older ones may be any version.
MOST_LISTED = 50_000

CANDIDATES = sql.of_session(sql.query("timeline", "bisect_candidates"))


class Along(StrEnum):
    """Which versions are passed: those that lead to the last one, or all by number."""

    LIVE = "live"
    ALL = "all"


class Place(NamedTuple):
    """A version of a session: the history of a fork lies in several."""

    session_id: str
    number: int


@dataclass(frozen=True, slots=True)
class Window:
    """Which part of a history is asked about; None is its beginning, or its head."""

    first: int | None = None
    last: int | None = None
    along: Along = Along.LIVE


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


@dataclass(frozen=True, eq=False)
class History:
    """All of it, the oldest first; a candidate is known by its place among them.

    `end` is why nothing is told of what came before, if there was more.
    """

    segments: Sequence[Segment]
    window: Window
    end: Reason | None

    def __len__(self) -> int:
        return self._ends[-1]

    @property
    def n_versions(self) -> int:
        return sum(len(one.lineage) for one in self.segments)

    @property
    def n_gone(self) -> int:
        return sum(one.n_gone for one in self.segments)

    @property
    def n_untouched(self) -> int:
        """Count those that are there and cannot have turned it."""
        return self.n_versions - self.n_gone - len(self)

    @property
    def n_set_aside(self) -> int:
        """Count the versions between the first and the last that are passed by."""
        spans = (one.last + 1 - one.lineage.at(0) for one in self.segments)
        return sum(spans) - self.n_versions

    @property
    def is_hidden_before(self) -> bool:
        """Whether something came before the first that is not told of."""
        return self.end is not None

    @property
    def first(self) -> Place:
        return Place(self.segments[0].session_id, self.segments[0].lineage.at(0))

    @property
    def last(self) -> Place:
        return Place(self.segments[-1].session_id, self.segments[-1].last)

    @property
    def ends_gone(self) -> bool:
        """Whether the last version is gone."""
        return self.segments[-1].ends_gone

    def at(self, index: int) -> Place:
        segment, inside = self._inside(index)
        return Place(segment.session_id, segment.candidates.at(inside))

    def is_broken(self, index: int) -> bool:
        """Whether versions right before a candidate are gone."""
        segment, inside = self._inside(index)
        return bool(segment.broken) and segment.candidates.at(inside) in segment.broken

    def before(self, place: Place) -> Place | None:
        """Return the version that came before one of these."""
        for at, segment in enumerate(self.segments):
            if segment.session_id != place.session_id:
                continue
            behind = segment.lineage.below(place.number)
            if behind:
                return Place(place.session_id, segment.lineage.at(behind - 1))
            earlier = self.segments[at - 1] if at else None
            return Place(earlier.session_id, earlier.last) if earlier else None
        return None

    def known_until(self, index: int) -> Place:
        """Return the newest version known to be as a candidate: up to the next one.

        What came after one that is gone is not known.
        """
        if index + 1 == len(self):
            return self.at(index) if self.ends_gone else self.last
        if self.is_broken(index + 1):
            return self.at(index)
        return self.before(self.at(index + 1)) or self.at(index)

    def index_of(self, place: Place) -> int | None:
        """Return the last candidate up to a place; None for one that is elsewhere."""
        behind = 0
        for segment in self.segments:
            if segment.session_id == place.session_id:
                return max(0, behind + segment.candidates.below(place.number + 1) - 1)
            behind += len(segment.candidates)
        return None

    def set_aside_by(self, place: Place) -> int | None:
        """Return the rollback that set a version aside, as seen from the last one."""
        live = next(
            one.live for one in self.segments if one.session_id == place.session_id
        )
        return set_aside_by(live, place.number)

    def _inside(self, index: int) -> tuple[Segment, int]:
        at = bisect_right(self._ends, index)
        return self.segments[at], index - (self._ends[at - 1] if at else 0)

    @cached_property
    def _ends(self) -> list[int]:
        return list(accumulate(len(one.candidates) for one in self.segments))


def history_of(
    scope: Scope,
    session_id: str,
    check: Check,
    window: Window,
    *,
    now: datetime,
    with_over: bool = False,
) -> History:
    """List what may have turned a check.

    Raises: SessionNotFound; RangeRefused, naming the head.
    """
    chain = chains_of(scope, [session_id], now, with_over=with_over)[session_id]
    own, *origins = chain.links
    last = _last(window, own.number)
    links = [Link(session_id, last, own.thinned_below)]
    links += origins if window.first is None else []
    live = live_ranges_each({one.session_id: one.number for one in links})
    listing = _Listing(scope, check, window.along)
    segments: list[Segment] = []
    for link in reversed(links):
        low = window.first or 0
        segments.append(listing.segment(link, low, live[link.session_id]))
    return History(segments, window, chain.end if window.first is None else None)


def _last(window: Window, head: int) -> int:
    """Raises: RangeRefused."""
    last = head if window.last is None else window.last
    first = window.first or 0
    for param, number in (("to", last), ("from", first)):
        if number > head:
            message = f"There is no v{number} yet: the head is v{head}."
            raise RangeRefused(message, param=param, head=head)
    if first > last:
        message = f"from is v{first}, above to, which is v{last}."
        raise RangeRefused(message, param="from", head=head)
    return last


class _Listing:
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
