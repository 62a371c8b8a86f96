"""What apps above need of versions, hold by law, and keep of sessions and people.

Pins and legal holds are asked under the session's row lock, in the transaction that
deletes. What an app keeps it says as rows of a table and a condition: a removal and an
erasure delete by the condition by which a preview counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from apps.core import sql

# Given a session's id: versions that have to stay, and why.
Pins = Callable[[str], Mapping[int, str]]
# Given a session's id: why it is under a legal hold; None where it is not.
LegalHold = Callable[[str], str | None]
# Given a keyed document's id: the session and the person that it tells of, by the
# session's id and the caller's name for the person; None where it is of no such one.
Owner = Callable[[str], tuple[str | None, str | None] | None]
# Given a keyed document's id: versions at which all of it is to be read.
Moments = Callable[[str], Iterable[int]]
# Given the moment, and what is asked between two steps: whether to stop.
Urgent = Callable[[datetime, Callable[[], bool]], int]
_SET = "SELECT set_config('stepback.retention', %s, true)"
OF_SESSION = "h.session_id = %(session)s"
# Named by no part of a longer name, or a short name would empty whatever people wrote.
# Checks and searches escape backslashes and quotes, once more within JSON; chr(1)
# stands for a backslash while the other signs are quoted.
_KEPT = r"replace(%(user)s, '\', chr(1))"
_PLAIN = rf"regexp_replace({_KEPT}, '([][(){{}}.*+?^$|-])', '\\\1', 'g')"
_QUOTED = rf"""replace(replace({_PLAIN}, chr(1), '\\+'), '"', '\\*"')"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Leavings:
    """Rows of one table that speak of a session or of a person, called `what`.

    `where` names them as `h`, by the parameters `session` and `project`, or by
    `project`, `user` and `sessions`. They are removed or, where the row has to stay,
    `emptied` by these assignments, after which `where` no longer names them. Rows that
    tell of one version have its number in the column `number`, and go with it.
    """

    what: str
    table: str
    where: str = OF_SESSION
    emptied: str | None = None
    number: str | None = None

    def count(self, asked: Mapping[str, Any]) -> int:
        """Return how many rows there are."""
        text = f"SELECT count(*) AS n FROM {self.table} h WHERE {self.where}"  # noqa: S608
        return int(sql.rows(self._kind(text), dict(asked))[0].n)

    def read(self, asked: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the rows, for whom they speak of."""
        text = f"SELECT h.* FROM {self.table} h WHERE {self.where}"  # noqa: S608
        return [one._asdict() for one in sql.rows(self._kind(text), dict(asked))]

    def erase(self, asked: Mapping[str, Any]) -> int:
        """Remove or empty them, within the caller's transaction; return how many."""
        return self._erase(self.where, asked)

    def erase_range(self, session_id: str, first: int, last: int) -> int:
        """Remove those of versions between two numbers; return how many."""
        where = f"{self.where} AND h.{self.number} BETWEEN %(first)s AND %(last)s"
        return self._erase(where, {"session": session_id, "first": first, "last": last})

    def _erase(self, where: str, asked: Mapping[str, Any]) -> int:
        verb = "DELETE FROM" if self.emptied is None else "UPDATE"
        change = "" if self.emptied is None else f"SET {self.emptied}"
        text = f"""
        WITH gone AS ({verb} {self.table} h {change} WHERE {where} RETURNING 1)
        SELECT count(*) AS n FROM gone
        """  # noqa: S608
        return int(sql.rows(self._kind(text), dict(asked))[0].n)

    def _kind(self, text: str) -> str:
        is_of_session = self.table.startswith(("timeline_", "audit_"))
        return sql.of_session(text) if is_of_session else text


# By the app's name.
PINS: dict[str, Pins] = {}
LEGAL_HOLDS: dict[str, LegalHold] = {}
MOMENTS: dict[str, Moments] = {}
OWNERS: dict[str, Owner] = {}
# Of a session, in the order in which they go with it; children before parents.
SESSIONS: dict[str, Sequence[Leavings]] = {}
# Of a session and of a person: they outlive a policy's removal, and go in an erasure.
ERASED_SESSIONS: dict[str, Sequence[Leavings]] = {}
ERASED_PEOPLE: dict[str, Sequence[Leavings]] = {}
# What apps above have asked to be removed at once, done by who may remove: it does not
# wait for the hour of the policies. Returns how much of it is over.
URGENT: dict[str, Urgent] = {}
# Hold a certificate against the database: what does not hold, as sentences.
CERTIFICATES: dict[str, Callable[[bytes, str], list[str]]] = {}


def do_urgent(now: datetime, is_stopping: Callable[[], bool]) -> int:
    """Do what all apps have asked for; return how much of it is over."""
    return sum(do(now, is_stopping) for do in URGENT.values())


def pinned(session_id: str) -> dict[int, str]:
    """Return the versions that apps above need, each with one reason."""
    found: dict[int, str] = {}
    for pins in PINS.values():
        found |= pins(session_id)
    return found


def moments_kept(document_id: str) -> set[int]:
    """Return the versions of a keyed document that apps above keep readable."""
    return {number for kept in MOMENTS.values() for number in kept(document_id)}


def owner_of(document_id: str) -> tuple[str | None, str | None]:
    """Return the session and the person that a keyed document tells of, if any."""
    for owner in OWNERS.values():
        if (found := owner(document_id)) is not None:
            return found
    return None, None


def legal_hold(session_id: str) -> str | None:
    """Return why the session may lose nothing; None where it may."""
    for hold in LEGAL_HOLDS.values():
        if why := hold(session_id):
            return why
    return None


def leavings_of_sessions() -> Iterator[Leavings]:
    """Yield what all apps keep of one session."""
    for rows in SESSIONS.values():
        yield from rows


def leavings_of_erased_sessions() -> Iterator[Leavings]:
    """Yield what of one session goes in an erasure alone."""
    for rows in ERASED_SESSIONS.values():
        yield from rows


def leavings_of_people() -> Iterator[Leavings]:
    """Yield what all apps keep of a person, beside the histories."""
    for rows in ERASED_PEOPLE.values():
        yield from rows


def count_leavings(of: Iterator[Leavings], asked: Mapping[str, Any]) -> Counter[str]:
    """Return how many rows there are of each kind."""
    found: Counter[str] = Counter()
    for one in of:
        found[one.what] += one.count(asked)
    return +found


def within(text: str) -> str:
    """Return the SQL condition that a text has the person's name, however escaped."""
    return rf"position(replace(%(user)s, '\', '') in replace({text}, '\', '')) > 0"


def naming(what: str, table: str, column: str, emptied: str | None = None) -> Leavings:
    """Return the rows of the project in which a text names the person.

    `column` is SQL after `h.`, and may lead into JSON; `emptied` is an assignment, and
    without one the row goes.
    """
    named = f"'(^|[^[:alnum:]])' || {_QUOTED} || '($|[^[:alnum:]])'"
    return Leavings(
        what=what,
        table=table,
        where="h.project_id = %(project)s AND %(user)s <> ''"
        f" AND {within(f'h.{column}')} AND h.{column} ~ ({named})",
        emptied=emptied,
    )


def erase_leavings(of: Iterator[Leavings], asked: Mapping[str, Any]) -> Counter[str]:
    """Remove or empty them, within the caller's transaction; return how many."""
    gone: Counter[str] = Counter()
    with allowed():
        for one in of:
            gone[one.what] += one.erase(asked)
    return +gone


def erase_leavings_of(session_id: str, first: int, last: int) -> int:
    """Remove what apps keep of these versions alone; return how many rows."""
    numbered = (one for one in leavings_of_sessions() if one.number is not None)
    with allowed():
        return sum(one.erase_range(session_id, first, last) for one in numbered)


@contextmanager
def allowed() -> Iterator[None]:
    """Let the role of retention change history in the block.

    Raises: RuntimeError outside a transaction.
    """
    if not connection.in_atomic_block:
        raise RuntimeError("What is removed is removed within a transaction.")
    with connection.cursor() as cursor:
        cursor.execute(_SET, ["on"])
        yield
        cursor.execute(_SET, ["off"])
