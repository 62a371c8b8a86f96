"""At which versions all of a keyed document is there, some of which were pruned.

A removal keeps what stands from one version on, and at each version that somebody
keeps, such as a checkpoint. Below it, of what stood at any other version, some is gone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from apps.core import sql
from apps.timeline import hooks
from apps.timeline.bodies import CorruptBody
from apps.timeline.errors import KeyNotFound, VersionPruned
from apps.timeline.removed import Tombstone
from apps.timeline.versions.gone import said, tombstone_object
from apps.timeline.versions.keyed.entries import PastEntry

# Since it began: what was removed before was another life, which had the same id.
_WHOLE_FROM = sql.of_session("""
SELECT t.first_number, t.event_id, t.shown_from
  FROM timeline_session s
  JOIN timeline_tombstone t
    ON t.session_id = %(session)s AND t.shown_from IS NOT NULL
 WHERE s.id = %(session)s AND s.erasures > 0 AND t.created_at >= s.created_at
 ORDER BY t.shown_from DESC LIMIT 1
""")
# What was pruned of a key between two of its entries, and the newest removal there.
_BETWEEN = sql.of_session("""
SELECT g.first, t.event_id, t.first_number
  FROM unnest(%(firsts)s::bigint[], %(after)s::bigint[], %(before)s::bigint[])
    AS g (first, after, before)
 CROSS JOIN LATERAL (
       SELECT t.event_id, t.first_number FROM timeline_tombstone t
        WHERE t.session_id = %(session)s AND t.kind = 'pruned'
          AND t.first_number > g.after AND t.first_number < g.before
        ORDER BY t.first_number DESC LIMIT 1) t
""")


def is_whole(document_id: str, number: int) -> bool:
    """Say whether all that stood at a version is there; at version 0 nothing stood."""
    return _taken_from(document_id, number) is None


def require_whole(document_id: str, number: int) -> None:
    """Refuse to tell what stood at a version of which a removal took something.

    Raises: VersionPruned.
    """
    stone = _taken_from(document_id, number)
    if stone is None:
        return
    raise VersionPruned(
        f"Not all that stood at v{number} is there any more: {said(stone)}.",
        param="version",
        version=number,
        tombstone=tombstone_object(stone),
    )


@contextmanager
def whole_at(document_id: str, *numbers: int) -> Iterator[None]:
    """Have what is read in the block, at these versions, be all that stood there.

    Asked after it, since a removal may come in between; also where it seems that there
    was nothing.

    Raises: VersionPruned.
    """
    try:
        yield
    except (KeyNotFound, CorruptBody):
        for number in numbers:
            require_whole(document_id, number)
        raise
    for number in numbers:
        require_whole(document_id, number)


def removed_of_key(
    document_id: str, entries: Sequence[PastEntry], following: PastEntry | None
) -> list[dict[str, Any]]:
    """Return what was pruned below each of these entries of a key, the newest first.

    As tombstones of the key's own versions; `following` is the entry below the last
    one, None where there is none.
    """
    # Of none there is nothing below.
    below = [*entries[1:], following][: len(entries)]
    gaps = [
        (one.ordinal, one.number, older.ordinal if older else 0, older)
        for one, older in zip(entries, below, strict=True)
        if one.ordinal > (older.ordinal if older else 0) + 1
    ]
    if not gaps:
        return []
    asked = {
        "session": document_id,
        "firsts": [low + 1 for _, _, low, _ in gaps],
        "after": [older.number if older else -1 for _, _, _, older in gaps],
        "before": [number for _, number, _, _ in gaps],
    }
    events = {row.first: row.event_id for row in sql.rows(_BETWEEN, asked)}
    stones = Tombstone.objects.of_session(document_id).gone()
    by_event = {
        one.event_id: one for one in stones.filter(event_id__in=set(events.values()))
    }
    return [
        tombstone_object(by_event[events[low + 1]])
        | {
            "first_version": low + 1,
            "last_version": ordinal - 1,
            "count": ordinal - 1 - low,
        }
        for ordinal, _, low, _ in gaps
        if low + 1 in events
    ]


def _taken_from(document_id: str, number: int) -> Tombstone | None:
    """Return a tombstone of what stood at a version; None where all of it is there."""
    if number <= 0:
        return None
    found = sql.rows(_WHOLE_FROM, {"session": document_id})
    if not found or number >= found[0].shown_from:
        return None
    if number in hooks.moments_kept(document_id):
        return None
    newest = {"first_number": found[0].first_number, "event_id": found[0].event_id}
    pruned = Tombstone.objects.of_session(document_id).gone()
    return pruned.over(number).last() or pruned.get(**newest)
