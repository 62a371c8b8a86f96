"""Statements on tables of sessions say of which kind they are.

Such tables can be distributed by session. Where they are, a statement that names the
session by one parameter, for every table and in every subquery, is one node's and may
use all of SQL; one over many sessions has to be flat, so that each node can answer for
itself. PostgreSQL alone does not care. The test suite records what is run and holds it
to what it says here; the rules stand in `tests/statements/kinds.py`.
"""

from __future__ import annotations


class Statement(str):
    """The text of a statement of one of the kinds. What is made of it says so anew."""

    __slots__ = ()


class OfSession(Statement):
    """Of one session: `h.session_id = %(session)s` in every arm, never `= s.id`."""

    __slots__ = ()


class Across(Statement):
    """Across sessions: one table, or tables joined on the session; LIMIT outermost."""

    __slots__ = ()


def of_session(text: str) -> OfSession:
    """Say that a statement is of the session that its parameter names."""
    return OfSession(text)


def across(text: str) -> Across:
    """Say that a statement is across sessions, and flat."""
    return Across(text)


def of_same_kind(text: str, other: str) -> str:
    """Return the text as a statement of another's kind, if that is of one."""
    return type(other)(text) if isinstance(other, Statement) else text
