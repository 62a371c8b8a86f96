"""The versions of a bisect as a line: what is known of each, and where it turned.

At most `MOST` are drawn, evenly spaced; what lies between two of them is a number. A
stretch is tinted where everything in it is known to be alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from apps.checks import Outcome
from apps.timeline.bisect import Place

MOST = 14
# Shorter stretches have no room for more than a word.
TELLING = 3

# The colours of marks and stretches, by what is known.
ROLES = {
    Outcome.HOLDS: "good",
    Outcome.FAILS: "flag",
    Outcome.UNDECIDED: "rollback",
    None: "update",
}
Alike = Callable[[Place, Place], bool]


@dataclass(frozen=True, kw_only=True, slots=True)
class Spot:
    """A version and what is known of it; `how` that is known, in a word or two.

    `at` is its place among all versions asked about, set aside or not.
    """

    place: Place
    at: int
    outcome: Outcome | None
    how: str
    is_tested: bool = False
    is_aside: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Node:
    """A spot on the line; `x` is a percentage as text."""

    spot: Spot
    x: str
    sentence: str
    is_selected: bool

    @property
    def role(self) -> str:
        return ROLES[self.spot.outcome]


@dataclass(frozen=True, kw_only=True, slots=True)
class Stretch:
    """Successive spots that are known to be alike, and all between them."""

    x: str
    width: str
    middle: str
    role: str
    words: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Fold:
    """How many versions lie between two that are drawn."""

    x: str
    count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """What is drawn, oldest first."""

    nodes: Sequence[Node]
    stretches: Sequence[Stretch]
    folds: Sequence[Fold]

    @property
    def words(self) -> str:
        return f"What is known of {len(self.nodes)} of these versions"


@dataclass(frozen=True, kw_only=True, slots=True)
class Words:
    """What a page calls what holds and what fails, as a person or a check has it."""

    by_outcome: dict[Outcome, str]
    # Whether everything between two spots is known to be as both are.
    is_alike: Alike


def line(spots: Sequence[Spot], words: Words, *, selected: Place | None) -> Line:
    """Place spots, which come oldest first."""
    step = 100 / max(1, len(spots))
    nodes = [
        Node(
            spot=spot,
            x=_percent(step * (index + 0.5)),
            sentence=_sentence(spot, words),
            is_selected=spot.place == selected,
        )
        for index, spot in enumerate(spots)
    ]
    folds = [
        Fold(x=_percent(step * index), count=spot.at - spots[index - 1].at - 1)
        for index, spot in enumerate(spots)
        if index and spot.at - spots[index - 1].at > 1
    ]
    return Line(nodes=nodes, stretches=_stretches(spots, words, step), folds=folds)


def _stretches(spots: Sequence[Spot], words: Words, step: float) -> list[Stretch]:
    """Join neighbours that are alike; what was set aside joins and parts nothing."""
    found: list[list[int]] = []
    for index, spot in enumerate(spots):
        if spot.outcome is None:
            if not spot.is_aside:
                found.append([])
            continue
        last = spots[found[-1][-1]] if found and found[-1] else None
        is_one = last is not None and last.outcome is spot.outcome
        if last is not None and is_one and words.is_alike(last.place, spot.place):
            found[-1].append(index)
        else:
            found.append([index])
    return [_stretch(spots, one, words, step) for one in found if one]


def _stretch(
    spots: Sequence[Spot], indexes: Sequence[int], words: Words, step: float
) -> Stretch:
    first, last = indexes[0], indexes[-1]
    count = last - first + 1
    outcome = spots[first].outcome
    said = words.by_outcome[outcome] if outcome else ""
    numbers = [spots[one].place.number for one in (first, last)]
    is_one_session = spots[first].place.session_id == spots[last].place.session_id
    if count >= TELLING and is_one_session:
        if last == len(spots) - 1:
            said = f"{said} from v{numbers[0]} on"
        else:
            said = f"{said}, v{numbers[0]} to v{numbers[1]}"
    return Stretch(
        x=_percent(step * first),
        width=_percent(step * count),
        middle=_percent(step * (first + count / 2)),
        role=ROLES[outcome],
        words=said,
    )


def _sentence(spot: Spot, words: Words) -> str:
    known = words.by_outcome[spot.outcome] if spot.outcome else ""
    return ", ".join(filter(None, [f"v{spot.place.number}", known, spot.how]))


def _percent(place: float) -> str:
    return f"{place:.2f}%"
