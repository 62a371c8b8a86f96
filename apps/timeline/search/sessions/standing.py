"""How a session stands: the first that applies of what lists say of it.

Held, waiting, looks wrong, failed, closed, rolled back, forked, active; before these a
list shows what was deleted or has expired, which no search finds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils import timezone

from apps.core import keyset, sql
from apps.timeline import hooks
from apps.timeline.scores import says_failed
from apps.timeline.search.clauses import StandsAs
from apps.timeline.search.conditions.base import (
    Candidate,
    Condition,
    Hit,
    Hits,
    ids_where,
    newest_of,
)
from apps.timeline.search.index_scan import IndexScan
from apps.timeline.versions.lineage import lineage, set_aside_by
from apps.timeline.words import KNOWN_GOOD, Op, OpenKind, Outcome, Standing, Status

# So many open items are kept as ids; of more, the newest sessions are looked through.
MOST_OPEN = 1_000
_OPEN_KINDS = {
    Standing.WAITING: OpenKind.WAITING,
    Standing.WRONG: OpenKind.FLAGGED,
}
_NEWEST = sql.across("""
SELECT o.session_id FROM timeline_open o
 WHERE o.project_id = %(project)s AND o.kind = %(kind)s
 ORDER BY o.at DESC, o.session_id DESC, o.number DESC LIMIT %(limit)s
""")
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
_SCORED = sql.across(f"""
SELECT s.id FROM timeline_session s
 WHERE s.project_id = %(project)s AND s.kind = 'session' AND s.scores IS NOT NULL
   AND {keyset.below_id("s.id")}
 ORDER BY s.id DESC LIMIT %(limit)s
""")  # noqa: S608
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


class StandingIs(Condition):
    """The session stands so, as its row in a list says."""

    def __init__(
        self, clause: StandsAs, project_id: str, marked: IndexScan | None
    ) -> None:
        """Take where those that were rolled back or forked are marked, if asked for."""
        super().__init__(clause)
        self.wanted = Standing(clause.standing)
        self.project_id = project_id
        self.marked = marked
        kind = _OPEN_KINDS.get(self.wanted)
        self.open = None if kind is None else _newest_open(project_id, kind)
        self.is_walked = self.wanted is Standing.ACTIVE or (
            kind is not None and self.open is None
        )

    def candidates(self, before: str | None, limit: int) -> list[str] | None:
        if self.is_walked:
            return None
        if self.open is not None:
            return [one for one in self.open if not before or one < before][:limit]
        if self.marked is not None:
            return self.marked.below(before, limit)
        columns = {"project_id": self.project_id}
        if self.wanted is Standing.CLOSED:
            return ids_where(columns | {"status": Status.CLOSED}, before, limit)
        return newest_of(
            [
                _scored(before, limit, self.project_id),
                ids_where(columns | {"review": Outcome.FAILED}, before, limit),
            ],
            limit,
        )

    def among(self, sessions: Sequence[Candidate]) -> set[str]:
        found = standings([one.id for one in sessions])
        return {one for one, standing in found.items() if standing is self.wanted}

    def hits(
        self, sessions: Sequence[Candidate], before: int | None, limit: int
    ) -> Hits:
        return {one.id: [Hit(where="status")] for one in sessions}

    def notices(self) -> list[str]:
        if self.open is None and self.wanted in _OPEN_KINDS:
            return [
                f"there are more than {MOST_OPEN:,} of these: "
                "the newest sessions were looked through"
            ]
        return []


def standings(session_ids: Sequence[str]) -> dict[str, Standing]:
    """Return how these sessions stand, those that are over as they stood before."""
    if not session_ids:
        return {}
    asked = _asked(session_ids)
    open_at: dict[str, dict[str, int]] = defaultdict(dict)
    for row in sql.rows(_OPEN, asked):
        open_at[row.session_id][row.kind] = row.number
    heads = sql.rows(_HEADS, asked)
    asked_of = hooks.asked_among(session_ids, now=timezone.now())
    wrong = _wrong({row.id: row.number for row in heads}, open_at)
    return {
        row.id: stands_as(
            row.status,
            row,
            is_waiting=OpenKind.WAITING in open_at[row.id] or row.id in asked_of,
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


def _scored(before: str | None, limit: int, project_id: str) -> list[str]:
    """Return the next sessions that have any score, newest first."""
    asked = {"project": project_id, "before": before, "limit": limit}
    return [row.id for row in sql.rows(_SCORED, asked)]


def _newest_open(project_id: str, kind: OpenKind) -> list[str] | None:
    """Return the sessions with open items, newest session first; None: too many."""
    asked = {"project": project_id, "kind": kind.value, "limit": MOST_OPEN + 1}
    found = [row.session_id for row in sql.rows(_NEWEST, asked)]
    if kind is OpenKind.WAITING:
        found += hooks.newest_asked(project_id, MOST_OPEN + 1)
    return None if len(found) > MOST_OPEN else sorted(set(found), reverse=True)
