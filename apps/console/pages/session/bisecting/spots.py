"""Which versions of a history are drawn, and what is known of each of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from apps.checks import Outcome
from apps.console.pages.session.bisecting.line import MOST, Spot
from apps.timeline.queries import (
    BisectHistory,
    Bisection,
    Eyed,
    Place,
    Said,
    Trial,
)

SAID = {Said.GOOD: Outcome.HOLDS, Said.BAD: Outcome.FAILS, Said.SKIPPED: None}


def of_check(found: Bisection, session_id: str) -> list[Spot]:
    """Return the versions to draw of a bisect by a check, oldest first."""
    known = Known(found)
    spans = _Spans(found.history)
    if spans.count <= MOST:
        wanted = [spans.place(at) for at in range(spans.count)]
    else:
        wanted = _chosen(found)
    placed = sorted((spans.at(place), place) for place in wanted)
    return [known.spot(place, at, session_id) for at, place in placed]


def _chosen(found: Bisection) -> list[Place]:
    """Choose what tells most: the ends, where it turned, and some of the rest."""
    told = [end.place for end in (found.first_bad, found.last_good) if end]
    turned = [
        place
        for flip in found.flips
        for place in (Place(flip.version.session_id, flip.version.number), flip.after)
    ]
    seen = [end.place for end in found.seen]
    some = seen[:: max(1, len(seen) // MOST)]
    first = [found.history.first, found.history.last, *told, *turned, *some]
    return list(dict.fromkeys(first))[:MOST]


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
        is_origin = place.session_id != session_id
        return Spot(
            place=place,
            at=at,
            outcome=outcome,
            how=f"{how}, of the origin" if is_origin else how,
            is_tested=is_seen and outcome is not None,
            is_aside=self._history.set_aside_by(place) is not None,
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
    passed = eyed.passed
    first, last = passed.at(0), passed.at(len(passed) - 1)
    if last - first < MOST:
        numbers: Iterable[int] = range(first, last + 1)
    else:
        ends = [first, last, eyed.good, eyed.bad]
        middle = [] if eyed.middle is None else [eyed.middle]
        newest = [trial.number for trial in reversed(trials)]
        numbers = sorted(list(dict.fromkeys([*middle, *ends, *newest]))[:MOST])
    order = {trial.number: (at + 1, trial.said) for at, trial in enumerate(trials)}
    ends_said = {first: Outcome.HOLDS, last: Outcome.FAILS}
    return [
        _eyed_spot(session_id, number, number - first, eyed, order, ends_said)
        for number in numbers
    ]


def _eyed_spot(
    session_id: str,
    number: int,
    at: int,
    eyed: Eyed,
    order: Mapping[int, tuple[int, Said]],
    ends: Mapping[int, Outcome],
) -> Spot:
    outcome: Outcome | None = None
    if number <= eyed.good:
        outcome = Outcome.HOLDS
    elif number >= eyed.bad:
        outcome = Outcome.FAILS
    how, is_aside = "inferred", False
    if number in order:
        trial, said = order[number]
        how = f"trial {trial}"
        if said is Said.SKIPPED:
            how, outcome = f"{how}, skipped", None
    elif number in ends:
        how = "as given"
    elif number not in eyed.passed:
        how, outcome, is_aside = "set aside", None, True
    elif number == eyed.middle:
        how = "to be judged"
    elif outcome is None:
        how = "in question" if number in eyed.between else "gone"
    return Spot(
        place=Place(session_id, number),
        at=at,
        outcome=outcome,
        how=how,
        is_tested=number in order or number in ends,
        is_aside=is_aside,
    )
