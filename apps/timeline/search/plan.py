"""Makes a condition of each clause: which index answers it, or that there is none."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import singledispatchmethod

from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.audit.models import Event
from apps.core import keyset, sql
from apps.timeline.ledger.facts import index
from apps.timeline.ledger.facts.index import SearchTag
from apps.timeline.models import SessionName
from apps.timeline.querysets import id_bounds
from apps.timeline.search import clauses, index_scan
from apps.timeline.search.bare import Bare, InTexts
from apps.timeline.search.clauses import Clause, Holds, Match, When
from apps.timeline.search.conditions import (
    Candidate,
    Column,
    Condition,
    Hit,
    Hits,
    Listed,
    TagCondition,
)
from apps.timeline.search.holding import Now
from apps.timeline.search.identifying import Identified
from apps.timeline.search.index_scan import IndexScan
from apps.timeline.search.past import ChangedAt, Ever, require_searchable
from apps.timeline.search.states import States
from apps.timeline.search.tracing import Acts, Given, VersionNames
from apps.timeline.search.wording import Wording
from apps.timeline.versions import families
from apps.timeline.words import Status


def _versions(where: str) -> str:
    return f"""
SELECT v.number FROM timeline_version v
 WHERE v.session_id = w.id AND {where}
   AND {keyset.below("v.number")}
 ORDER BY v.number DESC LIMIT %(limit)s"""  # noqa: S608


# `name` stands in each, so that they take the same parameters.
FLAGGED = _versions("v.flags @> jsonb_build_array(%(name)s::text)")
ROLLBACKS = _versions(
    "v.restored_number IS NOT NULL AND v.op = 'rollback' AND %(name)s::text IS NOT NULL"
)
NAMED = _versions("v.external_id = %(name)s::text")
TRACED = f"""
SELECT DISTINCT number FROM (
    SELECT v.number FROM timeline_version v
     WHERE v.session_id = w.id AND v.trace_id = %(name)s::text
     UNION ALL
    SELECT t.head_number FROM timeline_turn t
     WHERE t.session_id = w.id AND t.trace_id = %(name)s::text) found
 WHERE {keyset.below("number")}
 ORDER BY number DESC LIMIT %(limit)s"""  # noqa: S608
LABELLED = f"""
SELECT l.number FROM timeline_label l
 WHERE l.session_id = w.id AND l.name = %(name)s::text
   AND {keyset.below("l.number")}
 ORDER BY l.number DESC LIMIT %(limit)s"""  # noqa: S608


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
        self, scope: Scope, clause: clauses.ExternalId, scan: IndexScan
    ) -> None:
        super().__init__(clause, "external_id", scan, NAMED, clause.external_id)
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
             WHERE s.project_id = %(project)s
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
        return _between(one.created_at, self.after, self.before)


class Planner:
    """Makes the conditions of one search; they share what they decode."""

    def __init__(self, scope: Scope, states: States) -> None:
        self.scope = scope
        self.states = states
        self.key = bytes(scope.project.index_key)

    @singledispatchmethod
    def condition(self, clause: Clause) -> Condition:
        """Return how a clause is answered.

        Raises: InvalidRequest for one that cannot be.
        """
        raise TypeError(f"no such clause: {clause!r}")

    @condition.register
    def _(self, clause: clauses.Holds) -> Condition:
        kind = Now if clause.when is When.NOW else Ever
        found = kind(clause, self.key, self.states)
        require_searchable(clause, found)
        return found

    @condition.register
    def _(self, clause: clauses.Changed) -> Condition:
        return ChangedAt(clause, self.key, self.states)

    @condition.register
    def _(self, clause: clauses.Words) -> Condition:
        found = Wording(clause, self.scope.project.id)
        found.require_words()
        return found

    @condition.register
    def _(self, clause: clauses.FreeTerm) -> Condition:
        value = Holds(
            text=clause.text,
            when=When.EVER,
            pointer=None,
            value=clause.term,
            match=Match.EITHER,
        )
        ever = Ever(value, self.key, self.states)
        texts = InTexts(clause, Wording(clause, self.scope.project.id), ever)
        trace = self._scan(SearchTag.TRACE, clause.term)
        ids = [
            Identified(clause, self.scope),
            VersionNames(clause, self.key),
            Acts(clause, self.scope),
            Given(clause, "trace", trace, TRACED, clause.term),
        ]
        return Bare(clause, ids, texts)

    @condition.register
    def _(self, clause: clauses.Flag) -> Condition:
        return self._tagged(clause, SearchTag.FLAG, "flag", FLAGGED, clause.name)

    @condition.register
    def _(self, clause: clauses.LabelIs) -> Condition:
        return self._tagged(clause, SearchTag.LABEL, "label", LABELLED, clause.name)

    @condition.register
    def _(self, clause: clauses.TraceIs) -> Condition:
        event = Event.objects.filter(
            id=clause.trace_id, project_id=self.scope.project.id
        ).first()
        if event is not None and event.number is not None:
            return TracedEvent(clause, event.stream_id, self._trace(clause))
        return self._trace(clause)

    @condition.register
    def _(self, clause: clauses.ExternalId) -> Condition:
        return NamedAs(
            self.scope, clause, self._scan(SearchTag.EXTERNAL, clause.external_id)
        )

    @condition.register
    def _(self, clause: clauses.RolledBack) -> Condition:
        if clause.wanted:
            return self._tagged(
                clause, SearchTag.ROLLED_BACK, "rollback", ROLLBACKS, ""
            )
        return Column(clause, "rolled_back", lambda one: one.rollback_count == 0)

    @condition.register
    def _(self, clause: clauses.Forked) -> Condition:
        if clause.wanted:
            return TaggedSession(clause, "forked", self._scan(SearchTag.FORKED))
        return Column(clause, "forked", lambda one: one.origin_session_id is None)

    @condition.register
    def _(self, clause: clauses.StatusIs) -> Condition:
        wanted = clause.status
        if wanted not in (Status.ACTIVE, Status.PAUSED, Status.CLOSED):
            return NoMatch(
                clause, "deleted and expired sessions are not searched, only live ones"
            )

        def has(one: Candidate) -> bool:
            return one.status == wanted

        if wanted == Status.ACTIVE:
            return Column(clause, "status", has)
        columns = {"project_id": self.scope.project.id, "status": wanted}
        return Listed(clause, "status", has, columns)

    @condition.register
    def _(self, clause: clauses.AgentIs) -> Condition:
        agent = Agent.objects.filter(
            project_id=self.scope.project.id, external_id=clause.name
        ).first()
        columns = {
            "project_id": self.scope.project.id,
            "agent_id": agent.id if agent else "",
        }
        return Listed(clause, "agent", lambda one: one.agent == clause.name, columns)

    @condition.register
    def _(self, clause: clauses.UserIs) -> Condition:
        columns = {"project_id": self.scope.project.id, "user_id": clause.user_id}
        return Listed(
            clause, "user", lambda one: one.user_id == clause.user_id, columns
        )

    @condition.register
    def _(self, clause: clauses.SessionIs) -> Condition:
        return One(clause, "session", clause.session_id)

    @condition.register
    def _(self, clause: clauses.ChildOf) -> Condition:
        return Child(clause, self.scope)

    @condition.register
    def _(self, clause: clauses.CreatedBetween) -> Condition:
        return Created(clause, self.scope)

    @condition.register
    def _(self, clause: clauses.UpdatedBetween) -> Condition:
        return Column(
            clause,
            "updated_at",
            lambda one: _between(one.updated_at, clause.after, clause.before),
            notice="there is no index of when sessions were last written: "
            "the newest sessions were looked through",
        )

    def _trace(self, clause: clauses.TraceIs) -> TagCondition:
        scan = self._scan(SearchTag.TRACE, clause.trace_id)
        return TagCondition(clause, "trace", scan, TRACED, clause.trace_id)

    def _tagged(
        self, clause: Clause, tag: SearchTag, where: str, query: str, name: str
    ) -> Condition:
        return TagCondition(clause, where, self._scan(tag, name), query, name)

    def _scan(self, tag: SearchTag, name: str = "") -> IndexScan:
        return IndexScan([index_scan.tagged([index.tag_key(self.key, tag, name)])])


class TaggedSession(TagCondition):
    """A tag of the session as a whole, not of one of its versions."""

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


def _between(moment: datetime, after: datetime | None, before: datetime | None) -> bool:
    return (after is None or moment > after) and (before is None or moment < before)
