"""List the tool calls that a restored state may not include: side effects since.

A rollback restores a body, and the version that shows a body need not have made it: a
rollback, a pause and an update that changes nothing show an earlier one, a fork begins
with a copy of its origin's. So calls count from the version that made the body. A turn
that makes no version has the version it found as its head, and agents call, then store,
as often as the other way round: such a turn on a version that shows the body is listed
with a mark, because the body may include the call already.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime

from apps.agents.scope import Scope
from apps.core import sql
from apps.timeline.bodies import CorruptBody, Part
from apps.timeline.errors import SessionNotFound, VersionNotFound, VersionPruned
from apps.timeline.models import Session, Turn
from apps.timeline.queries import calls, listing
from apps.timeline.queries.calls import Call
from apps.timeline.versions import fetching, reading
from apps.timeline.versions.gone import removed_between
from apps.timeline.versions.lineage import live_ranges, set_aside_by
from apps.timeline.versions.reading import VersionRow

TURNS_LOOKED_INTO = 500
LEFT_LOOKED_INTO = 10
CHECKPOINTS_LOOKED_INTO = 200
ORIGINS_LOOKED_INTO = 10

# In the order of the index on heads, in which turns come in their own order, too: an
# order by their numbers alone would be read back to the first turn of the session.
NEWEST_TURNS = sql.of_session("""
SELECT t.turn_number FROM timeline_turn t
 WHERE t.session_id = %(session)s
   AND t.head_number >= %(since)s AND t.head_number <= %(last)s
   AND (t.head_number > %(since)s OR NOT t.made_version)
   AND t.created_at <= coalesce(%(until)s::timestamptz, 'infinity')
 ORDER BY t.head_number DESC, t.turn_number DESC LIMIT %(most)s
""")
# Where earlier rollbacks left off: the last versions of what they set aside.
LEFT = sql.of_session("""
SELECT v.number - 1 AS number FROM timeline_version v
 WHERE v.session_id = %(session)s AND v.restored_number IS NOT NULL
   AND v.number - 1 > %(since)s AND v.number <= %(last)s
 ORDER BY v.number DESC LIMIT %(most)s
""")
# Versions that stored a body of their own.
STORED = sql.of_session("""
SELECT v.number FROM timeline_version v
 WHERE v.session_id = %(session)s AND v.number > %(since)s AND v.number <= %(last)s
   AND v.body_number = v.number AND v.number <> ALL (%(known)s::bigint[])
 ORDER BY v.number DESC LIMIT %(most)s
""")


@dataclass(frozen=True, kw_only=True, slots=True)
class Outside:
    """The calls, oldest first; `is_all` says whether everything was looked into.

    `since` is the version that made the body.
    """

    calls: tuple[Call, ...]
    since: int
    is_all: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class _Stretch:
    """The part of one session's history after it stored the body that `shown` shows.

    `live` is the lineage that decides whether a version was set aside; `until` is when
    the fork began that copied the body.
    """

    shown: VersionRow
    end: VersionRow
    lineage: Sequence[range]
    live: Sequence[range]
    until: datetime | None = None

    def asked(self, most: int) -> dict[str, object]:
        return {
            "session": self.shown.session_id,
            "since": self.shown.body_number,
            "last": self.end.number,
            "until": self.until,
            "most": most + 1,
        }

    def may_hold(self, number: int) -> bool:
        """Return whether this version, up to `shown`, shows the same body."""
        is_before = number <= self.shown.number
        return is_before and set_aside_by(self.lineage, number) is None


def since(
    scope: Scope,
    head: VersionRow,
    target: VersionRow,
    *,
    live: Sequence[range],
    lineage: Sequence[range],
    now: datetime,
) -> Outside:
    """Return the calls reported since the body of `target` was made.

    `live` is the lineage of the head, `lineage` that of the target.
    """
    before = reading.parts(target)
    own = _Stretch(shown=target, end=head, lineage=lineage, live=live)
    origins, is_all = _origins(scope, target, now)
    is_all = is_all and not _has_lost(head, target)
    found: list[Call] = []
    for stretch in (*reversed(origins), own):
        in_turns, has_all_turns = _of_turns(stretch)
        reported, has_all_checkpoints = _of_checkpoints(stretch, before)
        found += [*in_turns, *reported]
        is_all = is_all and has_all_turns and has_all_checkpoints
    return Outside(
        calls=tuple(calls.merged(found)), since=target.body_number, is_all=is_all
    )


def _has_lost(head: VersionRow, target: VersionRow) -> bool:
    """Whether something that may have reported calls since was removed or emptied.

    A body that a kept version needed has moved to it: who made it is not known then.
    """
    has_moved = target.body_number == target.number and (
        target.restored_number is not None or not target.change_count
    )
    low = 0 if has_moved else target.body_number
    return bool(removed_between(head, low, head.number, with_emptied=True))


def _origins(
    scope: Scope, shown: VersionRow, now: datetime
) -> tuple[list[_Stretch], bool]:
    """Return the stretches of the origins that a body was copied from, nearest first.

    And whether these are all: an origin may be hidden from the caller, or gone.
    """
    found: list[_Stretch] = []
    while shown.body_number == 0:
        origins = Session.objects.values_list("origin_session_id", "origin_number")
        origin_id, number = origins.get(id=shown.session_id)
        if origin_id is None:
            break
        if len(found) == ORIGINS_LOOKED_INTO:
            return found, False
        try:
            origin = fetching.version(scope, origin_id, number, now=now)
        except (SessionNotFound, VersionNotFound, VersionPruned):
            return found, False
        if origin.commitment != shown.commitment:
            # The fork began with a state of its own: like an update, made here.
            break
        origin = replace(origin, raw=shown.raw)
        lineage = live_ranges(origin_id, origin.number)
        found.append(
            _Stretch(
                shown=origin,
                end=origin,
                lineage=lineage,
                live=lineage,
                until=shown.session_created_at,
            )
        )
        shown = origin
    return found, True


def _of_turns(stretch: _Stretch) -> tuple[list[Call], bool]:
    """Return the calls that turns report, and whether all turns were read."""
    numbers = sql.rows(NEWEST_TURNS, stretch.asked(TURNS_LOOKED_INTO))
    wanted = [row.turn_number for row in numbers[:TURNS_LOOKED_INTO]]
    turns = list(
        Turn.objects.of_session(stretch.shown.session_id)
        .filter(turn_number__in=wanted)
        .in_order(newest_first=True, after=None)
    )
    shown = listing.within_bytes(turns, lambda turn: turn.size)
    found: list[Call] = []
    n_read = 0
    for turn in reversed(shown):
        # What a damaged turn reported cannot be said, so not everything was read.
        with suppress(CorruptBody):
            found += _of_turn(stretch, turn, turn.parts())
            n_read += 1
    return found, n_read == len(numbers)


def _of_turn(stretch: _Stretch, turn: Turn, parts: dict[str, bytes]) -> Iterator[Call]:
    for call in calls.calls_in_turn(parts):
        yield replace(
            call,
            session_id=turn.session_id,
            number=turn.head_number,
            turn_number=turn.turn_number,
            at=turn.created_at,
            may_be_part=stretch.may_hold(turn.head_number),
            was_set_aside=set_aside_by(stretch.live, turn.head_number) is not None,
        )


def _of_checkpoints(
    stretch: _Stretch, before: Sequence[Part]
) -> tuple[list[Call], bool]:
    """Return the calls among messages and results, and whether all were read.

    A stored part is carried over until a rollback: where the last version before each
    rollback and the last of all have none, no version between has one. Where they have
    one, a version between may report calls that a later one has dropped.
    """
    session_id = stretch.shown.session_id
    left = [row.number for row in sql.rows(LEFT, stretch.asked(LEFT_LOOKED_INTO))]
    read = [stretch.end, *_read(session_id, left[:LEFT_LOOKED_INTO])]
    is_all = len(read) == 1 + len(left)
    if any(calls.may_report(reading.parts(one)) for one in read):
        known = {"known": [one.number for one in read]}
        asked = stretch.asked(CHECKPOINTS_LOOKED_INTO) | known
        stored = [row.number for row in sql.rows(STORED, asked)]
        between = _read(session_id, stored[:CHECKPOINTS_LOOKED_INTO])
        is_all = len(between) == len(stored)
        read += between
    read.sort(key=lambda one: one.number)
    found = calls.made_since(before, [reading.parts(one) for one in read])
    return [replace(call, session_id=session_id) for call in found], is_all


def _read(session_id: str, numbers: Sequence[int]) -> list[VersionRow]:
    """Read the newest of these versions, as far as a page may."""
    found = fetching.versions_at(session_id, numbers) if numbers else []
    there = [one for one in found[::-1] if not one.is_emptied]
    some = listing.within_bytes(there, lambda one: one.body_size)
    reading.fetch(some)
    return some
