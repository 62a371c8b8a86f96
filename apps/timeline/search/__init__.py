"""Search: sessions and versions by what they hold, or held, in one query language."""

from apps.timeline.search.clauses import (
    AgentIs,
    Clause,
    CreatedBetween,
    ExternalId,
    FreeTerm,
    Query,
    StatusIs,
    TraceIs,
    UserIs,
)
from apps.timeline.search.conditions import Candidate, Hit
from apps.timeline.search.cursors import PLACE_PATTERN, place_of
from apps.timeline.search.explaining import Match, Result
from apps.timeline.search.finder import search_sessions, search_versions
from apps.timeline.search.grammar.language import LONGEST_TEXT, parse_query
from apps.timeline.search.grammar.writing import (
    without_clause,
    write_clause,
    write_query,
)

__all__ = [
    "LONGEST_TEXT",
    "PLACE_PATTERN",
    "AgentIs",
    "Candidate",
    "Clause",
    "CreatedBetween",
    "ExternalId",
    "FreeTerm",
    "Hit",
    "Match",
    "Query",
    "Result",
    "StatusIs",
    "TraceIs",
    "UserIs",
    "parse_query",
    "place_of",
    "search_sessions",
    "search_versions",
    "without_clause",
    "write_clause",
    "write_query",
]
