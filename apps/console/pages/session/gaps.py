"""What a session has lost, in words: the gaps of its timeline and of its turns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from apps.diffs.text import count, visible
from apps.timeline.models import Session
from apps.timeline.removed import Tombstone
from apps.timeline.versions import VersionRow, tombstone_over
from apps.timeline.words import Removed

BY = {"policy": "a policy", "erasure": "an erasure"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Gap:
    """A range of versions that are not there any more, in the place of its rows."""

    kind: str = "gap"
    first: int
    last: int
    words: str


def gaps(session: Session, *, with_emptied: bool = False) -> list[Gap]:
    """Return what was removed of a session, oldest first; nothing asks without need."""
    if not session.erasures:
        return []
    stones = Tombstone.objects.of_session(session.id)
    return told(stones if with_emptied else stones.gone())


def told(stones: Iterable[Tombstone]) -> list[Gap]:
    return [
        Gap(first=one.first_number, last=one.last_number, words=words(one))
        for one in stones
    ]


def within(found: Iterable[Gap], low: int, high: int) -> list[Gap]:
    """Return those of these numbers; each is in one of successive pages."""
    return [one for one in found if low <= one.last and one.first <= high]


def words(stone: Tombstone) -> str:
    """Say what went, when, by what, and with how many turns."""
    first, last = stone.first_number, stone.last_number
    which = f"v{first}" if first == last else f"v{first} to v{last}"
    by = BY.get(stone.reason, visible(stone.reason))
    when = f"on {stone.created_at:%Y-%m-%d %H:%M} UTC by {by}"
    turns = f", with {count(stone.turns, 'turn')}" if stone.turns else ""
    if stone.kind == Removed.EMPTIED:
        said = f"What {which} held was erased"
    else:
        said = f"{which} {'was' if first == last else 'were'} removed"
    return f"{said} {when} (removal {stone.removal_id}){turns}."


def lost_before(version: VersionRow) -> str:
    """Say what went right before a version; empty where nothing did."""
    stone = _stone_before(version)
    return "" if stone is None else words(stone)


def chain_before(version: VersionRow) -> str | None:
    """Return the chain value of what was pruned right before a version."""
    stone = _stone_before(version)
    return None if stone is None else bytes(stone.chain_after).hex()


def _stone_before(version: VersionRow) -> Tombstone | None:
    if not (version.number and version.erasures):
        return None
    return tombstone_over(version.session_id, version.number - 1)
