"""Versions as a checkpointer sees them: by names of its own, with pending writes.

A checkpointer names its versions (`external_id`). A rollback, a fork or a create by
somebody else has none, and is shown under a UUID that its number and time make: it
sorts among the checkpointer's own, and leads back to the version. Holds and merges by
others are not shown: the checkpoint that they carried on is still the newest. What was
promoted, reverted or applied again is shown as a rollback is, where it took opaque
parts: a checkpointer goes on from them.
What a checkpointer deleted is hidden by a mark; the history keeps it.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from apps.core import keyset, sql
from apps.timeline import bodies
from apps.timeline.versions import gone
from apps.timeline.versions.fetching import VERSIONS
from apps.timeline.versions.reading import VersionRow
from apps.timeline.words import MERGING, Op

# Versions of others that show another body than the one before.
UNNAMED = (Op.CREATE, Op.FORK, Op.ROLLBACK)
# All that may show another state than the one before.
WRITTEN = (*UNNAMED, Op.UPDATE, Op.REPLACE, Op.TURN, Op.MIGRATE, *sorted(MERGING))

SHOWN = (
    VERSIONS
    + """
   AND (v.external_id IS NOT NULL OR v.op = ANY (%(unnamed)s::text[])
        OR v.source_opaque)
   AND NOT EXISTS (SELECT FROM timeline_hiddenversions h
                    WHERE h.session_id = %(session)s
                      AND v.number BETWEEN h.first_number AND h.last_number)
"""
)
NEWEST = sql.of_session(
    SHOWN
    + f"""
   AND {keyset.below("v.number")} AND b.codec > {bodies.EMPTIED}
 ORDER BY v.number DESC LIMIT %(limit)s
"""
)
NAMED = sql.of_session(SHOWN + " AND v.external_id = %(name)s")
NUMBERED = sql.of_session(
    SHOWN + " AND v.number = %(number)s AND v.external_id IS NULL"
)

PENDING = sql.of_session("""
SELECT DISTINCT ON (checkpoint_id, task_id, index)
       checkpoint_id, task_id, task_path, index, channel, type, data
  FROM timeline_pendingwrite
 WHERE session_id = %(session)s AND checkpoint_id = ANY (%(names)s::text[])
 ORDER BY checkpoint_id, task_id, index, attempt DESC
""")
_GREGORIAN = datetime(1582, 10, 15, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Pending:
    """What a task wrote before the checkpoint that will hold it."""

    checkpoint_id: str
    task_id: str
    task_path: str
    index: int
    channel: str
    type: str
    data: bytes


def newest(
    session_id: str, *, before: int | None, limit: int, with_merges: bool = False
) -> list[VersionRow]:
    """Return up to `limit` + 1 checkpoints, newest first, below number `before`.

    `with_merges` takes what others wrote for checkpoints, too. What was emptied holds
    nothing to go on from. The caller has looked the session up.
    """
    asked = {"before": before, "limit": limit + 1}
    return _records(NEWEST, session_id, asked, WRITTEN if with_merges else UNNAMED)


def named(session_id: str, name: str) -> list[VersionRow]:
    """Return the checkpoint of that name, of ours or of the checkpointer's."""
    found = _records(NAMED, session_id, {"name": name})
    number = _number_in(name)
    if found or number is None:
        return found
    found = _records(NUMBERED, session_id, {"number": number}, WRITTEN)
    return [one for one in found if name_of(one) == name]


def require_not_pruned(session_id: str, name: str, head: int) -> None:
    """Raises: VersionPruned, where a name that was made of a number leads there."""
    number = _number_in(name)
    if number is not None:
        gone.require_not_pruned(session_id, number, head)


def name_of(version: VersionRow) -> str:
    """Return the name under which a checkpointer knows the version."""
    if version.external_id is not None:
        return version.external_id
    return str(_uuid6(version.created_at, version.number))


def pending(session_id: str, names: Sequence[str]) -> dict[str, list[Pending]]:
    """Return the newest write of each task and index, by checkpoint, in their order."""
    asked = {"session": session_id, "names": list(names)}
    found: dict[str, list[Pending]] = {name: [] for name in names}
    for one in sql.records(Pending, PENDING, asked):
        found[one.checkpoint_id].append(one)
    for writes in found.values():
        writes.sort(key=lambda one: (one.task_path, one.task_id, one.index))
    return found


def _records(
    query: str,
    session_id: str,
    asked: Mapping[str, object],
    unnamed: Sequence[Op] = UNNAMED,
) -> list[VersionRow]:
    about = {"session": session_id, "unnamed": [op.value for op in unnamed]}
    return sql.records(VersionRow, query, {**about, **asked})


def _uuid6(at: datetime, number: int) -> uuid.UUID:
    """Return a UUIDv6 whose node is the number, which has at most 48 bits."""
    ticks = (at - _GREGORIAN) // timedelta(microseconds=1) * 10
    high, low = ticks >> 12, ticks & 0xFFF
    return uuid.UUID(int=high << 80 | 6 << 76 | low << 64 | 2 << 62 | number)


def _number_in(name: str) -> int | None:
    try:
        found = uuid.UUID(name)
    except ValueError:
        return None
    return found.node if found.version == 6 and found.clock_seq == 0 else None
