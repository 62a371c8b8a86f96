"""The four requests that merge, and whose states each of them puts together.

All are one function with other arguments: what changed from `base` to `theirs` is made
in the head. A base that is gone refuses, because then nobody knows what changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from apps.agents.scope import Scope
from apps.core import sql
from apps.core.errors import InvalidRequest
from apps.core.json import Json
from apps.diffs.merging import Choice
from apps.timeline.errors import NotAFork, RangeRefused, VersionNotFound
from apps.timeline.queries.merging.combining import Combined, combined
from apps.timeline.queries.merging.elsewhere import Result, merged_elsewhere
from apps.timeline.queries.merging.restoring import require_pointers, restored
from apps.timeline.versions import fetching, reading
from apps.timeline.versions.gone import refused_as_conflict
from apps.timeline.versions.intact import require_intact
from apps.timeline.versions.lineage import Lineage
from apps.timeline.versions.reading import VersionRow
from apps.timeline.words import Op

# So many promotions of one fork are looked through for the last live one.
LOOKED_THROUGH = 1_000
ORIGIN = sql.PreparedQuery(
    sql.of_session(
        "SELECT s.origin_session_id, s.origin_number FROM timeline_session s"
        " WHERE s.id = %(session)s"
    )
)
PROMOTED = sql.of_session("""
SELECT v.number, v.source_number FROM timeline_version v
 WHERE v.session_id = %(session)s AND v.source_session_id = %(fork)s
   AND v.op = 'promote' AND v.number <= %(head)s
 ORDER BY v.number DESC LIMIT %(limit)s
""")


@dataclass(frozen=True, kw_only=True, slots=True)
class Sides:
    """What a merge is made of beside the head: from `base` to `theirs`."""

    base: VersionRow
    theirs: VersionRow


@dataclass(frozen=True, kw_only=True, slots=True)
class MergeRequest:
    """What is to be merged into the head of a session."""

    op: ClassVar[Op]

    def sides(self, scope: Scope, head: VersionRow, *, now: datetime) -> Sides:
        """Return the versions that it is made of, whose bodies were verified.

        Raises: what `_sides` raises, BodyNotVerified, and VersionPruned and
        ContentsErased as conflicts.
        """
        with refused_as_conflict():
            found = self._sides(scope, head, now=now)
            is_one = found.base is found.theirs
            require_intact(found.theirs, *(() if is_one else (found.base,)))
            reading.fetch([head, found.base, found.theirs])
        return found

    def _sides(self, scope: Scope, head: VersionRow, *, now: datetime) -> Sides:
        raise NotImplementedError

    def combine(
        self, head: VersionRow, sides: Sides, choices: Mapping[str, Choice]
    ) -> Combined:
        """Merge into the head.

        Raises: ChoiceRefused, UnacceptableJson, PayloadTooLarge.
        """
        return combined(sides.base, head, sides.theirs, choices)

    def details(self, sides: Sides) -> dict[str, Json]:
        """Return what the event tells of it, and what an approval of it is bound to."""
        raise NotImplementedError

    def left_behind(self, sides: Sides) -> tuple[str, int, int]:
        """Return the session and the range of versions whose acts stay where they are.

        An empty range ends before it begins.
        """
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True, slots=True)
class Promote(MergeRequest):
    """What a fork has made of the state since it began, or since the last promotion.

    `version` is the fork's; None is its head. `result` is what a checkpointer has
    merged by itself: it alone can read its opaque parts.
    """

    op = Op.PROMOTE

    fork_id: str
    version: int | None = None
    result: Result | None = None

    def _sides(self, scope: Scope, head: VersionRow, *, now: datetime) -> Sides:
        """Raises: InvalidRequest, SessionNotFound, VersionNotFound, NotAFork."""
        if self.fork_id == head.session_id:
            raise NotAFork("A session cannot be promoted to itself.", param="fork")
        theirs = fetching.version(scope, self.fork_id, self.version, now=now)
        (fork,) = sql.run_prepared(ORIGIN, {"session": self.fork_id})
        if fork.origin_session_id != head.session_id or fork.origin_number is None:
            raise NotAFork(param="fork")
        promoted = _promoted(head, self.fork_id)
        if promoted is None:
            at, number = head.session_id, fork.origin_number
        else:
            at, number = self.fork_id, promoted
        return Sides(base=fetching.version(scope, at, number, now=now), theirs=theirs)

    def combine(
        self, head: VersionRow, sides: Sides, choices: Mapping[str, Choice]
    ) -> Combined:
        if self.result is None:
            return combined(sides.base, head, sides.theirs, choices)
        if choices:
            message = "What is merged already has no conflicts to choose."
            raise InvalidRequest(message, param="choices")
        return merged_elsewhere(head, self.result)

    def details(self, sides: Sides) -> dict[str, Json]:
        said: dict[str, Json] = {
            "source_session_id": self.fork_id,
            "source_version": sides.theirs.number,
            "base_version": sides.base.number,
        }
        # Or people would allow one result, and another one be stored.
        return said | ({"result": self.result.digest()} if self.result else {})

    def left_behind(self, sides: Sides) -> tuple[str, int, int]:
        is_again = sides.base.session_id == self.fork_id
        first = sides.base.number + 1 if is_again else 0
        return self.fork_id, first, sides.theirs.number


@dataclass(frozen=True, kw_only=True, slots=True)
class Range(MergeRequest):
    """What versions `first` to `last` of the session itself have made of the state."""

    first: int
    last: int

    def _ends(
        self, scope: Scope, head: VersionRow, now: datetime
    ) -> tuple[VersionRow, VersionRow]:
        """Return the version before the range and its last one.

        Raises: RangeRefused, VersionNotFound.
        """
        if self.first < 1:
            message = "There is nothing before version 0: begin with 1."
            raise RangeRefused(message, param="first")
        if self.first > self.last:
            message = "The first version comes after the last one."
            raise RangeRefused(message, param="first")
        if self.last > head.number:
            message = f"The head is {head.number}."
            raise RangeRefused(message, param="last", head=head.number)
        find = [
            fetching.version(scope, head.session_id, number, now=now)
            for number in (self.first - 1, self.last)
        ]
        return find[0], find[1]

    def details(self, sides: Sides) -> dict[str, Json]:
        return {"first_version": self.first, "last_version": self.last}

    def left_behind(self, sides: Sides) -> tuple[str, int, int]:
        return sides.theirs.session_id, self.first, self.last


@dataclass(frozen=True, kw_only=True, slots=True)
class Revert(Range):
    """Take back what these versions have made, and keep what came after them."""

    op = Op.REVERT

    def _sides(self, scope: Scope, head: VersionRow, *, now: datetime) -> Sides:
        before, last = self._ends(scope, head, now)
        return Sides(base=last, theirs=before)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reapply(Range):
    """Make once more what these versions have made, as after a rollback."""

    op = Op.REAPPLY

    def _sides(self, scope: Scope, head: VersionRow, *, now: datetime) -> Sides:
        before, last = self._ends(scope, head, now)
        return Sides(base=before, theirs=last)


@dataclass(frozen=True, kw_only=True, slots=True)
class Restore(MergeRequest):
    """Set places of the state to what an earlier version has there, and no others."""

    op = Op.RESTORE

    version: int
    pointers: tuple[str, ...]

    def _sides(self, scope: Scope, head: VersionRow, *, now: datetime) -> Sides:
        """Raises: VersionNotFound, PointerRefused."""
        require_pointers(self.pointers)
        if not 0 <= self.version <= head.number:
            raise VersionNotFound(param="version", head=head.number)
        found = fetching.version(scope, head.session_id, self.version, now=now)
        return Sides(base=found, theirs=found)

    def combine(
        self, head: VersionRow, sides: Sides, choices: Mapping[str, Choice]
    ) -> Combined:
        if choices:
            message = "Restoring places has no conflicts."
            raise InvalidRequest(message, param="choices")
        return restored(head, sides.theirs, self.pointers)

    def details(self, sides: Sides) -> dict[str, Json]:
        return {"source_version": self.version, "pointers": list(self.pointers)}

    def left_behind(self, sides: Sides) -> tuple[str, int, int]:
        return sides.theirs.session_id, 0, -1


def _promoted(head: VersionRow, fork_id: str) -> int | None:
    """Return the fork's version that was promoted last, as the live lineage has it."""
    asked: dict[str, str | int] = {
        "session": head.session_id,
        "fork": fork_id,
        "head": head.number,
    }
    asked["limit"] = LOOKED_THROUGH
    lineage = Lineage(head.session_id, head.number)
    for row in sql.rows(PROMOTED, asked):
        # Without a rollback nothing was ever set aside.
        if head.rollback is None or any(
            row.number in live for live in lineage.down_to(row.number)
        ):
            return int(row.source_number)
    return None
