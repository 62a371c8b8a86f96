"""How a bare term is answered: by all that people may mean by it."""

from __future__ import annotations

from apps.agents.scope import Scope
from apps.diffs.readers import reader
from apps.timeline.ledger.facts import index
from apps.timeline.ledger.facts.tags import SearchTag
from apps.timeline.search import index_scan
from apps.timeline.search.clauses import FreeTerm, Holds, Match, When
from apps.timeline.search.conditions.bare import Bare, InTexts, Seen
from apps.timeline.search.conditions.base import Condition
from apps.timeline.search.conditions.holding import Now
from apps.timeline.search.conditions.identifying import Identified
from apps.timeline.search.conditions.past import EverNamed
from apps.timeline.search.conditions.tracing import NAMINGS, Acts, Given, VersionNames
from apps.timeline.search.conditions.wording import Wording
from apps.timeline.search.index_scan import IndexScan
from apps.timeline.search.planning.statements import REASONED, TRACED
from apps.timeline.search.states import States


def tag_scan(key: bytes, tag: SearchTag, name: str = "") -> IndexScan:
    """Return the scan of the sessions that have a tag."""
    return IndexScan([index_scan.tagged([index.tag_key(key, tag, name)])])


def free_term(clause: FreeTerm, scope: Scope, key: bytes, states: States) -> Condition:
    """Return how a bare term is answered to whoever asks."""
    if reader() is not None:
        return _seen(clause, scope, key, states)
    ever = EverNamed(_value(clause, When.EVER), key, states)
    texts = InTexts(clause, Wording(clause, scope.project.id), ever)
    reason = tag_scan(key, SearchTag.REASON, clause.term)
    ids = [
        Identified(clause, scope),
        *(VersionNames(clause, key, naming) for naming in NAMINGS),
        Acts(clause, scope),
        _traced(clause, key),
        Given(clause, "reason", reason, REASONED, clause.term),
    ]
    return Bare(clause, ids, texts)


def _seen(clause: FreeTerm, scope: Scope, key: bytes, states: States) -> Condition:
    """Return how a bare term is answered to whoever is not shown everything.

    A value counts where it stands in a head as they see it; of ids and names none
    is found by its beginning.
    """
    return Seen(
        clause,
        [
            _traced(clause, key),
            Acts(clause, scope),
            Now(_value(clause, When.NOW), key, states),
        ],
    )


def _value(clause: FreeTerm, when: When) -> Holds:
    return Holds(
        text=clause.text,
        when=when,
        pointer=None,
        value=clause.term,
        match=Match.EITHER,
    )


def _traced(clause: FreeTerm, key: bytes) -> Given:
    trace = tag_scan(key, SearchTag.TRACE, clause.term)
    return Given(clause, "trace", trace, TRACED, clause.term)
