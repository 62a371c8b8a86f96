"""Which versions of a history are drawn, and what is known of each of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from apps.checks import Outcome
from apps.console.pages.session.bisecting.line import MOST, Spot
from apps.timeline.bisect import Bisection, Eyed, Place, Said, Trial
from apps.timeline.bisect import History as BisectHistory


def of_check(found: Bisection, session_id: str) -> list[Spot]:
    """Return the versions to draw of a bisect by a check, oldest first."""
    known = Known(found)
    spans = _Spans(found.history)
    if spans.count <= MOST:
        wanted = [spans.place(at) for at in range(spans.count)]
    else:
        some = range(0, spans.count, spans.count // MOST + 1)
        more = [spans.place(at) for at in some]
        wanted = list(dict.fromkeys([*_telling(found), *more]))[:MOST]
    placed = sorted((spans.at(place), place) for place in wanted)
    return [known.spot(place, at, session_id) for at, place in placed]


def _telling(found: Bisection) -> list[Place]:
    """Return what tells most, in that order: the ends, and where it turned."""
    told = [end.place for end in (found.first_bad, found.last_good) if end]
    flips = [Place(one.version.session_id, one.version.number) for one in found.flips]
    befores = [one.after for one in found.flips]
    seen = [end.place for end in found.seen]
    some = seen[:: len(seen) // MOST + 1]
    return [found.history.first, found.history.last, *told, *flips, *befores, *some]


class _Spans:
    """All versions between the ends of a history, counted through its sessions."""

    def __init__(self, history: BisectHistory) -> None:
        self._first = [one.lineage.at(0) for one in history.segments]
        self._ids = [one.session_id for one in history.segments]
        counts = [
            one.last + 1 - first
            for one, first in zip(history.segments, self._first, strict=True)
        ]
        self._starts = [0, *accumulate(counts)]

    @property
    def count(self) -> int:
        return self._starts[-1]

    def at(self, place: Place) -> int:
        index = self._ids.index(place.session_id)
        return self._starts[index] + place.number - self._first[index]

    def place(self, at: int) -> Place:
        index = max(i for i, start in enumerate(self._starts[:-1]) if start <= at)
        return Place(self._ids[index], self._first[index] + at - self._starts[index])


class Known:
    """What a bisect knows of each version: looked into, as those before, or nothing."""

    def __init__(self, found: Bisection) -> None:
        self._history = found.history
        self._seen: Mapping[Place, Outcome | None] = {
            end.place: end.outcome for end in found.seen
        }
        self._segments = {one.session_id: one for one in found.history.segments}

    def spot(self, place: Place, at: int, session_id: str) -> Spot:
        """Return what is drawn of a version; `session_id` is that of the page."""
        segment = self._segments[place.session_id]
        if place.number not in segment.lineage:
            return Spot(
                place=place, at=at, outcome=None, how="set aside", is_aside=True
            )
        is_seen = place in self._seen
        outcome = self._seen[place] if is_seen else self._untouched(place)
        how = "untouched" if outcome else "not known"
        if is_seen:
            how = "looked into" if outcome else "gone"
        is_aside = self._history.set_aside_by(place) is not None
        how = "set aside" if is_aside else how
        is_origin = place.session_id != session_id
        return Spot(
            place=place,
            at=at,
            outcome=outcome,
            how=f"{how}, of the origin" if is_origin else how,
            is_tested=is_seen and outcome is not None,
            is_aside=is_aside,
        )

    def _untouched(self, place: Place) -> Outcome | None:
        """Return what a version has from the one before that touched a place."""
        history = self._history
        index = history.index_of(place) if len(history) else None
        if index is None or not self._is_before(history.at(index), place):
            return None
        end = history.known_until(index)
        return (
            self._seen.get(history.at(index)) if self._is_before(place, end) else None
        )

    def _is_before(self, one: Place, other: Place) -> bool:
        """Say whether a version comes before another, or is that one."""
        order = list(self._segments)
        return (order.index(one.session_id), one.number) <= (
            order.index(other.session_id),
            other.number,
        )

    def is_alike(self, one: Place, other: Place) -> bool:
        """Say whether all between two versions that are alike is known to be so."""
        history = self._history
        first, last = history.index_of(one), history.index_of(other)
        if first is None or last is None:
            return False
        outcome = self._seen.get(history.at(first))
        return all(
            self._seen.get(history.at(index)) is outcome
            and not history.is_broken(index)
            for index in range(first + 1, last + 1)
        )


def by_eye(session_id: str, eyed: Eyed, trials: Sequence[Trial]) -> list[Spot]:
    """Return the versions to draw of a bisect by eye, oldest first."""
    seen = _Eyes(session_id, eyed, trials)
    return [seen.spot(number) for number in seen.chosen()]


class _Eyes:
    """What somebody said of some versions, and what follows for the others."""

    def __init__(self, session_id: str, eyed: Eyed, trials: Sequence[Trial]) -> None:
        self._session_id = session_id
        self._eyed = eyed
        self._trials = {trial.number: at + 1 for at, trial in enumerate(trials)}
        # Of one that was skipped, something may follow from others all the same.
        self._judged = {one.number for one in trials if one.said is not Said.SKIPPED}
        self._first = eyed.passed.at(0)
        self._last = eyed.passed.at(len(eyed.passed) - 1)

    def chosen(self) -> Iterable[int]:
        if self._last - self._first < MOST:
            return range(self._first, self._last + 1)
        eyed = self._eyed
        middle = [] if eyed.middle is None else [eyed.middle]
        newest = reversed(self._trials)
        first = [*middle, self._first, self._last, eyed.good, eyed.bad, *newest]
        return sorted(list(dict.fromkeys(first))[:MOST])

    def spot(self, number: int) -> Spot:
        is_passed = number in self._eyed.passed
        return Spot(
            place=Place(self._session_id, number),
            at=number - self._first,
            outcome=self._outcome(number) if is_passed else None,
            how=self._how(number) if is_passed else "set aside",
            is_tested=number in (self._first, self._last, *self._judged),
            is_aside=not is_passed,
        )

    def _outcome(self, number: int) -> Outcome | None:
        if number <= self._eyed.good:
            return Outcome.HOLDS
        return Outcome.FAILS if number >= self._eyed.bad else None

    def _how(self, number: int) -> str:
        eyed = self._eyed
        if number in eyed.skipped:
            return f"trial {self._trials[number]}, skipped"
        if number in self._judged:
            return f"trial {self._trials[number]}"
        if number in (self._first, self._last):
            return "as given"
        if self._outcome(number) is not None:
            return "inferred"
        if number == eyed.middle:
            return "to judge"
        return "in question" if number in eyed.between else "gone"
