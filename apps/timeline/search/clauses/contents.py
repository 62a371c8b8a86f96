"""Clauses about what states hold, and what was said."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from apps.timeline.search.clauses.base import Clause, Scalar


class When(StrEnum):
    """Whether a value is asked for in the head, or in any version there ever was."""

    NOW = "now"
    EVER = "ever"


class Match(StrEnum):
    """How the type of a value counts.

    `EXACT`: by the JSON type, 17 is not "17" (17 and 17.0 are one number). `EITHER`:
    17 finds the number and the text "17"; true and null likewise.
    """

    EXACT = "exact"
    EITHER = "either"


@dataclass(frozen=True, kw_only=True, slots=True)
class Holds(Clause):
    """The state holds this whole value at a pointer (RFC 6901), or anywhere (None)."""

    when: When
    pointer: str | None
    value: Scalar
    match: Match


@dataclass(frozen=True, kw_only=True, slots=True)
class Within(Clause):
    """The head holds a number at a pointer, between two; None leaves a side open.

    A side that `excludes` its end leaves that number itself out.
    """

    pointer: str
    low: int | float | None
    high: int | float | None
    excludes: bool = False

    def has(self, number: int | float) -> bool:
        """Say whether a number lies there."""
        if number in (self.low, self.high):
            return not self.excludes
        return (self.low is None or number > self.low) and (
            self.high is None or number < self.high
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Changed(Clause):
    """Some version but the first changed what this pointer names, or what is below."""

    pointer: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Words(Clause):
    """All these words stand in one reasoning, turn or label."""

    words: str


@dataclass(frozen=True, kw_only=True, slots=True)
class FreeTerm(Clause):
    """A bare term: words somewhere, or a whole value held now or ever."""

    term: str
