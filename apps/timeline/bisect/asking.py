"""Which versions turned a check: what is asked, and how it is answered.

Change rows name the few versions that may have, and these are looked into. Where they
are more than one answer may look into, it looks into some, says so, and goes on through
all of them from its cursor. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from apps.accounts.errors import Masked
from apps.agents.scope import Scope
from apps.checks import Check, Outcome, pointers_of, write_text
from apps.core.errors import InvalidRequest
from apps.diffs.readers import reader
from apps.timeline.bisect import spacing, telling
from apps.timeline.bisect.ancestry import Ancestry
from apps.timeline.bisect.history import History, Place, Window, history_of
from apps.timeline.bisect.looking import AT_ONCE, Looker
from apps.timeline.bisect.paths import is_of_whole_state
from apps.timeline.bisect.telling import Bisection, End, Flip, Gone, Turned
from apps.timeline.blame.pairs import Number
from apps.timeline.blame.setters import turns_of
from apps.timeline.removed import Tombstone
from apps.timeline.versions import fetching

MOST_FLIPS = 200
MOST_GONE = 50


class Order(StrEnum):
    """Which flips are told first."""

    NEWEST = "newest"
    OLDEST = "oldest"


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A check that should hold, the versions in question, and how they are told."""

    check: Check
    window: Window = field(default_factory=Window)
    order: Order = Order.NEWEST
    limit: int = 50
    start: Place | None = None
    # Whether flips are told with who, why and which turn: reads of their own.
    tells_flips: bool = True

    @property
    def newest_first(self) -> bool:
        return self.order is Order.NEWEST


def find_flips(
    scope: Scope,
    session_id: str,
    asked: Asked,
    *,
    now: datetime,
    with_over: bool = False,
    ancestry: Ancestry | None = None,
) -> Bisection:
    """Tell which versions turned a check, and how far that is known.

    It takes as many statements for a long session as for a short one. `with_over`, for
    people, also of sessions that were deleted or have expired. The ancestry may have
    been read with those of others.

    Raises: SessionNotFound, RangeRefused, Masked, InvalidRequest for a place to go on
    from that is none of this history, Busy.
    """
    _require_allowed(asked.check)
    history = history_of(
        scope,
        session_id,
        asked.check,
        asked.window,
        now=now,
        with_over=with_over,
        ancestry=ancestry,
    )
    looker = Looker(asked.check, history)
    search = _Search(asked, history, looker)
    start = _start(asked, history)
    if start is None or not len(history):
        search.look_over()
    else:
        search.walk(start)
    return search.told()


def _start(asked: Asked, history: History) -> int | None:
    if asked.start is None:
        return None
    found = history.index_of(asked.start)
    if found is None:
        message = "starting_after takes the next of an earlier answer."
        raise InvalidRequest(message, param="starting_after")
    return found


def _require_allowed(check: Check) -> None:
    """Refuse what would tell somebody masked of what they may not see.

    Raises: Masked.
    """
    if tells_hidden(check):
        raise Masked("This check would tell what masks cover.", param="check")


def tells_hidden(check: Check) -> bool:
    """Say whether what comes of a check would tell whoever looks what masks cover."""
    who = reader()
    if who is None:
        return False
    text = write_text(check)
    return any(map(who.hides_below, pointers_of(check))) or who.text(text) != text


class _Search:
    """One answer: what was looked into, and from where the next goes on."""

    def __init__(self, asked: Asked, history: History, looker: Looker) -> None:
        self.asked, self.history, self.looker = asked, history, looker
        self.seen: dict[int, Outcome | None] = {}
        self.is_walk = False
        self._next: int | None = None
        self._turns: list[Turned] = []

    def look_over(self) -> None:
        """Look into all candidates, or into some if they are too many."""
        count = len(self.history)
        self.seen.update(self.looker.look(sorted({0, count - 1}) if count else []))
        if self.looker.affords(count):
            rest = [one for one in self._ordered(0, count) if one not in self.seen]
            self.seen.update(self.looker.look(rest))
        else:
            found = spacing.survey(
                self.seen,
                self.looker.look,
                limit=self.asked.limit,
                newest_first=self.asked.newest_first,
            )
            self.seen.update(found)
        shown = self._choose()
        if len(self.seen) < count:
            self._next = count - 1 if self.asked.newest_first else 0
        elif shown is not None:
            self._next = shown

    def walk(self, start: int) -> None:
        """Look into one candidate after the other until enough turns are found."""
        self.is_walk = True
        count = len(self.history)
        rest = range(start, -1, -1) if self.asked.newest_first else range(start, count)
        for at in range(0, len(rest), AT_ONCE):
            wanted = rest[at : at + AT_ONCE]
            found = self.looker.look(wanted)
            self.seen.update(found)
            n_turns = len(telling.turns(self.history, self.seen))
            if len(found) < len(wanted) or n_turns > self.asked.limit:
                break
        shown = self._choose()
        if shown is not None:
            self._next = shown
        elif len(self.seen) < len(rest):
            self._next = self._last_decided(start)

    def _choose(self) -> int | None:
        """Keep as many turns as are told; return where those go on that are not."""
        found = telling.turns(self.history, self.seen)
        if self.asked.newest_first:
            found.reverse()
        self.n_turns = len(found)
        self._turns = found[: self.asked.limit]
        if len(found) <= self.asked.limit:
            return None
        shown = self._turns[-1]
        return shown.last if self.asked.newest_first else shown.index

    def _last_decided(self, start: int) -> int:
        """Return the last one that tells something, so that no turn is missed."""
        far = min if self.asked.newest_first else max
        decided = [one for one, outcome in self.seen.items() if outcome is not None]
        found = far(decided, default=start)
        return far(self.seen) if found == start else found

    def _ordered(self, start: int, stop: int) -> range:
        span = range(start, stop)
        return span[::-1] if self.asked.newest_first else span

    def told(self) -> Bisection:
        """Return the answer."""
        history, seen = self.history, self.seen
        is_whole = len(seen) == len(history)
        lost = history.n_gone or None in seen.values()
        gone = _gone(history) if lost else []
        return Bisection(
            check=self.asked.check,
            history=history,
            is_of_whole_state=is_of_whole_state(self.asked.check),
            first=self._first(),
            last=self._last(),
            flips=self._flips() if self.asked.tells_flips else [],
            n_flips=self.n_turns,
            first_bad=telling.first_bad(history, seen),
            last_good=telling.last_good(history, seen),
            is_exact=is_whole and not lost,
            covered=self._covered(is_whole=is_whole),
            looked_into=self.looker.looked_into,
            seen=[End(history.at(one), seen[one]) for one in sorted(seen)],
            gone=gone,
            unreadable=self.looker.unreadable,
            next=None if self._next is None else history.at(self._next),
        )

    def _first(self) -> End:
        first = self.history.first
        is_there = len(self.history) and self.history.at(0) == first
        return End(first, self.seen.get(0) if is_there else None)

    def _last(self) -> End:
        known = self.seen.get(len(self.history) - 1)
        return End(self.history.last, None if self.history.ends_gone else known)

    def _covered(self, *, is_whole: bool) -> tuple[Place, Place] | None:
        if is_whole:
            return self.history.first, self.history.last
        if not self.is_walk:
            return None
        low, high = min(self.seen), max(self.seen)
        return (
            self.history.first if low == 0 else self.history.at(low),
            self.history.known_until(high),
        )

    def _flips(self) -> list[Flip]:
        """Add who, why and which turn, each read for all of them at once."""
        places = [self.history.at(one.index) for one in self._turns]
        rows = {
            Place(row.session_id, row.number): row
            for row in (fetching.versions_each(places) if places else [])
        }
        made = turns_of([Number(*place) for place in places])
        return [
            Flip(
                version=rows[place],
                was=one.was,
                outcome=one.outcome,
                after=self.history.known_until(one.last),
                is_certain=one.is_certain,
                set_aside_by=self.history.set_aside_by(place),
                turn=made.get(Number(*place)),
            )
            for one, place in zip(self._turns, places, strict=True)
            # A removal may have taken it since it was looked into.
            if place in rows
        ]


def _gone(history: History) -> Sequence[Gone]:
    """Return what stands for the versions that are gone, the newest of each session."""
    found: list[Gone] = []
    for segment in reversed(history.segments):
        stones = (
            Tombstone.objects.of_session(segment.session_id)
            .filter(
                last_number__gte=segment.lineage.at(0),
                first_number__lte=segment.last,
            )
            .order_by("-first_number")[: MOST_GONE - len(found)]
        )
        found += [Gone(segment.session_id, one) for one in stones]
    return found
