"""What clauses have in common, and how they are put together to a query."""

from __future__ import annotations

from dataclasses import dataclass

Scalar = str | int | float | bool | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Clause:
    """One condition; `text` is how it was written, for telling of it in an answer."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Without(Clause):
    """The session does not meet this clause."""

    clause: Clause


@dataclass(frozen=True, kw_only=True, slots=True)
class AnyOf(Clause):
    """The session meets at least one of these."""

    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class Query:
    """All of these hold. No clause at all asks for every session."""

    clauses: tuple[Clause, ...] = ()
