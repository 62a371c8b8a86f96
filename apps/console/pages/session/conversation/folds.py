"""Turns that were summarised, folded under what a summary tells of them.

Of summaries that count, the one that reaches furthest folds its turns; those before
them may be folded by another. Those that tell of the same turns stand beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby

from apps.console.pages.session.conversation import spoken
from apps.console.pages.session.conversation.entries import Entry
from apps.console.pages.session.conversation.spoken import Said
from apps.console.pages.session.session_page import Place
from apps.timeline.models import Summary
from apps.timeline.queries import MessagePlace, summaries_of_turns
from apps.timeline.stepping import Speaker


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """A summary, as it is read."""

    id: str
    first: int
    last: int
    number: int
    by: str
    at: datetime
    said: Said

    @property
    def turns(self) -> str:
        """Which turns it tells of."""
        if self.first == self.last:
            return f"turn {self.first:,}"
        return f"turns {self.first:,} to {self.last:,}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Fold:
    """A summary, and the others of the same turns."""

    told: Told
    others: list[Told] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True, slots=True)
class Passage:
    """Successive entries, under a summary of them if there is one.

    `behind` is where its turns end, if that is on another page.
    """

    entries: Sequence[Entry]
    fold: Fold | None = None
    is_open: bool = False
    behind: MessagePlace | None = None

    @property
    def n_turns(self) -> int:
        """How many of its turns are on this page."""
        return len({entry.place[0] for entry in self.entries})


def grouped(place: Place, entries: Sequence[Entry]) -> list[Passage]:
    """Return the entries of turns, folded where they were summarised."""
    if not entries:
        return []
    first, last = entries[0].place[0], entries[-1].place[0]
    found = summaries_of_turns(place.session.id, first, last, place.live)
    folds = _folds(found)
    by_fold = groupby(entries, key=lambda entry: _index(folds, entry.place[0]))
    return [
        _passage(list(some), None if at is None else folds[at], last)
        for at, some in by_fold
    ]


def unfolded(entries: Sequence[Entry]) -> list[Passage]:
    """Return the entries as they are."""
    return [Passage(entries=entries)]


def _folds(found: Sequence[Summary]) -> list[Fold]:
    """Choose those that fold, the furthest first, none of them over another's turns."""
    folds: list[Fold] = []
    for summary in found:
        told = _told(summary)
        if folds and summary.last_turn >= folds[-1].told.first:
            folds[-1].others.append(told)
        else:
            folds.append(Fold(told=told))
    return folds


def _told(summary: Summary) -> Told:
    return Told(
        id=summary.id,
        first=summary.first_turn,
        last=summary.last_turn,
        number=summary.head_number,
        by=summary.actor_label,
        at=summary.created_at,
        said=spoken.said_in(summary.text, kind=Speaker.OTHER),
    )


def _index(folds: Sequence[Fold], turn: int) -> int | None:
    covering = (
        at for at, fold in enumerate(folds) if fold.told.first <= turn <= fold.told.last
    )
    return next(covering, None)


def _passage(entries: Sequence[Entry], fold: Fold | None, last: int) -> Passage:
    goes_on = fold is not None and fold.told.last > last
    return Passage(
        entries=entries,
        fold=fold,
        is_open=any(entry.is_here for entry in entries),
        behind=MessagePlace(fold.told.last, 0) if fold and goes_on else None,
    )
