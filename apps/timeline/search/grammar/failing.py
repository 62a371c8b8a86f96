"""Searches for what fails a check: only where a search can ask for just that.

A search is a list of terms of which each may be several with OR, and any be left out;
so is what fails a check, if each of its tests is one that a search knows.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from itertools import product
from typing import Any, TypeAlias

from apps.checks import Check, pointers_of
from apps.checks.model import (
    All,
    AnyOf,
    Compared,
    Comparison,
    Literal,
    Not,
    OneOf,
    Place,
    Root,
)
from apps.core.errors import InvalidRequest
from apps.timeline.search.clauses import AnyOf as AnyClause
from apps.timeline.search.clauses import (
    Changed,
    Clause,
    Holds,
    Match,
    Query,
    Scalar,
    When,
    Within,
    Without,
)
from apps.timeline.search.grammar.language import MOST_TERMS, parse_query
from apps.timeline.search.grammar.writing import write_query

# All of these hold; of each, one does.
Terms: TypeAlias = list[tuple[Clause, ...]]


def failing(check: Check, *, now: datetime) -> str | None:
    """Return the search for sessions whose head fails a check; None: there is none."""
    terms = _terms(check, wanted=False)
    return None if terms is None else _written(terms, now)


def changing(check: Check, *, now: datetime) -> str | None:
    """Return the search for sessions that ever changed what a check looks at."""
    pointers = pointers_of(check)
    if not pointers or "" in pointers:
        return None
    return _written([tuple(Changed(text="", pointer=one) for one in pointers)], now)


def _written(terms: Terms, now: datetime) -> str | None:
    clauses = (
        one[0] if len(one) == 1 else AnyClause(text="", clauses=one) for one in terms
    )
    text = write_query(Query(tuple(clauses)))
    try:
        parse_query(text, now=now)
    except InvalidRequest:
        # It would be too long, or hold what cannot be searched for.
        return None
    return text


def _terms(check: Check, *, wanted: bool) -> Terms | None:
    """Return what makes a check hold, or fail; None where a search cannot say it."""
    if isinstance(check, Not):
        return _terms(check.check, wanted=not wanted)
    if isinstance(check, (All, AnyOf)):
        found = [_terms(one, wanted=wanted) for one in check.checks]
        known = [one for one in found if one is not None]
        if len(known) < len(found):
            return None
        return _both(known) if isinstance(check, All) is wanted else _either(known)
    clauses = _TESTS[type(check)](check) if type(check) in _TESTS else None
    if clauses is None:
        return None
    if wanted:
        return [clauses]
    return [(Without(text="", clause=one),) for one in clauses]


def _both(several: list[Terms]) -> Terms | None:
    terms = [one for each in several for one in each]
    return terms if len(terms) <= MOST_TERMS else None


def _either(several: list[Terms]) -> Terms | None:
    """Return terms of which each has one of each: more of them than there were."""
    terms: Terms = [()]
    for each in several:
        if len(terms) * len(each) > MOST_TERMS:
            return None
        terms = [(*one, *other) for one, other in product(terms, each)]
    return terms


def _compared(check: Compared) -> tuple[Clause, ...] | None:
    left, right = check.left, check.right
    if not isinstance(left, Place) or not isinstance(right, Literal):
        return None
    if not _is_below_state(left):
        return None
    if check.comparison is Comparison.EQUAL:
        return (_holds(left, right.value),)
    number = right.value
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        # Ranges are of numbers alone.
        return None
    is_above = check.comparison in (Comparison.MORE, Comparison.AT_LEAST)
    return (
        Within(
            text="",
            pointer=left.pointer,
            low=number if is_above else None,
            high=None if is_above else number,
            excludes=check.comparison in (Comparison.MORE, Comparison.LESS),
        ),
    )


def _one_of(check: OneOf) -> tuple[Clause, ...] | None:
    if not _is_below_state(check.place):
        return None
    return tuple(_holds(check.place, one) for one in check.values)


def _holds(place: Place, value: Scalar) -> Clause:
    return Holds(
        text="", when=When.NOW, pointer=place.pointer, value=value, match=Match.EXACT
    )


def _is_below_state(place: Place) -> bool:
    return place.root is Root.STATE and place.pointer != ""


_TESTS: dict[type, Callable[[Any], tuple[Clause, ...] | None]] = {
    Compared: _compared,
    OneOf: _one_of,
}
