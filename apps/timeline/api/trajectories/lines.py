"""A session as the command line exports it: `stepback-trajectory/1`.

A header, each version with its state and turns in order, and a trailer with the digest
of all lines before it. So `stepback check` tells of each file whether it is whole.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from apps.core import json
from apps.timeline.api.trajectories.pages import Page, about, turn_page, version_page
from apps.timeline.models import Session

FORMAT = "stepback-trajectory/1"
Reader = Callable[[int | None], Page]


def trajectory(session: Session, through: int) -> Iterator[bytes]:
    """Yield the lines of a session up to a version, the trailer at the end."""
    yield from sealed(told_of(session, through))


def sealed(objects: Iterable[dict[str, Any]], **more: Any) -> Iterator[bytes]:
    """Yield objects as lines, and a trailer with what they come to, and with `more`."""
    digest = hashlib.sha256()
    counts, chain = {"version": 0, "turn": 0}, ""
    for told in objects:
        written = line(told)
        digest.update(written)
        if told["type"] in counts:
            counts[told["type"]] += 1
        chain = told.get("chain", chain)
        yield written
    yield line(
        {
            "type": "trailer",
            "versions": counts["version"],
            "turns": counts["turn"],
            "chain_end": chain,
            **more,
            "sha256": digest.hexdigest(),
        }
    )


def line(told: dict[str, Any]) -> bytes:
    """Return an object as a line; stored JSON in it stays the bytes that it is."""
    return json.splice(told) + b"\n"


def told_of(session: Session, through: int) -> Iterator[dict[str, Any]]:
    """Yield header, versions and turns, each turn behind the version that it left."""
    yield {"type": "header", "format": FORMAT, "session": about(session, through)}
    turns = _objects(lambda n: turn_page(session.id, after=n, through=through))
    turn = next(turns, None)
    for version in _objects(
        lambda n: version_page(session.id, after=n, through=through)
    ):
        yield {"type": "version", **version}
        while turn is not None and turn["version"] <= version["version"]:
            yield {"type": "turn", **turn}
            turn = next(turns, None)
    # Of turns whose version is no longer there, behind all that is.
    while turn is not None:
        yield {"type": "turn", **turn}
        turn = next(turns, None)


def _objects(read: Reader) -> Iterator[dict[str, Any]]:
    page = read(None)
    yield from page.objects
    while page.after is not None:
        page = read(page.after)
        yield from page.objects
