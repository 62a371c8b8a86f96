"""Search: sessions and versions by what they hold, or held, in one query language."""

from apps.timeline.search.answering import (
    collect_sessions,
    count_sessions,
    search_sessions,
    search_versions,
)
from apps.timeline.search.clauses import (
    AgentIs,
    Clause,
    CreatedBetween,
    ExternalId,
    Field,
    Forked,
    FreeTerm,
    Query,
    ReviewedAs,
    RolledBack,
    StandsAs,
    StatusIs,
    TraceIs,
    UserIs,
    VersionSays,
)
from apps.timeline.search.conditions import Candidate, Hit
from apps.timeline.search.cursors import PLACE_PATTERN, place_of
from apps.timeline.search.grammar.failing import changing, failing
from apps.timeline.search.grammar.language import LONGEST_TEXT, parse_query
from apps.timeline.search.grammar.writing import (
    without_clause,
    write_clause,
    write_query,
)
from apps.timeline.search.sessions.standing import standings, stands_as
from apps.timeline.search.telling.explaining import Match, Result
from apps.timeline.search.telling.facets import releases

__all__ = [
    "LONGEST_TEXT",
    "PLACE_PATTERN",
    "AgentIs",
    "Candidate",
    "Clause",
    "CreatedBetween",
    "ExternalId",
    "Field",
    "Forked",
    "FreeTerm",
    "Hit",
    "Match",
    "Query",
    "Result",
    "ReviewedAs",
    "RolledBack",
    "StandsAs",
    "StatusIs",
    "TraceIs",
    "UserIs",
    "VersionSays",
    "changing",
    "collect_sessions",
    "count_sessions",
    "failing",
    "parse_query",
    "place_of",
    "releases",
    "search_sessions",
    "search_versions",
    "standings",
    "stands_as",
    "without_clause",
    "write_clause",
    "write_query",
]
