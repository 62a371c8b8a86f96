"""Makes a condition of each clause: which index answers it, or that there is none."""

from __future__ import annotations

from datetime import datetime
from functools import singledispatchmethod

from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.audit.models import Event
from apps.timeline.ledger.facts import index
from apps.timeline.ledger.facts.reasons import REASONED_OPS
from apps.timeline.ledger.facts.tags import SearchTag
from apps.timeline.models import Session
from apps.timeline.querysets import UNREVIEWED
from apps.timeline.search import clauses, index_scan
from apps.timeline.search.clauses import Clause, When
from apps.timeline.search.conditions.base import (
    Column,
    Condition,
    Listed,
    TagCondition,
)
from apps.timeline.search.conditions.combining import NoneOf, OneOf
from apps.timeline.search.conditions.holding import Now
from apps.timeline.search.conditions.past import ChangedAt, Ever, require_searchable
from apps.timeline.search.conditions.ranging import Ranged
from apps.timeline.search.conditions.wording import Wording
from apps.timeline.search.index_scan import IndexScan
from apps.timeline.search.planning.free_terms import free_term, tag_scan
from apps.timeline.search.planning.statements import (
    FLAGGED,
    LABELLED,
    NAMED,
    ROLLBACKS,
    SAID,
    TRACED,
    UNREASONED,
)
from apps.timeline.search.sessions.properties import (
    Child,
    Created,
    Judged,
    NamedAs,
    NoMatch,
    One,
    TaggedSession,
    TracedEvent,
    is_between,
)
from apps.timeline.search.sessions.standing import StandingIs
from apps.timeline.search.sessions.working import Has, HasTask, HasUsed, OfHead
from apps.timeline.search.states import States
from apps.timeline.words import Standing, Status

# How a session may stand, and the tag of all that may.
MARKED = {
    Standing.ROLLED: SearchTag.ROLLED_BACK,
    Standing.FORKED: SearchTag.FORKED,
}


class Planner:
    """Makes the conditions of one search; they share what they decode."""

    def __init__(self, scope: Scope, states: States, now: datetime) -> None:
        self.scope = scope
        self.now = now
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
        return free_term(clause, self.scope, self.key, self.states)

    @condition.register
    def _(self, clause: clauses.Within) -> Condition:
        return Ranged(clause, self.key, self.states)

    @condition.register
    def _(self, clause: clauses.Without) -> Condition:
        return NoneOf(clause, self.condition(clause.clause), self.states)

    @condition.register
    def _(self, clause: clauses.AnyOf) -> Condition:
        some = [self.condition(one) for one in clause.clauses]
        return OneOf(clause, some, self.states)

    @condition.register
    def _(self, clause: clauses.VersionSays) -> Condition:
        tag, query = SAID[clause.field]
        return self._tagged(clause, tag, clause.field.value, query, clause.value)

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
            self.scope,
            clause,
            self._scan(SearchTag.EXTERNAL, clause.external_id),
            NAMED,
        )

    @condition.register
    def _(self, clause: clauses.RolledBack) -> Condition:
        if clause.wanted:
            return self._tagged(
                clause, SearchTag.ROLLED_BACK, "rollback", ROLLBACKS, ""
            )
        return Column(clause, "rolled_back", lambda one: one.rollback_count == 0)

    @condition.register
    def _(self, clause: clauses.Unreasoned) -> Condition:
        ops = [clause.op] if clause.op else sorted(REASONED_OPS)
        keys = [index.tag_key(self.key, SearchTag.UNREASONED, one) for one in ops]
        scan = IndexScan([index_scan.tagged(keys)])
        return TagCondition(clause, "unreasoned", scan, UNREASONED, clause.op)

    @condition.register
    def _(self, clause: clauses.Forked) -> Condition:
        if clause.wanted:
            return TaggedSession(clause, "forked", self._scan(SearchTag.FORKED))
        return Column(clause, "forked", lambda one: one.origin_session_id is None)

    @condition.register
    def _(self, clause: clauses.StatusIs) -> Condition:
        wanted = clause.status
        if wanted != Status.PAUSED:
            return NoMatch(
                clause, "deleted and expired sessions are not searched, only live ones"
            )
        columns = {"project_id": self.scope.project.id, "status": wanted}
        return Listed(clause, "status", lambda one: one.status == wanted, columns)

    @condition.register
    def _(self, clause: clauses.StandsAs) -> Condition:
        tag = MARKED.get(Standing(clause.standing))
        marked = None if tag is None else self._scan(tag)
        return StandingIs(clause, self.scope.project.id, marked)

    @condition.register
    def _(self, clause: clauses.ReviewedAs) -> Condition:
        kept = Session.objects.of_project(self.scope.project.id)
        kept = kept.reviewed(clause.review)
        # Most are not reviewed: nothing lists those apart.
        listed = None if clause.review == UNREVIEWED else kept
        return Judged(clause, "review", kept, listed)

    @condition.register
    def _(self, clause: clauses.Scored) -> Condition:
        every = Session.objects.of_project(self.scope.project.id)
        # The index lists what has any score, and not how one compares.
        listed = every.filter(scores__isnull=False)
        return Judged(clause, "score", every.scored(clause.wanted), listed)

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
            lambda one: is_between(one.updated_at, clause.after, clause.before),
            notice="there is no index of when sessions were last written: "
            "the newest sessions were looked through",
        )

    @condition.register
    def _(self, clause: clauses.SchemaIs) -> Condition:
        ((path, value),) = index.shaped(self.key, clause.schema).items()
        held = [index_scan.held_at(path, [value])] if value else []
        return OfHead(clause, "schema", IndexScan(held))

    @condition.register
    def _(self, clause: clauses.TaskIs) -> Condition:
        return HasTask(clause, self.key)

    @condition.register
    def _(self, clause: clauses.UsedWithin) -> Condition:
        return HasUsed(clause)

    @condition.register
    def _(self, clause: clauses.Marked) -> Condition:
        return Has(clause, self.now)

    def _trace(self, clause: clauses.TraceIs) -> TagCondition:
        scan = self._scan(SearchTag.TRACE, clause.trace_id)
        return TagCondition(clause, "trace", scan, TRACED, clause.trace_id)

    def _tagged(
        self, clause: Clause, tag: SearchTag, where: str, query: str, name: str
    ) -> Condition:
        return TagCondition(clause, where, self._scan(tag, name), query, name)

    def _scan(self, tag: SearchTag, name: str = "") -> IndexScan:
        return tag_scan(self.key, tag, name)
