"""Conditions on words: in reasoning, turns, labels, summaries and kept messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from apps.core import json, keyset, sql
from apps.core.errors import InvalidRequest
from apps.timeline.projection import measure_lag
from apps.timeline.projection.texts import MOST_TEXT, TextKind
from apps.timeline.search.clauses import FreeTerm, Words
from apps.timeline.search.conditions.base import (
    Candidate,
    Condition,
    Hit,
    Hits,
    ids_where,
    of_each,
)
from apps.timeline.search.index_scan import PENDING

# Words in more texts than this are met soon by looking at the newest sessions, if one
# in ten of those has them; words in more than TOO_COMMON are not sorted in any case.
COMMON = 20_000
TOO_COMMON = 1_000_000
PEEKED = 200
# Without load the projector is a second behind at most.
SECONDS_SAID = 10

_QUERY = "(plainto_tsquery('simple', %(words)s::text) && %(project)s::tsquery)"
# Costs a millisecond and reads nothing but statistics.
_ESTIMATE = f"""
EXPLAIN (FORMAT JSON)
SELECT FROM timeline_text t WHERE t.words @@ {_QUERY}
"""

_RARE = sql.query(
    "timeline",
    "search_words",
    words=_QUERY,
    pending=PENDING,
    below=keyset.below_id("f.session_id"),
)
_AMONG = f"""
SELECT s.id FROM unnest(%(ids)s::varchar[]) s (id)
 CROSS JOIN LATERAL (SELECT FROM timeline_text_current t
                      WHERE t.session_id = s.id AND t.words @@ {_QUERY} LIMIT 1) one
"""  # noqa: S608
# A turn stands for the version that it left as the head, a summary for that of the last
# turn it tells of.
_OF = "coalesce(u.head_number, m.head_number, t.number)"
_HITS = f"""
SELECT {_OF} AS number, t.kind, coalesce(u.turn_number, m.last_turn) AS turn_number
  FROM timeline_text_current t
  LEFT JOIN timeline_turn u ON t.kind = {TextKind.TURN.value}
        AND u.session_id = t.session_id AND u.turn_number = t.number
  LEFT JOIN timeline_summary m ON t.kind = {TextKind.SUMMARY.value}
        AND m.session_id = t.session_id AND m.ordinal = t.number
 WHERE t.session_id = w.id AND t.words @@ {_QUERY}
   AND {keyset.below(_OF)}
 ORDER BY 1 DESC, t.kind LIMIT %(limit)s
"""  # noqa: S608
_HAS_WORDS = "SELECT numnode(plainto_tsquery('simple', %(words)s::text)) > 0 AS has"
# Counted, because a plan for the first of them alone would read the table for it.
_HAS_CUT = f"""
SELECT (SELECT count(*) > 0 FROM timeline_text WHERE words @@ %(cut)s::tsquery)
    OR EXISTS (SELECT FROM (SELECT project_id, turn_text FROM timeline_pending
                             ORDER BY session_id DESC, number DESC LIMIT {PENDING}) p
                WHERE p.project_id = %(project)s AND length(p.turn_text) > {MOST_TEXT})
       AS has
"""  # noqa: S608


class Wording(Condition):
    """All words stand in one reasoning, turn or set of labels, or in what a version
    brought of messages."""

    tells_only_met = True
    reads_history = True

    def __init__(self, clause: Words | FreeTerm, project_id: str) -> None:
        super().__init__(clause)
        text = clause.words if isinstance(clause, Words) else clause.term
        self.project_id = project_id
        self.asked = {"words": text, "project": f"'project {project_id}'"}
        self.cut = f"'cut {project_id}'"
        words = {"words": text}
        self.has_words = bool(sql.rows(_HAS_WORDS, words)[0].has)
        self.count = self._estimate() if self.has_words else 0
        self.is_walked: bool | None = None

    def candidates(self, before: str | None, limit: int) -> list[str] | None:
        if not self.has_words:
            return []
        if self.is_walked is None:
            # Once for a search: a lead must not stop to be one.
            self.is_walked = self._is_met_soon(before)
        if self.is_walked:
            return None
        asked = {**self.asked, "before": before, "limit": limit}
        return [row.session_id for row in sql.rows(_RARE, asked)]

    def among(self, sessions: Sequence[Candidate]) -> set[str]:
        if not self.has_words:
            return set()
        return self._among([one.id for one in sessions])

    def hits(
        self, sessions: Sequence[Candidate], before: int | None, limit: int
    ) -> Hits:
        if not self.has_words:
            return {}
        asked = {**self.asked, "before": before, "limit": limit}
        found = of_each(_HITS, sessions, asked)
        return {
            session_id: [
                Hit(
                    where=TextKind(row.kind).name.lower(),
                    version=row.number,
                    turn_number=row.turn_number,
                )
                for row in sorted(rows, key=lambda row: (-row.number, row.kind))
            ]
            for session_id, rows in found.items()
        }

    def notices(self) -> list[str]:
        found = []
        if sql.rows(_HAS_CUT, {"cut": self.cut, "project": self.project_id})[0].has:
            found.append(
                f"of a longer text the first {MOST_TEXT:,} characters are searched"
            )
        # Kept messages alone wait for the projector: they stand in compressed bodies.
        lag = measure_lag()
        if lag.oldest and lag.seconds(timezone.now()) > SECONDS_SAID:
            found.append(
                "words of messages that were kept with a version since "
                f"{lag.oldest:%Y-%m-%d %H:%M:%S} UTC are not indexed yet"
            )
        return found

    def require_words(self) -> None:
        """Raises: InvalidRequest for a text without a word."""
        if not self.has_words:
            raise InvalidRequest(f"There is no word in {self.clause.text}.", param="q")

    def _among(self, ids: Sequence[str]) -> set[str]:
        asked = {**self.asked, "ids": list(ids)}
        return {row.id for row in sql.rows(_AMONG, asked)}

    def _is_met_soon(self, before: str | None) -> bool:
        if not COMMON < self.count <= TOO_COMMON:
            return self.count > TOO_COMMON
        newest = ids_where({"project_id": self.project_id}, before, PEEKED)
        return len(self._among(newest)) * 10 >= len(newest)

    def _estimate(self) -> int:
        (row,) = sql.rows(_ESTIMATE, self.asked)
        plan: Any = row[0]
        if isinstance(plan, str | bytes):
            plan = json.parse(plan if isinstance(plan, bytes) else plan.encode())
        return int(plan[0]["Plan"]["Plan Rows"])
