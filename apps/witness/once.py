"""What is signed once: tombstones, and what apps above have made, as certificates.

Looked for by time, and a little further back than the last look: what was in flight
then is there now. What is signed already, the index knows.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from apps.core.notes.index import Entry, Index
from apps.core.notes.roots import Head
from apps.timeline.verification import Mark, tombstones_after
from apps.witness.hooks import SIGNED_ONCE

# Whole transactions of removals are in it; certificates are few, and looked at longer.
IN_FLIGHT = timedelta(minutes=2)
MADE_IN_FLIGHT = timedelta(hours=1)
BEGINNING = datetime(2000, 1, 1, tzinfo=UTC)
TOMBSTONES = "tombstones"
# Earlier leaves of one name that are looked at.
EARLIER = 1_000


@dataclass(slots=True)
class Fresh:
    """Leaves that are not signed, and how far was looked once they are."""

    heads: list[Head] = field(default_factory=list)
    progress: dict[str, str | None] = field(default_factory=dict)
    is_all: bool = True


def fresh(index: Index, *, limit: int, now: datetime) -> Fresh:
    """Return what was made and is not signed yet."""
    found = Fresh()
    _take_tombstones(index, found, limit, now)
    for name, made in SIGNED_ONCE.items():
        since = index.progress(name)
        found.heads += made(datetime.fromisoformat(since) if since else None)
        found.progress[name] = (now - MADE_IN_FLIGHT).isoformat()
    signed = index.latest([one.stream for one in found.heads])
    found.heads = [
        one for one in found.heads if not _is_signed(index, one, signed.get(one.stream))
    ]
    return found


def _is_signed(index: Index, head: Head, newest: Entry | None) -> bool:
    """Say whether a note has this very leaf.

    Another of the same name is no signature of it: a removal was done again after the
    database was put back, or who was erased came back and was erased once more.
    """
    if newest is None or newest.chain == head.chain:
        return newest is not None
    earlier = index.history(head.stream, EARLIER)
    return any(one.chain == head.chain for one in earlier)


def _take_tombstones(index: Index, found: Fresh, limit: int, now: datetime) -> None:
    said = index.progress(TOMBSTONES)
    mark = Mark(BEGINNING)
    if said:
        at, *place = json.loads(said)
        mark = Mark(datetime.fromisoformat(at), *place)
    stones = tombstones_after(mark, limit)
    found.heads += [head for _, head in stones]
    found.is_all = len(stones) < limit
    mark = Mark(max(mark.at, now - IN_FLIGHT)) if found.is_all else stones[-1][0]
    written = (mark.at.isoformat(), mark.session_id, mark.kind, mark.first)
    found.progress[TOMBSTONES] = json.dumps(written)
