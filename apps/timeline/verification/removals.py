"""Goes on past what a removal took: tombstones, and what was emptied.

A tombstone is held against the event that was written with it, which knows it by its
digest, and against the chain around it. A tombstone without its event, and an event
without its tombstone, are named alike.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from apps.audit.actions import Action
from apps.audit.models import Event
from apps.timeline.models import Tombstone
from apps.timeline.removed import details_of
from apps.timeline.verification.findings import Kind, Problem, Problems
from apps.timeline.verification.rows import (
    Beginning,
    StoredBody,
    StoredTurn,
    StoredVersion,
)
from apps.timeline.versions import proof
from apps.timeline.words import Removed

_ACTIONS: dict[str, Removed] = {
    Action.SESSION_EMPTIED: Removed.EMPTIED,
    Action.SESSION_PRUNED: Removed.PRUNED,
    Action.SESSION_REMOVED: Removed.REMOVED,
}
# The codec of what was emptied.
_EMPTIED = 0
_HOLDS = "it was emptied, and holds something"


@dataclass(frozen=True, kw_only=True, slots=True)
class Removals:
    """What was removed of a session, and what was emptied, by its tombstones."""

    gone: Sequence[Tombstone] = ()
    emptyings: Sequence[Tombstone] = ()
    # Those of an earlier life under the same id: held against their events alone.
    past: Sequence[Tombstone] = ()
    # Whether bodies may stand elsewhere than where they were stored, as key frames.
    moved: bool = False
    _events: Mapping[str, Event] = field(default_factory=dict)

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

    def emptied(self, version: StoredVersion) -> bool:
        """Whether a version's texts were emptied: it is said, and no salt is left."""
        return not version.salt and _covers(self.emptyings, version.number)

    def emptied_body(self, version: StoredVersion) -> bool:
        """Whether the body that a version shows was emptied with what it holds."""
        return not version.body_salt and _covers(self.emptyings, version.number)

    def emptied_turn(self, turn: StoredTurn) -> bool:
        """Whether a turn was emptied: it is said, and its codec says so too."""
        return turn.codec == _EMPTIED and any(
            one.turns and one.first_turn <= turn.turn_number <= one.last_turn
            for one in self.emptyings
        )

    def crossed(self, stone: Tombstone, chain: bytes) -> Problems:
        """Yield what is wrong with a tombstone; `chain` is the value before it."""
        if bytes(stone.chain_before) != chain:
            yield Kind.CHAIN, "its tombstone does not follow from the chain before it"

    def problems(self) -> Iterator[tuple[int, Problem]]:
        """Yield what tombstones say otherwise than events, with the first version."""
        written: dict[str, list[Tombstone]] = defaultdict(list)
        for stone in (*self.gone, *self.emptyings, *self.past):
            written[stone.event_id].append(stone)
            if stone.count != stone.last_number - stone.first_number + 1:
                sentence = "its tombstone stands for another number of versions"
                yield stone.first_number, (Kind.NUMBER, sentence)
        for event_id, stones in written.items():
            if not _is_said(self._events.get(event_id), stones):
                sentence = "its tombstone is not what the removal's event says"
                for stone in stones:
                    yield stone.first_number, (Kind.CHAIN, sentence)
        for event_id, event in self._events.items():
            if event_id not in written:
                yield (
                    _first_of(event),
                    (Kind.NUMBER, "the tombstone of its removal is missing"),
                )


NONE = Removals()


def of_session(session: Beginning) -> Removals:
    """Read what was removed of a session, if what was read of it says that there is."""
    if not session.has_tombstones and not session.erasures:
        return NONE
    return removals(session.id, moved=bool(session.erasures))


def of_document(document_id: str, since: datetime, *, moved: bool) -> Removals:
    """Read what was emptied and pruned of a keyed document since it began.

    What was removed was another life of it, which had the same id.
    """
    found = removals(document_id, moved=moved)
    emptied = [one for one in found.emptyings if one.created_at >= since]
    pruned = [
        one
        for one in found.gone
        if one.kind == Removed.PRUNED and one.created_at >= since
    ]
    past = _others(found, [*emptied, *pruned])
    return replace(found, gone=pruned, emptyings=emptied, past=past)


def _others(found: Removals, mine: Sequence[Tombstone]) -> Sequence[Tombstone]:
    return [one for one in (*found.gone, *found.emptyings) if one not in mine]


def removals(session_id: str, *, moved: bool) -> Removals:
    """Read the tombstones of a session, and the events of its removals."""
    stones = list(Tombstone.objects.of_session(session_id))
    events = Event.objects.filter(stream_id=session_id, action__in=list(_ACTIONS))
    return Removals(
        gone=[one for one in stones if one.kind != Removed.EMPTIED],
        emptyings=[one for one in stones if one.kind == Removed.EMPTIED],
        moved=moved,
        # Before the first removal of a session there is nothing to look for.
        _events={one.id: one for one in events} if stones or moved else {},
    )


def hollow_version(version: StoredVersion) -> Problems:
    """Yield what an emptied version still holds: nothing proves it any more."""
    texts = *proof.step_values(version), version.reasoning, version.reason_code
    if any(one is not None for one in texts) or version.changes:
        yield Kind.TEXT, _HOLDS


def hollow_body(body: StoredBody) -> Problems:
    """Yield what an emptied body still holds."""
    if (body.codec, body.size, bytes(body.data)) != (_EMPTIED, 0, b""):
        yield Kind.BODY, f"its body: {_HOLDS}"


def hollow_turn(turn: StoredTurn) -> Problems:
    """Yield what an emptied turn still holds."""
    if turn.reasoning is not None or turn.salt or turn.size or bytes(turn.data):
        yield Kind.BODY, _HOLDS


def _is_said(event: Event | None, stones: Sequence[Tombstone]) -> bool:
    """Whether an event says these tombstones, all of them and no other."""
    if event is None or {one.kind for one in stones} != {_ACTIONS.get(event.action)}:
        return False
    return bool(event.details == details_of(stones))


def _first_of(event: Event) -> int:
    """Return the first version that a removal's event names, 0 where it names none."""
    ranges = event.details.get("ranges")
    named = [one.get("first") for one in ranges] if isinstance(ranges, list) else []
    return min((one for one in named if isinstance(one, int)), default=0)


def _covers(stones: Sequence[Tombstone], number: int) -> bool:
    return any(one.first_number <= number <= one.last_number for one in stones)
