"""Which versions may have turned a check, in the order in which they came.

Segment by segment: a fork's history begins in its origin, as far as the caller may see
that.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from apps.agents.scope import Scope
from apps.checks import Check
from apps.timeline.bisect.ancestry import Ancestry
from apps.timeline.bisect.candidates import Along, Listing, Segment
from apps.timeline.errors import RangeRefused
from apps.timeline.queries.divergence import Link, Reason, chains_of
from apps.timeline.versions.lineage import live_ranges_each, set_aside_by


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
    ancestry: Ancestry | None = None,
) -> History:
    """List what may have turned a check.

    The ancestry may have been read with those of others, for what ends at the head.

    Raises: SessionNotFound; RangeRefused, naming the head.
    """
    if ancestry is None:
        chain = chains_of(scope, [session_id], now, with_over=with_over)[session_id]
    else:
        chain = ancestry.chains[session_id]
    own, *origins = chain.links
    last = _last(window, own.number)
    links = [Link(session_id, last, own.thinned_below)]
    links += origins if window.first is None else []
    live = ancestry.live if ancestry else live_ranges_each([one.place for one in links])
    listing = Listing(scope, check, window.along)
    segments: list[Segment] = []
    for link in reversed(links):
        low = window.first or 0
        segments.append(listing.segment(link, low, live[link.place]))
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
