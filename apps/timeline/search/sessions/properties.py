"""Conditions on what a session is: its ids, its family, when it began, its status."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from apps.agents.scope import Scope
from apps.core import keyset, sql
from apps.timeline.models import SessionName
from apps.timeline.querysets import SessionQuerySet, id_bounds
from apps.timeline.search import clauses
from apps.timeline.search.clauses import Clause
from apps.timeline.search.conditions.base import (
    Candidate,
    Column,
    Condition,
    Hit,
    Hits,
    TagCondition,
)
from apps.timeline.search.index_scan import IndexScan
from apps.timeline.versions import families


class One(Column):
    """A session that is named, or none."""

    def __init__(self, clause: Clause, where: str, session_id: str | None) -> None:
        super().__init__(clause, where, lambda one: one.id == session_id)
        self.session_id = session_id

    def candidates(self, before: str | None, limit: int) -> list[str] | None:
        if self.session_id is None or (before and self.session_id >= before):
            return []
        return [self.session_id]


class Child(Column):
    """A session whose metadata names another as its parent."""

    def __init__(self, clause: clauses.ChildOf, scope: Scope) -> None:
        super().__init__(clause, "parent", lambda one: False)
        self.parent_id = clause.parent_id
        self.project_id = scope.project.id

    def candidates(self, before: str | None, limit: int) -> list[str] | None:
        return families.children(
            self.project_id, self.parent_id, before=before, limit=limit
        )

    def among(self, sessions: Sequence[Candidate]) -> set[str]:
        return families.children_among(self.parent_id, [one.id for one in sessions])


class NamedAs(TagCondition):
    """A session or a version with an external id."""

    def __init__(
        self, scope: Scope, clause: clauses.ExternalId, scan: IndexScan, query: str
    ) -> None:
        super().__init__(clause, "external_id", scan, query, clause.external_id)
        known = SessionName.objects.filter(
            project_id=scope.project.id, external_id=clause.external_id
        ).first()
        self.session_id = known.session_id if known else None

    def candidates(self, before: str | None, limit: int) -> list[str] | None:
        found = self.scan.below(before, limit)
        mine = self.session_id
        if mine and mine not in found and (not before or mine < before):
            found = sorted([*found, mine], reverse=True)[:limit]
        return found

    def among(self, sessions: Sequence[Candidate]) -> set[str]:
        named = {one.id for one in sessions if one.id == self.session_id}
        return super().among(sessions) | named

    def hits(
        self, sessions: Sequence[Candidate], before: int | None, limit: int
    ) -> Hits:
        named = {
            one.id: [Hit(where=self.where, value=self.name)]
            for one in sessions
            if one.id == self.session_id
        }
        others = [one for one in sessions if one.id not in named]
        return {**super().hits(others, before, limit), **named}


class Created(Column):
    """When a session began; its id tells nearly the same, and is in order."""

    def __init__(self, clause: clauses.CreatedBetween, scope: Scope) -> None:
        super().__init__(clause, "created_at", self._is_within)
        self.after, self.before = clause.after, clause.before
        self.project_id = scope.project.id
        self.floor, self.ceiling = id_bounds(self.after, self.before)

    def candidates(self, before: str | None, limit: int) -> list[str] | None:
        found = sql.rows(
            """
            SELECT s.id FROM timeline_session s
             WHERE s.project_id = %(project)s AND s.kind = 'session'
               AND s.id < %(below)s::varchar AND s.id >= %(floor)s::varchar
             ORDER BY s.id DESC LIMIT %(limit)s
            """,
            {
                "project": self.project_id,
                "below": min(before or keyset.LAST_ID, self.ceiling),
                "floor": self.floor,
                "limit": limit,
            },
        )
        return [row.id for row in found]

    def _is_within(self, one: Candidate) -> bool:
        return is_between(one.created_at, self.after, self.before)


class Judged(Condition):
    """How a session went, as its newest review or score of a name says."""

    def __init__(
        self,
        clause: Clause,
        where: str,
        kept: SessionQuerySet,
        listed: SessionQuerySet | None,
    ) -> None:
        """Take the sessions that are kept, and those an index lists them among."""
        super().__init__(clause)
        self.where = where
        self.kept = kept
        self.listed = listed

    def candidates(self, before: str | None, limit: int) -> list[str] | None:
        if self.listed is None:
            return None
        found = self.listed.filter(id__lt=before) if before else self.listed
        return list(found.order_by("-id").values_list("id", flat=True)[:limit])

    def among(self, sessions: Sequence[Candidate]) -> set[str]:
        some = self.kept.filter(id__in=[one.id for one in sessions])
        return set(some.values_list("id", flat=True)[: len(sessions)])

    def hits(
        self, sessions: Sequence[Candidate], before: int | None, limit: int
    ) -> Hits:
        return {one.id: [Hit(where=self.where)] for one in sessions}


class TaggedSession(TagCondition):
    """A tag of the session as a whole, not of one of its versions."""

    tells_only_met = False

    def __init__(self, clause: Clause, where: str, scan: IndexScan) -> None:
        super().__init__(clause, where, scan, "", "")

    def hits(
        self, sessions: Sequence[Candidate], before: int | None, limit: int
    ) -> Hits:
        return {one.id: [Hit(where=self.where)] for one in sessions}


class TracedEvent(TagCondition):
    """A trace id that is an event's own, and perhaps was given elsewhere too."""

    def __init__(self, clause: Clause, session_id: str, given: TagCondition) -> None:
        super().__init__(clause, given.where, given.scan, given.query, given.name)
        self.session_id = session_id

    def candidates(self, before: str | None, limit: int) -> list[str] | None:
        found = self.scan.below(before, limit)
        if self.session_id not in found and (not before or self.session_id < before):
            found = sorted([*found, self.session_id], reverse=True)[:limit]
        return found

    def among(self, sessions: Sequence[Candidate]) -> set[str]:
        own = {one.id for one in sessions if one.id == self.session_id}
        return super().among(sessions) | own


class NoMatch(Column):
    """A clause that no session can meet; it says why."""

    def __init__(self, clause: Clause, notice: str) -> None:
        super().__init__(clause, "status", lambda one: False, notice=notice)

    def candidates(self, before: str | None, limit: int) -> list[str] | None:
        return []


def is_between(
    moment: datetime, after: datetime | None, before: datetime | None
) -> bool:
    return (after is None or moment > after) and (before is None or moment < before)
