"""Goes on past what a removal took: tombstones, and what was emptied."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from apps.audit.models import Event
from apps.timeline.models import Tombstone
from apps.timeline.verification.findings import Kind, Problem
from apps.timeline.versions.reading import VersionRow
from apps.timeline.words import Removed


@dataclass(frozen=True, kw_only=True, slots=True)
class Removals:
    """What was removed of a session, and what was emptied, by its tombstones."""

    gone: Sequence[Tombstone] = ()
    emptyings: Sequence[Tombstone] = ()
    # Whether bodies may stand elsewhere than where they were stored, as key frames.
    moved: bool = False
    _digests: dict[str, set[str]] = field(default_factory=dict)

    def has(self, number: int) -> bool:
        """Whether a version is gone."""
        return _covers(self.gone, number)

    def at(self, number: int) -> Tombstone | None:
        """Return the tombstone that begins with a version."""
        return next((one for one in self.gone if one.first_number == number), None)

    def at_turn(self, turn_number: int) -> Tombstone | None:
        """Return the tombstone whose turns begin with this one."""
        turned = (one for one in self.gone if one.turns)
        return next((one for one in turned if one.first_turn == turn_number), None)

    def emptied(self, version: VersionRow) -> bool:
        """Whether a version's texts were emptied: it is said, and no salt is left."""
        return not version.salt and _covers(self.emptyings, version.number)

    def emptied_body(self, version: VersionRow) -> bool:
        """Whether the body that a version shows was emptied."""
        return not version.body_salt and _covers(self.emptyings, version.body_number)

    def emptied_turn(self, turn_number: int) -> bool:
        return any(
            one.turns and one.first_turn <= turn_number <= one.last_turn
            for one in self.emptyings
        )

    def problems(self, stone: Tombstone, chain: bytes) -> Iterator[Problem]:
        """Yield what is wrong with a tombstone; `chain` is the value before it."""
        if bytes(stone.chain_before) != chain:
            yield Kind.CHAIN, "its tombstone does not follow from the chain before it"
        if stone.count != stone.last_number - stone.first_number + 1:
            yield Kind.NUMBER, "its tombstone stands for another number of versions"
        if digest(stone) not in self._digests.get(stone.event_id, ()):
            yield Kind.CHAIN, "its tombstone is not what the removal's event says"


NONE = Removals()


def removals(session_id: str, *, moved: bool) -> Removals:
    """Read the tombstones of a session, and the events that were written with them."""
    stones = list(Tombstone.objects.of_session(session_id))
    events = Event.objects.filter(
        stream_id=session_id, id__in={one.event_id for one in stones}
    )
    digests = {
        event.id: {one["digest"] for one in event.details.get("ranges", ())}
        for event in (events if stones else ())
    }
    return Removals(
        gone=[one for one in stones if one.kind != Removed.EMPTIED],
        emptyings=[one for one in stones if one.kind == Removed.EMPTIED],
        moved=moved,
        _digests=digests,
    )


def digest(stone: Tombstone) -> str:
    """Return the digest by which the event of a removal knows a tombstone."""
    said = (
        *(stone.session_id, str(stone.kind), stone.first_number, stone.last_number),
        *(stone.count, bytes(stone.chain_before).hex()),
        *(bytes(stone.chain_after).hex(), bytes(stone.leaves_digest).hex()),
        *(stone.rollbacks, stone.turns, stone.first_turn, stone.last_turn),
        bytes(stone.turn_chain_before or b"").hex(),
        bytes(stone.turn_chain_after or b"").hex(),
        bytes(stone.turn_leaves_digest or b"").hex(),
    )
    return hashlib.sha256("|".join(map(str, said)).encode()).hexdigest()


def _covers(stones: Sequence[Tombstone], number: int) -> bool:
    return any(one.first_number <= number <= one.last_number for one in stones)
