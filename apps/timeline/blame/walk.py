"""Walk a value's history backwards through the versions that may have changed it.

`tracked_path` says where to look and `attribution` decides. A rollback shows an earlier
state again, so the walk goes on in the version that it restored; from a fork's first
version it goes on in the origin, if the caller may see that. Of a merge it goes on in
the second parent, where that has the value: who promoted a fork did not set it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from apps.agents.scope import Scope
from apps.core import json
from apps.diffs.changes import MISSING, Json, Kind
from apps.diffs.equality import same
from apps.timeline.blame.attribution import Attribution, judge, place_of, value_at
from apps.timeline.blame.pairs import (
    LOOK_BYTES,
    Find,
    Gone,
    NotBefore,
    Number,
    Pair,
    Pairs,
)
from apps.timeline.blame.tracked_path import Stop, TrackedPath, next_stop, track
from apps.timeline.ledger.facts import index
from apps.timeline.versions import reading
from apps.timeline.versions.reading import VersionRow

# How many versions one walk may look into that turn out not to have set the value
# (truncated ones, shifted lists) before it stops and says where it stands. A look took
# 1.5 ms, and as much again for every 200 kB of its two states.
MOST_LOOKS = 1_000

KIND_OF = {number: kind for kind, number in index.KINDS.items()}


class Cursor(NamedTuple):
    """A place to go on from: a value, or its absence, at a version.

    `restorer` is the rollback or the merge that is known to have brought it back.
    """

    version: Number
    pointer: str
    restorer: Number | None = None


@dataclass(frozen=True, slots=True)
class At:
    """Where a walk stands; the pointer is unknown where no state was read."""

    version: Number
    tracked: TrackedPath
    pointer: str | None
    restorer: Number | None = None

    @property
    def cursor(self) -> Cursor | None:
        """What to give a caller, who can only hold a pointer."""
        if self.pointer is None:
            return None
        return Cursor(self.version, self.pointer, self.restorer)


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A version that set the value or removed it, or brought it from hidden places."""

    version: VersionRow
    pointer: str
    from_pointer: str | None
    kind: Kind | None
    before: Json
    after: Json
    restorer: Number | None
    is_carried: bool = False


Step = tuple[Found | None, At | None]


class BlameWalk:
    """One way back, with a limit on what it looks into in vain."""

    def __init__(self, scope: Scope, now: datetime, find: Find) -> None:
        self.scope, self.now, self._find = scope, now, find
        self._key = bytes(scope.project.index_key)
        self._looks = 0
        # Where it ended for good, if that was because something is gone.
        self.not_before: NotBefore | None = None
        # The last version known to show what is followed.
        self._known: Number | None = None
        self._pairs = Pairs(scope, now, find)

    def begin(self, version: VersionRow, state: Json, pointer: str) -> At:
        """Stand at a version of which the caller has the state."""
        number = self._known = Number(version.session_id, version.number)
        return At(number, track(state, pointer), pointer)

    def resume(self, cursor: Cursor) -> At:
        """Stand where an earlier walk stopped.

        A cursor comes from the caller, so what it names must be theirs to see.

        Raises: SessionNotFound, VersionNotFound.
        """
        version = self._find(self.scope, *cursor.version, now=self.now)
        if cursor.restorer is not None:
            self._find(self.scope, *cursor.restorer, now=self.now)
        at = self.begin(version, json.parse(reading.state(version)), cursor.pointer)
        return replace(at, restorer=cursor.restorer)

    def setter(self, at: At | None) -> Step:
        """Return the newest setter from here down, and where the one before it is.

        Without a setter, the place says where the walk gave up for now, None that
        nothing more is to be found: because nothing is, or because it is gone
        (`not_before`).
        """
        try:
            return self._setter(at)
        except Gone as end:
            self.not_before = NotBefore(end.known, end.error)
            return None, None

    def _setter(self, at: At | None) -> Step:
        """Raises: Gone."""
        while at is not None and (self._goes_on or at.pointer is None):
            stop = next_stop(
                self._key, *at.version, at.tracked, rollbacks=at.restorer is None
            )
            if stop is None:
                found, at = self._beyond(at)
            elif stop.restored is not None:
                found, at = None, self._restored(at, stop, stop.restored)
            else:
                found, at = self._look(at, stop)
            if found is not None:
                return found, at
        return None, at

    @property
    def _goes_on(self) -> bool:
        return self._looks < MOST_LOOKS and not self._pairs.is_spent

    def _restored(self, at: At, stop: Stop, restored: int) -> At:
        """Go on in the version that a rollback restored: its state is the same."""
        rollback = Number(at.version.session_id, stop.number)
        pointer, changed = at.pointer, stop.is_certain
        if not stop.is_certain:
            pair = self._pair(at, stop.number)
            self._looks += pair.looks
            attribution = judge(at.tracked, pair.old, pair.new)
            pointer = place_of(at.tracked, pair.new)
            changed = attribution.is_setter
        self._known = rollback
        return At(
            Number(rollback.session_id, restored),
            at.tracked,
            pointer,
            rollback if changed else at.restorer,
        )

    def _beyond(self, at: At) -> Step:
        """Go on where version 0 has no say: in the origin, if there is one."""
        first = Number(at.version.session_id, 0)
        origin, _ = self._pairs.origin(at.version.session_id, first)
        self._known = first
        if origin is not None:
            number = Number(origin.session_id, origin.number)
            return None, replace(at, version=number, pointer=None)
        if at.tracked.is_absent:
            return None, None
        return self._look(at, Stop(0, None, None))

    def _look(self, at: At, stop: Stop) -> Step:
        """Let the states decide whether a version set the value."""
        pair = self._pair(at, stop.number)
        if pair.is_hidden:
            return _hidden(at, stop, pair), None
        attribution = judge(at.tracked, pair.old, pair.new, is_certain=stop.is_certain)
        onward = _onward(pair, attribution)
        if attribution.is_setter and (merged := self._merged(at, pair, attribution)):
            return None, merged
        if attribution.is_setter:
            return _found(at, pair, attribution), onward
        self._looks += pair.looks
        if onward is not None:
            onward = replace(onward, restorer=at.restorer)
        return None, onward

    def _merged(self, at: At, pair: Pair, attribution: Attribution) -> At | None:
        """Return where the value stands in the second parent of a merge.

        None for what is no merge, what its source does not have like that, and a source
        that is gone or not the caller's to see: then the merge itself has set it.
        """
        merge = pair.after
        if merge.source_session_id is None or merge.source_number is None:
            return None
        source = Number(merge.source_session_id, merge.source_number)
        found = self._pairs.beside(source)
        if found is None:
            return None
        self._looks += 1 + merge.size // LOOK_BYTES
        pointer = place_of(at.tracked, found)
        then = value_at(found, pointer)
        is_absent = then is MISSING and attribution.after is MISSING
        is_same = MISSING not in (then, attribution.after) and same(
            then, attribution.after
        )
        if pointer is None or not (is_absent or is_same):
            return None
        return At(
            source,
            at.tracked if is_absent else track(found, pointer),
            pointer,
            at.restorer or Number(merge.session_id, merge.number),
        )

    def _pair(self, at: At, number: int) -> Pair:
        """Raises: Gone, where one of the two is not there, or not what it held."""
        session_id = at.version.session_id
        above = Number(session_id, number + 1)
        known = above if number < at.version.number else self._known or above
        pair = self._pairs.read(Number(session_id, number), known)
        self._known = Number(session_id, number)
        return pair


def _onward(pair: Pair, attribution: Attribution) -> At | None:
    if pair.before is None or attribution.was is None:
        return None
    number = Number(pair.before.session_id, pair.before.number)
    return At(number, track(pair.old, attribution.was), attribution.was)


def _found(at: At, pair: Pair, attribution: Attribution) -> Found:
    return Found(
        version=pair.after,
        pointer=attribution.pointer,
        from_pointer=None if attribution.before is MISSING else attribution.was,
        kind=attribution.kind,
        before=attribution.before,
        after=attribution.after,
        restorer=at.restorer,
    )


def _hidden(at: At, stop: Stop, pair: Pair) -> Found | None:
    """Tell of a fork's first version what can be told without its origin."""
    if at.tracked.is_absent and not stop.is_certain:
        return None
    pointer = place_of(at.tracked, pair.new)
    return Found(
        version=pair.after,
        pointer=pointer or "",
        from_pointer=None,
        kind=KIND_OF[stop.kind] if stop.kind and stop.is_certain else None,
        before=MISSING,
        after=MISSING if at.tracked.is_absent else value_at(pair.new, pointer),
        restorer=at.restorer,
        is_carried=not stop.is_certain,
    )
