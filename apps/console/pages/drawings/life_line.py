"""The life of a session as a line: its most telling versions, and how they follow.

At most `MOST` versions are drawn, evenly spaced; quiet runs between them fold to their
number. What is live stands on the line, what a rollback set aside below it, a fork
above. Places along the line are percentages, so that it fills any width undistorted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.console.pages.drawings.stages import Stage, stages
from apps.console.pages.session import version_text
from apps.diffs.meaning.noise import NO_NOISE, Noise
from apps.diffs.text import shorten
from apps.timeline.queries import Bucket
from apps.timeline.versions import VersionRow, kept_changes, set_aside_by
from apps.timeline.words import KNOWN_GOOD, Op

MOST = 14
# Of a life as short as this the versions that are not drawn are read as well: what they
# changed says in which step the agent was.
WHOLE = 48
# With one version alone there is nothing to follow.
FEWEST = 2
LIVE_Y, ASIDE_Y = 56, 98
WORDS_LONGEST = 14


@dataclass(frozen=True, kw_only=True, slots=True)
class Node:
    """One version on the line; `x` is a percentage as text."""

    number: int
    x: str
    y: int
    # head, rollback, fork, flag, good or update: what matters most of it.
    mark: str
    words: str
    sentence: str
    at: datetime
    is_aside: bool
    is_selected: bool
    n_forks: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Link:
    """What joins two successive nodes; `folded` versions between them are not drawn."""

    x1: str
    y1: int
    x2: str
    y2: int
    middle: str
    # live, aside or rollback.
    kind: str
    folded: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Stretch:
    """The newest part of the line, from the first version that looks wrong."""

    number: int
    x: str
    width: str


@dataclass(frozen=True, kw_only=True, slots=True)
class LifeLine:
    """What is drawn, oldest first."""

    nodes: Sequence[Node]
    links: Sequence[Link]
    # In which step the agent was; empty where that is not known of every version.
    stages: Sequence[Stage]
    suspect: Stretch | None

    @property
    def told(self) -> str:
        """What the selected version did, or else the last."""
        chosen = (node for node in self.nodes if node.is_selected)
        return next(chosen, self.nodes[-1]).sentence

    @property
    def words(self) -> str:
        return f"The life of the session in {len(self.nodes)} of its versions"


@dataclass(frozen=True, kw_only=True, slots=True)
class Life:
    """What is known of the versions that were read, of which the `drawn` are placed.

    `forked` are origins of known forks. What looks wrong does so from `suspect` on.
    """

    read: Sequence[VersionRow]
    drawn: Sequence[int]
    live: Sequence[range]
    labels: Mapping[int, Sequence[str]]
    forked: Sequence[int]
    head: int
    selected: int
    suspect: int | None = None
    noise: Noise = NO_NOISE

    def is_aside(self, version: VersionRow) -> bool:
        return set_aside_by(self.live, version.number) is not None


def telling_numbers(
    buckets: Sequence[Bucket], *, head: int, wanted: Sequence[int]
) -> list[int]:
    """Return which versions are drawn, in order: the wanted, the marked, the newest.

    Of each piece of a long life only its newest flag, rollback and fork are known.
    """
    if head < MOST:
        return list(range(head + 1))
    marked = {
        number
        for bucket in buckets
        for number in (bucket.rollback, bucket.flagged, bucket.fork)
        if number is not None
    }
    first = [head, *wanted, 0, *sorted(marked, reverse=True)]
    newest = range(head, max(head - MOST, 0), -1)
    return sorted(list(dict.fromkeys([*first, *newest]))[:MOST])


def numbers_read(drawn: Sequence[int], head: int) -> Sequence[int]:
    """Return the versions that a line of the drawn ones is made of."""
    return range(head + 1) if head < WHOLE else drawn


def life_line(life: Life) -> LifeLine | None:
    """Place the drawn versions; None where there are too few for a line."""
    versions = [one for one in life.read if one.number in life.drawn]
    if len(versions) < FEWEST:
        return None
    step = 100 / len(versions)
    nodes = [
        _node(life, version, x=step * (index + 0.5))
        for index, version in enumerate(versions)
    ]
    return LifeLine(
        nodes=nodes,
        links=_links(nodes, versions),
        stages=stages(life.read, life.drawn),
        suspect=None if life.suspect is None else _since(life.suspect, life.drawn),
    )


def _node(life: Life, version: VersionRow, *, x: float) -> Node:
    number, is_aside = version.number, life.is_aside(version)
    return Node(
        number=number,
        x=_percent(x),
        y=ASIDE_Y if is_aside else LIVE_Y,
        mark=_mark(version, life.head, life.labels.get(number, ())),
        words=_few_words(version, life.noise),
        sentence=_sentence(version, life.noise),
        at=version.created_at,
        is_aside=is_aside,
        is_selected=number == life.selected,
        n_forks=life.forked.count(number),
    )


def _since(number: int, drawn: Sequence[int]) -> Stretch:
    share = 100 / len(drawn)
    n_before = sum(one < number for one in drawn)
    return Stretch(
        number=number,
        x=_percent(n_before * share),
        width=_percent(100 - n_before * share),
    )


def _links(nodes: Sequence[Node], versions: Sequence[VersionRow]) -> list[Link]:
    """Join each node to the one that its state goes on from."""
    places = {node.number: node for node in nodes}
    found = []
    for before, node, version in zip(nodes, nodes[1:], versions[1:], strict=False):
        origin = before
        if version.restored_number is not None:
            origin = places.get(version.restored_number) or _nearest(nodes, version)
        elif not node.is_aside and before.is_aside:
            origin = _nearest(nodes, version)
        folded = node.number - before.number - 1 if origin is before else 0
        found.append(_link(origin, node, version, folded))
    return found


def _nearest(nodes: Sequence[Node], version: VersionRow) -> Node:
    """Return the live node before the version; v0 where none is drawn."""
    older = [one for one in nodes if one.number < version.number and not one.is_aside]
    return older[-1] if older else nodes[0]


def _link(origin: Node, node: Node, version: VersionRow, folded: int) -> Link:
    kind = "aside" if node.is_aside else "live"
    if version.restored_number is not None and not node.is_aside:
        kind = "rollback"
    return Link(
        x1=origin.x,
        y1=origin.y,
        x2=node.x,
        y2=node.y,
        middle=_percent((float(origin.x[:-1]) + float(node.x[:-1])) / 2),
        kind=kind,
        folded=folded,
    )


def _mark(version: VersionRow, head: int, labels: Sequence[str]) -> str:
    if version.restored_number is not None:
        return "rollback"
    if version.flags:
        return "flag"
    if version.op == Op.FORK:
        return "fork"
    if KNOWN_GOOD in labels:
        return "good"
    return "head" if version.number == head else "update"


def _few_words(version: VersionRow, noise: Noise) -> str:
    """Say in one to three words what the version did."""
    if version.restored_number is not None:
        return f"back to v{version.restored_number}"
    if version.op not in (Op.UPDATE, Op.CREATE) or not version.changes:
        return version_text.operation(version)
    if version.op == Op.CREATE:
        return "created"
    told, hidden = noise.apart(kept_changes(version))
    change = [*told, *hidden][0]
    names = [one for one in change.pointer.split("/") if not one.isdecimal()]
    name = names[-1] or "state"
    if isinstance(change.after, str) and name == "step":
        return shorten(change.after, WORDS_LONGEST)
    if change.after is None:
        return shorten(f"{name} nulled", WORDS_LONGEST + 4)
    return shorten(name, WORDS_LONGEST)


def _sentence(version: VersionRow, noise: Noise) -> str:
    told = version_text.words(version, noise)
    operation = version_text.operation(version)
    return f"v{version.number}, {operation}" + (f": {told}" if told else "")


def _percent(place: float) -> str:
    return f"{place:.2f}%"
