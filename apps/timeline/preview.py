"""What a rollback would do, told before it is done. Nothing is written.

What is set aside is the difference of two lineages: the live versions as seen from the
head, without those that are live as seen from the version to restore. So it is exact
across earlier rollbacks, and in both directions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from apps.agents.scope import Scope
from apps.core import sql
from apps.diffs.changes import Comparison
from apps.diffs.compare import compare
from apps.timeline import bodies, calls, listing, reading
from apps.timeline.calls import Call
from apps.timeline.lineage import live_ranges
from apps.timeline.models import Turn
from apps.timeline.reading import VersionRow
from apps.timeline.targets import target
from apps.timeline.words import Hold

# Who wrote so lately may write again while somebody still reads the preview.
LATELY = timedelta(minutes=5)
LISTED = 50
TURNS_LOOKED_INTO = 500
LEFT_LOOKED_INTO = 10

ASIDE = "unnest(%(lows)s::bigint[], %(highs)s::bigint[]) aside (low, high)"
# How many turns were made on these versions, and when the newest of all was.
TURNS = f"""
SELECT (SELECT count(*) FROM {ASIDE}
          JOIN timeline_turn t ON t.session_id = %(session)s
           AND t.head_number BETWEEN aside.low AND aside.high) AS count,
       (SELECT t.created_at FROM timeline_turn t WHERE t.session_id = %(session)s
         ORDER BY t.turn_number DESC LIMIT 1) AS newest_at
"""
# What happened outside since the version to restore happened, also where a rollback
# has set it aside before: turns and heads rise together.
NEWEST_TURNS = f"""
SELECT t.turn_number FROM timeline_turn t
 WHERE t.session_id = %(session)s AND t.head_number > %(to)s
 ORDER BY t.turn_number DESC LIMIT {TURNS_LOOKED_INTO + 1}
"""
# Where earlier rollbacks left off: the last versions of what they set aside.
LEFT = f"""
SELECT v.number - 1 AS number FROM timeline_version v
 WHERE v.session_id = %(session)s AND v.restored_number IS NOT NULL
   AND v.number - 1 > %(to)s AND v.number <= %(head)s
 ORDER BY v.number DESC LIMIT {LEFT_LOOKED_INTO + 1}
"""
FORKS = f"""
SELECT s.id AS session_id, s.origin_number AS number, s.created_at,
       a.external_id AS agent
  FROM {ASIDE}
  JOIN timeline_session s ON s.origin_session_id = %(session)s
   AND s.origin_number BETWEEN aside.low AND aside.high
  JOIN agents_agent a ON a.id = s.agent_id
 WHERE s.project_id = %(project)s AND s.status <> 'deleted'
   AND (%(agents)s::text[] IS NULL OR a.external_id = ANY (%(agents)s::text[]))
   AND (s.expires_at IS NULL OR s.expires_at > %(now)s)
 ORDER BY s.id DESC LIMIT {LISTED + 1}
"""
LABELS = f"""
SELECT l.name, l.number FROM {ASIDE}
  JOIN timeline_label l ON l.session_id = %(session)s
   AND l.number BETWEEN aside.low AND aside.high
 ORDER BY l.number DESC, l.name LIMIT {LISTED + 1}
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fork:
    """A fork that began on a version to be set aside."""

    session_id: str
    number: int
    created_at: datetime
    agent: str


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelAt:
    """A label on a version to be set aside."""

    name: str
    number: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Preview:
    """What becomes of the state, of the versions in between, and what stays outside.

    Of calls, forks and labels the first `LISTED` are told; `has_more_…` says that
    there are others. The calls are all since the version to restore, those on versions
    that are set aside already among them. `brought_back` counts versions that live
    again: one that an earlier rollback set aside can be restored as well.
    """

    head: VersionRow
    target: VersionRow
    comparison: Comparison
    set_aside: tuple[range, ...]
    brought_back: int
    n_turns: int
    calls: tuple[Call, ...]
    has_more_calls: bool
    forks: tuple[Fork, ...]
    has_more_forks: bool
    labels: tuple[LabelAt, ...]
    has_more_labels: bool
    recommends_hold: bool

    @property
    def n_set_aside(self) -> int:
        return sum(map(len, self.set_aside))

    def was_set_aside(self, call: Call) -> bool:
        """Whether an earlier rollback set aside the version that a turn made."""
        number = call.number
        return number is not None and not any(number in one for one in self.set_aside)


def preview(scope: Scope, session_id: str, to: int, *, now: datetime) -> Preview:
    """Tell what rolling back to a version would do to the head as it is now.

    Raises: SessionNotFound, VersionNotFound, NothingToRollBack.
    """
    head = reading.head(scope, session_id, now=now)
    restored = target(scope, head, to, now=now)
    seen_from_head = live_ranges(session_id, head.number)
    seen_from_target = live_ranges(session_id, restored.number)
    aside = without(seen_from_head, seen_from_target)
    asked = {
        "session": session_id,
        "lows": [one.start for one in aside],
        "highs": [one.stop - 1 for one in aside],
    }
    (turns,) = sql.rows(TURNS, asked)
    found, has_more_calls = _calls(head, restored)
    seen = {"project": scope.project.id, "agents": scope.agent_list, "now": now}
    forks = sql.records(Fork, FORKS, {**asked, **seen})
    labels = sql.records(LabelAt, LABELS, asked)
    return Preview(
        head=head,
        target=restored,
        comparison=compare(*reading.parsed_pair(head, restored)),
        set_aside=tuple(aside),
        brought_back=sum(map(len, without(seen_from_target, seen_from_head))),
        n_turns=turns.count,
        calls=tuple(found[:LISTED]),
        has_more_calls=has_more_calls or len(found) > LISTED,
        forks=tuple(forks[:LISTED]),
        has_more_forks=len(forks) > LISTED,
        labels=tuple(labels[:LISTED]),
        has_more_labels=len(labels) > LISTED,
        recommends_hold=_is_lively(head, turns.newest_at, now),
    )


def without(ranges: Sequence[range], others: Sequence[range]) -> list[range]:
    """Return what is in the first ranges but not in the others, newest first.

    Both are given newest first and without overlap, as lineages are.
    """
    left: list[range] = []
    taken = list(others)
    for one in ranges:
        top = one.stop
        while taken and taken[0].start >= top:
            taken.pop(0)
        for other in taken:
            if other.stop <= one.start:
                break
            left.append(range(max(other.stop, one.start), top))
            top = min(top, other.start)
        left.append(range(one.start, top))
    return [piece for piece in left if piece]


def _is_lively(head: VersionRow, newest_turn: datetime | None, now: datetime) -> bool:
    """Whether an agent may write again while somebody reads: then hold it."""
    last = max(head.created_at, newest_turn or head.created_at)
    return head.hold == Hold.OPEN and now - last <= LATELY


def _calls(head: VersionRow, restored: VersionRow) -> tuple[list[Call], bool]:
    """Return the calls since then, and whether it was too much to look into all."""
    asked = {
        "session": head.session_id,
        "to": restored.number,
        "head": head.number,
    }
    told, has_more_turns = _told(head.session_id, asked)
    reported, has_more_left = _reported(head, restored, asked)
    return calls.merged([*told, *reported]), has_more_turns or has_more_left


def _told(session_id: str, asked: dict[str, Any]) -> tuple[list[Call], bool]:
    """Return the calls that turns tell of."""
    numbers = sql.rows(NEWEST_TURNS, asked)
    wanted = [row.turn_number for row in numbers[:TURNS_LOOKED_INTO]]
    turns = list(
        Turn.objects.of_session(session_id)
        .filter(turn_number__in=wanted)
        .in_order(newest_first=True, after=None)
    )
    shown = listing.within_bytes(turns, lambda turn: turn.size)
    has_more = len(numbers) > TURNS_LOOKED_INTO or len(shown) < len(turns)
    return [call for turn in reversed(shown) for call in _of_turn(turn)], has_more


def _reported(
    head: VersionRow, restored: VersionRow, asked: dict[str, Any]
) -> tuple[list[Call], bool]:
    """Return the calls among messages and results: of the head, and of what was left.

    A state that a rollback left behind tells of calls that no later one tells of.
    """
    numbers = [row.number for row in sql.rows(LEFT, asked)]
    found = listing.versions_at(head.session_id, numbers[:LEFT_LOOKED_INTO])
    left = listing.within_bytes(found[::-1], lambda one: one.body_size)
    reading.fetch(left)
    before = reading.parts(restored)
    told = [
        call
        for one in (*reversed(left), head)
        for call in calls.made_since(before, reading.parts(one))
    ]
    return told, len(left) < len(numbers)


def _of_turn(turn: Turn) -> list[Call]:
    raw = bodies.decode(turn.codec, bytes(turn.data), turn.size, None)
    parts = {part.name: part.data for part in bodies.unframe(raw)}
    return [
        replace(
            call,
            number=turn.head_number,
            turn_number=turn.turn_number,
            at=turn.created_at,
        )
        for call in calls.in_turn(parts)
    ]
