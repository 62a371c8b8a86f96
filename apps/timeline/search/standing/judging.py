"""How a session stands: the first that applies of what lists say of it.

Held, waiting, looks wrong, failed, closed, rolled back, forked, active; before these a
list shows what was deleted or has expired, which no search finds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from apps.core import sql
from apps.timeline.scores import says_failed
from apps.timeline.versions.lineage import lineage, set_aside_by
from apps.timeline.words import KNOWN_GOOD, Op, OpenKind, Standing, Status

_HEADS = sql.across("""
SELECT s.id, s.status, s.review, s.scores, s.head_number AS number,
       v.op, v.restored_number, v.undo_of
  FROM timeline_session s
  JOIN timeline_version v ON v.session_id = s.id AND v.number = s.head_number
 WHERE s.id = ANY (%(ids)s::varchar[]) LIMIT %(limit)s
""")
_OPEN = sql.across("""
SELECT o.session_id, o.kind, max(o.number) AS number FROM timeline_open o
 WHERE o.session_id = ANY (%(ids)s::varchar[]) AND o.kind IN ('waiting', 'flagged')
 GROUP BY o.session_id, o.kind LIMIT %(limit)s
""")
_GOOD = sql.across("""
SELECT l.session_id, array_agg(l.number) AS numbers FROM timeline_label l
 WHERE l.session_id = ANY (%(ids)s::varchar[]) AND l.name = %(name)s
 GROUP BY l.session_id LIMIT %(limit)s
""")
_ROLLBACKS = sql.across("""
SELECT v.session_id, array_agg(v.number ORDER BY v.number DESC) AS numbers,
       array_agg(v.restored_number ORDER BY v.number DESC) AS restored
  FROM timeline_version v
 WHERE v.session_id = ANY (%(ids)s::varchar[]) AND v.restored_number IS NOT NULL
 GROUP BY v.session_id LIMIT %(limit)s
""")


def standings(session_ids: Sequence[str]) -> dict[str, Standing]:
    """Return how these sessions stand, those that are over as they stood before."""
    if not session_ids:
        return {}
    asked = _asked(session_ids)
    open_at: dict[str, dict[str, int]] = defaultdict(dict)
    for row in sql.rows(_OPEN, asked):
        open_at[row.session_id][row.kind] = row.number
    heads = sql.rows(_HEADS, asked)
    wrong = _wrong({row.id: row.number for row in heads}, open_at)
    return {
        row.id: stands_as(
            row.status,
            row,
            is_waiting=OpenKind.WAITING in open_at[row.id],
            is_wrong=row.id in wrong,
            is_failed=says_failed(row.review, row.scores or {}),
        )
        for row in heads
    }


def stands_as(
    status: str, head: Any, *, is_waiting: bool, is_wrong: bool, is_failed: bool
) -> Standing:
    """Return the first that applies, of what is known of a session and its head."""
    if status == Status.PAUSED:
        return Standing.HELD
    if is_waiting:
        return Standing.WAITING
    if is_wrong:
        return Standing.WRONG
    if is_failed:
        return Standing.FAILED
    if status != Status.ACTIVE:
        return Standing.CLOSED
    if head.restored_number is not None and head.undo_of is None:
        return Standing.ROLLED
    return Standing.FORKED if head.op == Op.FORK else Standing.ACTIVE


def _wrong(
    heads: Mapping[str, int], open_at: Mapping[str, Mapping[str, int]]
) -> set[str]:
    """Return those with a live flagged version and none since that is known good."""
    flagged = {
        one: found[OpenKind.FLAGGED]
        for one, found in open_at.items()
        if one in heads and OpenKind.FLAGGED in found
    }
    if not flagged:
        return set()
    good = {
        row.session_id: [n for n in row.numbers if n >= flagged[row.session_id]]
        for row in sql.rows(_GOOD, _asked(list(flagged)) | {"name": KNOWN_GOOD})
    }
    doubted = [one for one, numbers in good.items() if numbers]
    rollbacks = {
        row.session_id: list(zip(row.numbers, row.restored, strict=True))
        for row in (sql.rows(_ROLLBACKS, _asked(doubted)) if doubted else ())
    }
    fine = set()
    for one in doubted:
        live = lineage(heads[one], rollbacks.get(one, []))
        if any(set_aside_by(live, number) is None for number in good[one]):
            fine.add(one)
    return set(flagged) - fine


def _asked(session_ids: Sequence[str]) -> dict[str, Any]:
    ids = sql.text_array(session_ids)
    return {"ids": ids, "limit": 2 * len(session_ids)}
