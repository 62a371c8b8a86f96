"""Empty or prune versions of a session: one transaction under the session's lock."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core import sql
from apps.core.actors import SYSTEM
from apps.core.ids import CLOCK, first_id, new_id
from apps.core.provenance import unrequested
from apps.timeline import bodies, hooks
from apps.timeline.hooks.keeping import allowed
from apps.timeline.models import Session, Tombstone
from apps.timeline.operations.keeping import archiving, rows, uses
from apps.timeline.operations.keeping.locking import locked
from apps.timeline.operations.keeping.pins import pins
from apps.timeline.operations.keeping.rows import Header, Moved
from apps.timeline.operations.keeping.tombstones import (
    BrokenChain,
    Taking,
    tombstone_of,
)
from apps.timeline.operations.keeping.values import Gone, Went
from apps.timeline.removed import details_of, runs
from apps.timeline.words import Kind, Removed

# So many versions go in one transaction: it holds up the session's writers.
MOST = 500

_CALL = """
SELECT g.rows, g.bytes, g.bodies FROM {}(
    %(session)s::varchar, %(numbers)s::bigint[], %(turns)s::bigint[],
    %(from)s::bigint[], %(to)s::bigint[], %(codecs)s::bigint[], %(salts)s::bytea[],
    %(sizes)s::bigint[], %(data)s::bytea[]) g
"""
_CALLS = {
    Removed.EMPTIED: sql.of_session(_CALL.format("timeline_empty_v2")),
    Removed.PRUNED: sql.of_session(_CALL.format("timeline_prune_v2")),
    Removed.REMOVED: sql.of_session(_CALL.format("timeline_prune_v2")),
}
_DELETE_ENTRIES = sql.of_session("""
DELETE FROM timeline_entry e
 WHERE e.session_id = %(session)s AND e.number = ANY (%(numbers)s::bigint[])
RETURNING 1
""")
_MOMENT = timedelta(milliseconds=1)
_MOMENTS = sql.of_session("""
SELECT min(v.created_at) AS first, max(v.created_at) AS last FROM timeline_version v
 WHERE v.session_id = %(session)s AND v.number = ANY (%(numbers)s::bigint[])
""")
# What an agent wrote is told by the version, and goes with it. What a chain of records
# covers stays, and what has not been sent on yet; so do events of turns, from which is
# counted what they used and cost.
_DELETE_EVENTS = sql.of_session("""
DELETE FROM audit_event e USING unnest(%(numbers)s::bigint[]) n (number)
 WHERE e.stream_id = %(session)s AND e.number = n.number
   AND e.id >= %(first)s::varchar AND e.id < %(last)s::varchar
   AND e.action = 'version.created' AND e.actor_kind = 'key'
   AND NOT EXISTS (SELECT FROM audit_auditrecord r
                    WHERE r.stream_id = %(session)s AND r.event_id = e.id)
   AND NOT EXISTS (SELECT FROM audit_outbox o
                    WHERE o.stream_id = %(session)s AND o.event_id = e.id)
RETURNING 1
""")
_ACTIONS = {
    Removed.EMPTIED: Action.SESSION_EMPTIED,
    Removed.PRUNED: Action.SESSION_PRUNED,
    Removed.REMOVED: Action.SESSION_REMOVED,
}


def empty_versions(
    *,
    session_id: str,
    first: int,
    last: int,
    removal_id: str,
    reason: str,
    erasing: bool = False,
) -> Gone:
    """Empty what versions from `first` to `last` hold; their headers stand.

    Run by the retention role. What has to stay is looked at under the session's lock;
    up to `MOST` versions are looked at. With `erasing`, only what the session cannot do
    without stays; a legal hold stops that as well.
    """
    return _take(Removed.EMPTIED, session_id, first, last, removal_id, reason, erasing)


def prune_versions(
    *,
    session_id: str,
    first: int,
    last: int,
    removal_id: str,
    reason: str,
    erasing: bool = False,
) -> Gone:
    """Delete versions from `first` to `last`; tombstones stand for them.

    As `empty_versions` otherwise. Bodies that kept versions need stay, with these.
    """
    return _take(Removed.PRUNED, session_id, first, last, removal_id, reason, erasing)


@transaction.atomic
def _take(
    kind: Removed,
    session_id: str,
    first: int,
    last: int,
    removal_id: str,
    reason: str,
    erasing: bool,
) -> Gone:
    session = locked(session_id)
    head = rows.head(session_id)
    if session is None or head is None:
        return Gone(outcome=Went.UNKNOWN)
    if hooks.legal_hold(session_id):
        return Gone(outcome=Went.HELD)
    found = rows.headers(session_id, first, last, MOST + 1)
    has_more, found = len(found) > MOST, found[:MOST]
    if kind is Removed.EMPTIED:
        found = _not_emptied(session_id, found)
    if not found:
        return Gone(outcome=Went.DONE, has_more=has_more)
    is_emptying = kind is Removed.EMPTIED
    stays = pins(session_id, found, head, erasing=erasing, emptying=is_emptying)
    going = [one for one in found if one.number not in stays]
    if not going:
        return Gone(outcome=Went.PINNED, pinned=stays, has_more=has_more)
    taking = Taking(
        session=session,
        kind=kind,
        removal_id=removal_id,
        reason=reason,
        now=timezone.now(),
    )
    return taken(taking, going, stays, has_more=has_more)


def taken(
    taking: Taking,
    going: Sequence[Header],
    stays: dict[int, str],
    *,
    has_more: bool = False,
) -> Gone:
    """Take these versions, of which nothing has to stay; leave tombstones and an event.

    Without a sound chain and sound bodies nothing goes: what is broken is evidence.

    Raises: ObjectsUnavailable, where bodies that stay are in an archive.
    """
    session_id = taking.session.id
    numbers = [one.number for one in going]
    event_id = new_id("trace", now=taking.now, sequence=0)
    try:
        moved = rows.needed(session_id, numbers)
        emptied_of = archiving.objects_of(session_id, numbers)
        if emptied_of and taking.kind is not Removed.REMOVED:
            # What goes must not be left in an object, with what stays beside it.
            archiving.bring_back(session_id, archiving.beside(session_id, numbers))
        stones = [
            tombstone_of(taking, [one for one in going if low <= one.number <= high])
            for low, high in runs(numbers)
        ]
    except (bodies.CorruptBody, BrokenChain):
        return Gone(outcome=Went.MOVED, pinned=stays)
    turns = [
        one for low, high in runs(numbers) for one in rows.turns(session_id, low, high)
    ]
    asked = _asked(session_id, numbers, [one.turn_number for one in turns], moved)
    events = _delete_events(taking, asked)
    (counts,) = sql.rows(_CALLS[taking.kind], asked)
    archiving.delete_unnamed(session_id, emptied_of)
    uses.carry_on(taking.session, numbers, moved)
    event = _record(taking, stones)
    for stone in stones:
        stone.event_id = event.id if event else event_id
    Tombstone.objects.bulk_create(stones)
    deleted = _finish(taking, runs(numbers)) + _delete_entries(taking, numbers) + events
    bodies.cache.forget(session_id)
    return Gone(
        outcome=Went.DONE,
        versions=len(numbers),
        bodies=counts.bodies,
        turns=len(turns),
        rows=counts.rows + deleted,
        bytes=counts.bytes,
        pinned=stays,
        has_more=has_more,
    )


def _delete_events(taking: Taking, asked: dict[str, Any]) -> int:
    """Delete what tells of an agent's writes that go, while these still say when."""
    if taking.kind is Removed.EMPTIED:
        return 0
    (span,) = sql.rows(_MOMENTS, asked)
    between = {
        "first": first_id("trace", span.first - CLOCK),
        "last": first_id("trace", span.last + _MOMENT),
    }
    with allowed():
        return len(sql.rows(_DELETE_EVENTS, asked | between))


def _delete_entries(taking: Taking, numbers: list[int]) -> int:
    """Delete what versions that are pruned left under the keys of a document.

    Those of one that goes whole go with what is beside it.
    """
    if taking.session.kind != Kind.KEYED or taking.kind is not Removed.PRUNED:
        return 0
    with allowed():
        asked = {"session": taking.session.id, "numbers": numbers}
        return len(sql.rows(_DELETE_ENTRIES, asked))


def _not_emptied(session_id: str, found: list[Header]) -> list[Header]:
    stones = list(Tombstone.objects.of_session(session_id).emptied())
    return [
        one
        for one in found
        if not any(s.first_number <= one.number <= s.last_number for s in stones)
    ]


def _asked(
    session_id: str, numbers: list[int], turns: list[int], moved: Sequence[Moved]
) -> dict[str, Any]:
    return {
        "session": session_id,
        "numbers": numbers,
        "turns": turns,
        "from": [one.number for one in moved],
        "to": [one.place for one in moved],
        "codecs": [int(one.stored.codec) for one in moved],
        "salts": [one.stored.salt for one in moved],
        "sizes": [one.stored.size for one in moved],
        "data": [one.stored.data for one in moved],
    }


def _record(taking: Taking, stones: Sequence[Tombstone]) -> Any:
    """Write the event that says what went: ranges and counts, nothing of contents."""
    return audit.record(
        stream_id=taking.session.id,
        project_id=taking.session.project_id,
        action=_ACTIONS[taking.kind],
        resource_type=_type_of(taking.session),
        resource_id=taking.session.id,
        act=unrequested(SYSTEM, taking.now),
        details=details_of(stones),
    )


def _type_of(session: Session) -> str:
    return "document" if session.kind == Kind.KEYED else "session"


def _finish(taking: Taking, ranges: Sequence[tuple[int, int]]) -> int:
    """Raise the session's count of erasures; delete what apps above have of them."""
    session = taking.session
    session.erasures += 1
    if session.kind != Kind.KEYED:
        # Of a document nothing is found by change rows or words of its versions.
        below = ranges[-1][1] + 1
        session.thinned_below = max(session.thinned_below or 0, below)
    session.save(update_fields=["erasures", "thinned_below"])
    return sum(
        hooks.erase_leavings_of(session.id, first, last) for first, last in ranges
    )
