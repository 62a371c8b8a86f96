"""Writes clauses the way `language.parse` reads them: for chips and saved searches.

A clause that was read is written as it was: `age<2h` goes on meaning the last two
hours. One that a program made is written from its values.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from apps.timeline.search.clauses import (
    AgentIs,
    AnyOf,
    Changed,
    ChildOf,
    Clause,
    CreatedBetween,
    ExternalId,
    Flag,
    Forked,
    FreeTerm,
    Holds,
    LabelIs,
    Marked,
    Match,
    Query,
    ReviewedAs,
    RolledBack,
    Scalar,
    SchemaIs,
    Scored,
    SessionIs,
    StandsAs,
    StatusIs,
    TaskIs,
    TraceIs,
    Unreasoned,
    UpdatedBetween,
    UsedWithin,
    UserIs,
    VersionSays,
    When,
    Within,
    Without,
    Words,
)
from apps.timeline.search.grammar import paths

_PLAIN = re.compile(r'[^\s"]\S*')


def write_query(query: Query) -> str:
    """Return a text that is read as this query."""
    return " ".join(clause.text or write_clause(clause) for clause in query.clauses)


def write_clause(clause: Clause) -> str:
    """Write one clause from its values."""
    return _WRITERS[type(clause)](clause)


def without_clause(query: Query, index: int) -> Query:
    """Return the query without one of its clauses."""
    return Query(query.clauses[:index] + query.clauses[index + 1 :])


def _plain(value: str) -> str:
    return value if _PLAIN.fullmatch(value) else _quoted(value)


def _quoted(value: Scalar) -> str:
    return json.dumps(value, ensure_ascii=False)


def _named(field: str, attribute: str) -> Callable[[Any], str]:
    return lambda clause: f"{field}:{_plain(getattr(clause, attribute))}"


def _answer(field: str) -> Callable[[Any], str]:
    return lambda clause: f"{field}:{'yes' if clause.wanted else 'no'}"


def _span(field: str) -> Callable[[Any], str]:
    return lambda clause: f"{field}:{_moment(clause.after)}..{_moment(clause.before)}"


def _moment(at: datetime | None) -> str:
    return "" if at is None else at.isoformat().replace("+00:00", "Z")


def _holds(clause: Holds) -> str:
    is_exact = clause.match is Match.EXACT
    if clause.pointer is None:
        place, operator = f"{clause.when.value}:", "=" if is_exact else ""
    else:
        before = "ever:" if clause.when is When.EVER else ""
        place, operator = (
            before + paths.written(clause.pointer),
            "=" if is_exact else ":",
        )
    if is_exact or not isinstance(clause.value, str):
        return f"{place}{operator}{_quoted(clause.value)}"
    # A text that could also be a number has to stay without quotes.
    return f"{place}{operator}{_plain(clause.value)}"


def _within(clause: Within) -> str:
    place = paths.written(clause.pointer)
    equal = "" if clause.excludes else "="
    if clause.low is not None and clause.high is not None:
        return f"{place}:{_quoted(clause.low)}..{_quoted(clause.high)}"
    if clause.low is not None:
        return f"{place}>{equal}{_quoted(clause.low)}"
    return f"{place}<{equal}{_quoted(clause.high)}"


def _task(clause: TaskIs) -> str:
    if not clause.name:
        return f"task:{clause.status}"
    # What is not quoted may be a status.
    named = f"task:{_quoted(clause.name)}"
    return f"{named}={clause.status}" if clause.status else named


def _used(clause: UsedWithin) -> str:
    unit = clause.currency or ""
    low, high = ("" if one is None else f"{one:f}" for one in (clause.low, clause.high))
    if clause.low is not None and clause.low == clause.high:
        return f"{clause.used.value}:{low}{unit}"
    if low and high:
        return f"{clause.used.value}:{low}..{high}{unit}"
    equal = "" if clause.excludes else "="
    return f"{clause.used.value}{'>' if low else '<'}{equal}{low or high}{unit}"


_WRITERS: dict[type[Clause], Callable[[Any], str]] = {
    AgentIs: _named("agent", "name"),
    UserIs: _named("user", "user_id"),
    LabelIs: _named("label", "name"),
    ExternalId: _named("external", "external_id"),
    SessionIs: _named("session", "session_id"),
    ChildOf: _named("parent", "parent_id"),
    TraceIs: _named("trace", "trace_id"),
    Words: lambda clause: f"words:{_quoted(clause.words)}",
    FreeTerm: lambda clause: _quoted(clause.term),
    Flag: _named("flag", "name"),
    StatusIs: _named("status", "status"),
    StandsAs: _named("status", "standing"),
    ReviewedAs: _named("review", "review"),
    Scored: lambda clause: f"score:{_plain(str(clause.wanted))}",
    RolledBack: _answer("rolled-back"),
    Unreasoned: lambda clause: "rolled-back:unreasoned" if clause.op else "reasoned:no",
    Forked: _answer("forked"),
    Changed: lambda clause: f"changed:{paths.written(clause.pointer)}",
    CreatedBetween: _span("created"),
    UpdatedBetween: _span("updated"),
    Holds: _holds,
    Within: _within,
    VersionSays: lambda clause: f"{clause.field.value}:{_plain(clause.value)}",
    Without: lambda clause: f"-{write_clause(clause.clause)}",
    SchemaIs: _named("schema", "schema"),
    TaskIs: _task,
    UsedWithin: _used,
    Marked: lambda clause: f"{clause.field}:{clause.value}",
    AnyOf: lambda clause: " OR ".join(map(write_clause, clause.clauses)),
}
