"""What a restore of a checkpoint does, counted before it and after it.

A key of the checkpoint whose time was over meanwhile stays absent. So of the keys that
it had, those that have not expired are in place afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from apps.core import sql
from apps.data.models import Checkpoint
from apps.timeline.operations import Document

# Keys that a preview names, of each kind.
SHOWN = 20
# Who wrote within this time may still be writing, and is looked for in so many acts.
RECENT = timedelta(minutes=1)
LOOKED_AT = 1_000
# Behind every version.
_LAST = 2**62

_EXPIRED = sql.of_session(sql.query("data", "restore_expired"))
_TOUCHED = sql.of_session("""
SELECT count(*) AS keys FROM (
    SELECT DISTINCT e.key FROM timeline_entry e
     WHERE e.session_id = %(session)s AND e.number > %(target)s
       AND CASE WHEN e.key = '' THEN %(config)s ELSE %(data)s END
     LIMIT %(most)s + 1) t
""")
_CHANGED = sql.of_session(sql.query("data", "restore_changed"))
_WRITERS = sql.of_session("""
SELECT v.actor_kind AS kind, v.actor_id AS id, v.actor_label AS label,
       count(*) AS writes, max(v.created_at) AS last_at
  FROM (SELECT n.* FROM timeline_version n
         WHERE n.session_id = %(session)s AND n.number > 0
         ORDER BY n.number DESC LIMIT %(most)s) v
 WHERE v.created_at > %(since)s
 GROUP BY v.actor_kind, v.actor_id, v.actor_label
 ORDER BY max(v.created_at) DESC
 LIMIT %(shown)s
""")


@dataclass(frozen=True, kw_only=True, slots=True)
class Keys:
    """How many keys something happens to, and the first of them."""

    count: int = 0
    first: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Writer:
    """Who wrote to the document a moment ago."""

    kind: str
    id: str
    label: str
    writes: int
    last_at: datetime


def expired(
    document: Document, checkpoint: Checkpoint, *, at: datetime, shown: int = SHOWN
) -> Keys:
    """Return the checkpoint's keys whose time was over between it and this moment."""
    asked = {
        **_asked(document, checkpoint, _LAST, at),
        "since": checkpoint.created_at,
        "shown": shown,
    }
    (found,) = sql.rows(_EXPIRED, asked)
    return Keys(count=found.keys, first=tuple(found.first_keys))


def changed(
    document: Document, checkpoint: Checkpoint, *, head: int, at: datetime
) -> tuple[Keys, Keys]:
    """Return the keys that a restore on this head would set, and would remove."""
    asked = _asked(document, checkpoint, head, at) | {"shown": SHOWN}
    (found,) = sql.rows(_CHANGED, asked)
    return (
        Keys(count=found.set, first=tuple(found.set_keys)),
        Keys(count=found.removed, first=tuple(found.removed_keys)),
    )


def touched(
    document: Document, checkpoint: Checkpoint, *, config: bool, data: bool, most: int
) -> int:
    """Return how many keys were touched since the checkpoint, up to one above `most`.

    Of the config and the data only what is asked for; the config counts as a key.
    """
    asked = {
        "session": document.id,
        "target": checkpoint.number,
        "config": config,
        "data": data,
        "most": most,
    }
    return int(sql.rows(_TOUCHED, asked)[0].keys)


def recent_writers(document: Document, *, now: datetime) -> list[Writer]:
    """Return who wrote within the last minute, the latest first."""
    asked = {
        "session": document.id,
        "since": now - RECENT,
        "most": LOOKED_AT,
        "shown": SHOWN,
    }
    return sql.records(Writer, _WRITERS, asked)


def _asked(
    document: Document, checkpoint: Checkpoint, head: int, at: datetime
) -> dict[str, Any]:
    return {
        "session": document.id,
        "target": checkpoint.number,
        "head": head,
        "at": at,
    }
