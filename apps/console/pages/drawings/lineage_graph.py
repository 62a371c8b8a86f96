"""A session's forks and rollbacks as a graph: one lane a session, time from left.

Geometry and words only; a template draws it. What is drawn is bounded: the newest
forks, two generations down, and of each session the versions where something parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from apps.timeline.queries import Kin, Parting

LANE, LEFT, RIGHT, TOP = 44, 24, 40, 30
WIDTH = 1000


@dataclass(frozen=True, kw_only=True, slots=True)
class Node:
    """A version where something parts; a link."""

    x: float
    y: float
    session_id: str
    number: int
    kind: str
    words: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Edge:
    """A line from one place to another; drawn as a path."""

    path: str
    kind: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Lane:
    """One session."""

    session: Kin
    x: float
    y: float
    is_here: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Graph:
    """All that is drawn."""

    lanes: list[Lane]
    nodes: list[Node]
    edges: list[Edge]
    height: int
    width: int = WIDTH


def graph(kin: Sequence[Kin], partings: Sequence[Parting], here: str) -> Graph:
    """Lay out sessions, each below the one it was forked from."""
    order = list(_ordered(kin))
    spans = _spans(order)
    lanes = {
        one.session_id: Lane(
            session=one,
            x=spans[one.session_id][0],
            y=TOP + place * LANE,
            is_here=one.session_id == here,
        )
        for place, one in enumerate(order)
    }
    nodes = [node for one in order for node in _nodes(one, partings, lanes, spans)]
    places = {(node.session_id, node.number): node for node in nodes}
    edges = [edge for one in order for edge in _edges(one, partings, lanes, places)]
    return Graph(
        lanes=list(lanes.values()),
        nodes=nodes,
        edges=edges,
        height=TOP + len(order) * LANE,
    )


def _ordered(kin: Sequence[Kin]) -> Iterator[Kin]:
    """Yield sessions depth first, each fork after its origin, older forks first."""
    known = {one.session_id for one in kin}
    below: dict[str | None, list[Kin]] = {}
    for one in sorted(kin, key=lambda one: one.session_id):
        origin = one.origin_session_id if one.origin_session_id in known else None
        below.setdefault(origin, []).append(one)
    waiting = list(reversed(below.get(None, [])))
    while waiting:
        one = waiting.pop()
        yield one
        waiting += reversed(below.get(one.session_id, []))


def _spans(kin: Sequence[Kin]) -> dict[str, tuple[float, float]]:
    """Return where each lane begins and ends; a fork begins where it parted."""
    spans: dict[str, tuple[float, float]] = {}
    room = WIDTH - LEFT - RIGHT
    for one in kin:
        start = float(LEFT)
        origin = spans.get(one.origin_session_id or "")
        if origin and one.origin_number is not None:
            start = _x(origin, one.origin_number, one.origin_head or 1) + 24
        longest = max(room - (start - LEFT), 80)
        spans[one.session_id] = (min(start, WIDTH - RIGHT - 80), longest)
    return spans


def _x(span: tuple[float, float], number: int, head: int) -> float:
    start, length = span
    return round(start + length * number / max(head, 1), 1)


def _numbers(one: Kin, partings: Sequence[Parting]) -> dict[int, tuple[str, str]]:
    """Return the versions to draw, what they are, and in words."""
    found = {0: ("first", "created" if one.origin_number is None else "forked")}
    for parting in partings:
        if parting.session_id != one.session_id:
            continue
        found.setdefault(parting.restored, ("restored", "restored later"))
        found[parting.number] = (
            "rollback",
            f"rollback to v{parting.restored}",
        )
    found[one.head_number] = ("head", "head")
    return found


def _nodes(
    one: Kin,
    partings: Sequence[Parting],
    lanes: dict[str, Lane],
    spans: dict[str, tuple[float, float]],
) -> Iterator[Node]:
    drawn = _numbers(one, partings)
    for fork in lanes.values():
        number = fork.session.origin_number
        if fork.session.origin_session_id == one.session_id and number is not None:
            drawn.setdefault(number, ("fork", "fork point"))
    for number, (kind, words) in sorted(drawn.items()):
        yield Node(
            x=_x(spans[one.session_id], number, one.head_number),
            y=lanes[one.session_id].y,
            session_id=one.session_id,
            number=number,
            kind=kind,
            words=words,
        )


def _edges(
    one: Kin,
    partings: Sequence[Parting],
    lanes: dict[str, Lane],
    places: dict[tuple[str, int], Node],
) -> Iterator[Edge]:
    first, head = places[one.session_id, 0], places[one.session_id, one.head_number]
    yield Edge(path=f"M{first.x},{first.y}H{head.x}", kind="line")
    for parting in partings:
        if parting.session_id == one.session_id:
            start = places[one.session_id, parting.number]
            end = places[one.session_id, parting.restored]
            bend = (start.x + end.x) / 2
            path = f"M{start.x},{start.y}Q{bend},{start.y - 26} {end.x},{end.y}"
            yield Edge(path=path, kind="rollback")
    origin = places.get((one.origin_session_id or "", one.origin_number or 0))
    if origin and one.origin_session_id:
        down = f"M{origin.x},{origin.y}V{first.y - 8}"
        path = f"{down}Q{origin.x},{first.y} {first.x},{first.y}"
        yield Edge(path=path, kind="fork")
