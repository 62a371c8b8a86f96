"""Conditions on what sessions work at: their tasks and schema, and what they use.

Tasks and schemas are terms of the head. What was used stands in the last turn, and is
looked up there: no index has it in order, so the newest sessions are looked through.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from apps.core import sql
from apps.timeline import hooks
from apps.timeline.ledger.facts import tasked
from apps.timeline.search import index_scan
from apps.timeline.search.clauses import Marked, TaskIs, Used, UsedWithin
from apps.timeline.search.conditions.base import Candidate, Condition, Hit, Hits
from apps.timeline.search.index_scan import IndexScan
from apps.timeline.search.sessions.properties import TaggedSession

_USED = sql.across("""
SELECT s.id, t.spent FROM timeline_session s
  JOIN timeline_turn t ON t.session_id = s.id AND t.turn_number = s.turn_count
 WHERE s.id = ANY (%(ids)s::varchar[]) AND t.spent IS NOT NULL LIMIT %(most)s
""")
_BEGUN = sql.across("""
SELECT d.session_id FROM timeline_effectdue d
 WHERE d.session_id = ANY (%(ids)s::varchar[]) AND d.due_at > %(now)s
 GROUP BY d.session_id LIMIT %(most)s
""")
# Begun beyond its deadline reads as unknown, whether or not a sweep has told it.
_OVERDUE = sql.across("""
SELECT d.session_id FROM timeline_effectdue d
 WHERE d.session_id = ANY (%(ids)s::varchar[]) AND d.due_at <= %(now)s
 GROUP BY d.session_id LIMIT %(most)s
""")
_UNKNOWN = sql.across("""
SELECT k.session_id FROM timeline_effectstep k
  LEFT JOIN timeline_effectstep later
         ON later.session_id = k.session_id AND later.effect_id = k.effect_id
        AND later.ordinal = k.ordinal + 1
 WHERE k.session_id = ANY (%(ids)s::varchar[]) AND k.status = 'unknown'
   AND later.ordinal IS NULL
 GROUP BY k.session_id LIMIT %(most)s
""")
# Done and waived are for good.
_OWED = sql.across("""
SELECT c.session_id FROM timeline_compensation c
  LEFT JOIN timeline_compensationstep k
         ON k.session_id = c.session_id AND k.effect_id = c.effect_id
        AND k.status IN ('done', 'waived')
 WHERE c.session_id = ANY (%(ids)s::varchar[]) AND k.ordinal IS NULL
 GROUP BY c.session_id LIMIT %(most)s
""")
_EFFECTS = {
    "begun": (_BEGUN,),
    "unknown": (_UNKNOWN, _OVERDUE),
    "owed": (_OWED,),
}
LOOKED_THROUGH = (
    "no index has what sessions use or owe: the newest sessions were looked through"
)


class OfHead(TaggedSession):
    """A term of the head: nothing that versions of the past say."""

    reads_history = False


class HasTask(OfHead):
    """The head has such a task."""

    def __init__(self, clause: TaskIs, key: bytes) -> None:
        tag = tasked.task_key(key, clause.name, clause.status)
        super().__init__(clause, "task", IndexScan([index_scan.tagged([tag])]))
        self.cut = IndexScan([index_scan.tagged([tasked.cut_key(key)])])

    def notices(self) -> list[str]:
        # What is cut no more may still stand there, until it is projected.
        if self.cut.among(self.cut.below(None, 20)):
            return [
                f"of lists of more than {tasked.MOST} tasks the first {tasked.MOST} "
                "are searched, and none of those above "
                f"{tasked.LARGEST // 1024:,} KB"
            ]
        return []


class HasUsed(Condition):
    """The session's turns say that they used so much, altogether."""

    def __init__(self, clause: UsedWithin) -> None:
        super().__init__(clause)
        self.within = clause

    def among(self, sessions: Sequence[Candidate]) -> set[str]:
        return set(self._amounts(sessions))

    def hits(
        self, sessions: Sequence[Candidate], before: int | None, limit: int
    ) -> Hits:
        found = self._amounts(sessions)
        return {
            one.id: [Hit(where=self.within.used.value, value=found.get(one.id, ""))]
            for one in sessions
        }

    def notices(self) -> list[str]:
        return [LOOKED_THROUGH]

    def _amounts(self, sessions: Sequence[Candidate]) -> dict[str, str]:
        """Return what those have used that meet the clause, as it is told."""
        told = {}
        for session_id, spent in spent_by([one.id for one in sessions]).items():
            amount, unit = amount_of(spent, self.within.used)
            if amount is None or not self.within.has(amount):
                continue
            if self.within.currency in (None, unit):
                told[session_id] = f"{amount:f} {unit}".strip()
        return told


class Has(Condition):
    """The session has an effect, a request or a budget that stands so."""

    def __init__(self, clause: Marked, now: datetime) -> None:
        super().__init__(clause)
        self.marked = clause
        self.now = now

    def among(self, sessions: Sequence[Candidate]) -> set[str]:
        ids = [one.id for one in sessions]
        return marked_among(self.marked.field, self.marked.value, ids, now=self.now)

    def hits(
        self, sessions: Sequence[Candidate], before: int | None, limit: int
    ) -> Hits:
        told = Hit(where=self.marked.field, value=self.marked.value)
        return {one.id: [told] for one in sessions}

    def notices(self) -> list[str]:
        return [LOOKED_THROUGH]


def spent_by(session_ids: Sequence[str]) -> dict[str, Mapping[str, Any]]:
    """Return what sessions have used by their last turns, of those that say it."""
    if not session_ids:
        return {}
    ids = sql.text_array(session_ids)
    asked = {"ids": ids, "most": len(session_ids)}
    return {row.id: row.spent for row in sql.rows(_USED, asked)}


def amount_of(spent: Mapping[str, Any], used: Used) -> tuple[Decimal | None, str]:
    """Return how much that is, and of what; None where nothing was said of it."""
    if used is Used.TOKENS:
        names = ("input_tokens", "output_tokens")
        return Decimal(sum(int(spent.get(name) or 0) for name in names)), ""
    cost = spent.get("cost")
    return None if cost is None else Decimal(cost), str(spent.get("currency") or "")


def marked_among(
    field: str, value: str, session_ids: Sequence[str], *, now: datetime
) -> set[str]:
    """Return those of these sessions that have what a word asks for."""
    if not session_ids:
        return set()
    if field in hooks.STANDING:
        return set(hooks.STANDING[field].among(session_ids, value))
    if field == "approval":
        return hooks.asked_among(session_ids, now=now)
    ids = sql.text_array(session_ids)
    asked = {"ids": ids, "now": now, "most": len(session_ids)}
    found: set[str] = set()
    for statement in _EFFECTS[value]:
        rows = sql.rows(statement, asked)
        found.update(row.session_id for row in rows)
    return found
