"""Makes a condition of each clause: which index answers it, or that there is none."""

from __future__ import annotations

from functools import singledispatchmethod

from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.audit.models import Event
from apps.core import keyset
from apps.diffs.readers import reader
from apps.timeline.ledger.facts import index
from apps.timeline.ledger.facts.index import SearchTag
from apps.timeline.ledger.facts.reasons import REASONED_OPS
from apps.timeline.models import Session
from apps.timeline.querysets import UNREVIEWED
from apps.timeline.search import clauses, index_scan
from apps.timeline.search.bare import Bare, InTexts, Seen
from apps.timeline.search.clauses import Clause, Field, Holds, Match, When
from apps.timeline.search.combining import NoneOf, OneOf
from apps.timeline.search.conditions import (
    Column,
    Condition,
    Listed,
    TagCondition,
)
from apps.timeline.search.holding import Now
from apps.timeline.search.identifying import Identified
from apps.timeline.search.index_scan import IndexScan
from apps.timeline.search.past import ChangedAt, Ever, EverNamed, require_searchable
from apps.timeline.search.ranging import Ranged
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
from apps.timeline.search.states import States
from apps.timeline.search.tracing import NAMINGS, Acts, Given, VersionNames
from apps.timeline.search.wording import Wording
from apps.timeline.words import Standing, Status


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
REASONED = _versions("v.reason_code = %(name)s::text")
# As `ledger/facts/reasons.py` has it.
UNREASONED = _versions(
    r"v.op IN ('update', 'replace', 'turn', 'rollback') AND v.undo_of IS NULL"
    r" AND btrim(coalesce(v.reasoning, ''), E' \t\n\r\x0b\x0c') = ''"
    " AND %(name)s::text IN ('', v.op)"
)
# How a session may stand, and the tag of all that may.
MARKED = {
    Standing.ROLLED: SearchTag.ROLLED_BACK,
    Standing.FORKED: SearchTag.FORKED,
}
# What versions say of themselves: the tag of their sessions, and who they are.
SAID = {
    Field.RELEASE: (SearchTag.RELEASE, _versions("v.release = %(name)s::text")),
    Field.MODEL: (SearchTag.MODEL, _versions("v.model = %(name)s::text")),
    Field.STEP: (SearchTag.STEP, _versions("v.step_number::text = %(name)s::text")),
    Field.OBJECTIVE: (
        SearchTag.OBJECTIVE,
        _versions("v.objective_status = %(name)s::text"),
    ),
    Field.REASON: (SearchTag.REASON, REASONED),
    Field.OP: (SearchTag.OP, _versions("v.op = %(name)s::text")),
}
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
        if reader() is not None:
            return self._seen(clause)
        value = Holds(
            text=clause.text,
            when=When.EVER,
            pointer=None,
            value=clause.term,
            match=Match.EITHER,
        )
        ever = EverNamed(value, self.key, self.states)
        texts = InTexts(clause, Wording(clause, self.scope.project.id), ever)
        trace = self._scan(SearchTag.TRACE, clause.term)
        reason = self._scan(SearchTag.REASON, clause.term)
        ids = [
            Identified(clause, self.scope),
            *(VersionNames(clause, self.key, naming) for naming in NAMINGS),
            Acts(clause, self.scope),
            Given(clause, "trace", trace, TRACED, clause.term),
            Given(clause, "reason", reason, REASONED, clause.term),
        ]
        return Bare(clause, ids, texts)

    def _seen(self, clause: clauses.FreeTerm) -> Condition:
        """Return how a bare term is answered to whoever is not shown everything.

        A value counts where it stands in a head as they see it; of ids and names none
        is found by its beginning.
        """
        value = Holds(
            text=clause.text,
            when=When.NOW,
            pointer=None,
            value=clause.term,
            match=Match.EITHER,
        )
        trace = self._scan(SearchTag.TRACE, clause.term)
        return Seen(
            clause,
            [
                Given(clause, "trace", trace, TRACED, clause.term),
                Acts(clause, self.scope),
                Now(value, self.key, self.states),
            ],
        )

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

    def _trace(self, clause: clauses.TraceIs) -> TagCondition:
        scan = self._scan(SearchTag.TRACE, clause.trace_id)
        return TagCondition(clause, "trace", scan, TRACED, clause.trace_id)

    def _tagged(
        self, clause: Clause, tag: SearchTag, where: str, query: str, name: str
    ) -> Condition:
        return TagCondition(clause, where, self._scan(tag, name), query, name)

    def _scan(self, tag: SearchTag, name: str = "") -> IndexScan:
        return IndexScan([index_scan.tagged([index.tag_key(self.key, tag, name)])])
