"""Search: sessions and versions by what they hold, or held, in one query language."""

from apps.timeline.search.answering import (
    Counted,
    collect_sessions,
    count_sessions,
    search_sessions,
    search_versions,
    searched_by,
)
from apps.timeline.search.clauses import (
    AgentIs,
    Clause,
    CreatedBetween,
    ExternalId,
    Field,
    Forked,
    FreeTerm,
    Marked,
    Query,
    ReviewedAs,
    RolledBack,
    SchemaIs,
    StandsAs,
    StatusIs,
    TaskIs,
    TraceIs,
    UsedWithin,
    UserIs,
    VersionSays,
)
from apps.timeline.search.conditions.base import Candidate, Hit
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
from apps.timeline.search.telling.working_facets import (
    Shared,
    by_cost,
    by_mark,
    by_task,
    schemas,
)

__all__ = [
    "LONGEST_TEXT",
    "PLACE_PATTERN",
    "AgentIs",
    "Candidate",
    "Clause",
    "Counted",
    "CreatedBetween",
    "ExternalId",
    "Field",
    "Forked",
    "FreeTerm",
    "Hit",
    "Marked",
    "Match",
    "Query",
    "Result",
    "ReviewedAs",
    "RolledBack",
    "SchemaIs",
    "Shared",
    "StandsAs",
    "StatusIs",
    "TaskIs",
    "TraceIs",
    "UsedWithin",
    "UserIs",
    "VersionSays",
    "by_cost",
    "by_mark",
    "by_task",
    "changing",
    "collect_sessions",
    "count_sessions",
    "failing",
    "parse_query",
    "place_of",
    "releases",
    "schemas",
    "search_sessions",
    "search_versions",
    "searched_by",
    "standings",
    "stands_as",
    "without_clause",
    "write_clause",
    "write_query",
]
