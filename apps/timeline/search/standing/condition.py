"""The condition that a session stands as its row says, led by what may stand so."""

from __future__ import annotations

from collections.abc import Sequence

from apps.core import keyset, sql
from apps.timeline.search.clauses import StandsAs
from apps.timeline.search.conditions import (
    Candidate,
    Condition,
    Hit,
    Hits,
    ids_where,
    newest_of,
)
from apps.timeline.search.index_scan import IndexScan
from apps.timeline.search.standing.judging import standings
from apps.timeline.words import OpenKind, Outcome, Standing, Status

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
_SCORED = sql.across(f"""
SELECT s.id FROM timeline_session s
 WHERE s.project_id = %(project)s AND s.kind = 'session' AND s.scores IS NOT NULL
   AND {keyset.below_id("s.id")}
 ORDER BY s.id DESC LIMIT %(limit)s
""")  # noqa: S608


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


def _scored(before: str | None, limit: int, project_id: str) -> list[str]:
    """Return the next sessions that have any score, newest first."""
    asked = {"project": project_id, "before": before, "limit": limit}
    return [row.id for row in sql.rows(_SCORED, asked)]


def _newest_open(project_id: str, kind: OpenKind) -> list[str] | None:
    """Return the sessions with open items, newest session first; None: too many."""
    asked = {"project": project_id, "kind": kind.value, "limit": MOST_OPEN + 1}
    found = sql.rows(_NEWEST, asked)
    if len(found) > MOST_OPEN:
        return None
    return sorted({row.session_id for row in found}, reverse=True)
