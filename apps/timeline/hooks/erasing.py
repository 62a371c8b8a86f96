"""What each app keeps of a session or of a person, for an erasure to count and remove.

An app says it as rows of a table and a condition, so that a preview counts by the very
condition by which an erasure removes. The history itself goes by the ledger.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.core import sql

OF_SESSION = "h.session_id = %(session)s"


@dataclass(frozen=True, kw_only=True, slots=True)
class Leavings:
    """Rows of one table that speak of a session or of a person, called `what`.

    `where` names them as `h`, by the parameters `session` and `project`, or by
    `project`, `user` and `sessions`. They are removed or, where the row has to stay,
    `emptied` by these assignments, after which `where` no longer names them.
    """

    what: str
    table: str
    where: str = OF_SESSION
    emptied: str | None = None

    def count(self, asked: Mapping[str, Any]) -> int:
        """Return how many rows there are."""
        text = f"SELECT count(*) AS n FROM {self.table} h WHERE {self.where}"  # noqa: S608
        return int(sql.rows(self._kind(text), dict(asked))[0].n)

    def erase(self, asked: Mapping[str, Any]) -> int:
        """Remove or empty them, within the caller's transaction; return how many."""
        verb = "DELETE FROM" if self.emptied is None else "UPDATE"
        change = "" if self.emptied is None else f"SET {self.emptied}"
        text = f"""
        WITH gone AS ({verb} {self.table} h {change} WHERE {self.where} RETURNING 1)
        SELECT count(*) AS n FROM gone
        """  # noqa: S608
        return int(sql.rows(self._kind(text), dict(asked))[0].n)

    def _kind(self, text: str) -> str:
        is_of_session = self.table.startswith(("timeline_", "audit_"))
        return sql.of_session(text) if is_of_session else text


# Hold a certificate against the database: what does not hold, as sentences.
CERTIFICATES: dict[str, Callable[[bytes, str], list[str]]] = {}
# By app, in the order in which they go.
SESSIONS: dict[str, Sequence[Leavings]] = {}
PEOPLE: dict[str, Sequence[Leavings]] = {}

_NAMES_IT = (
    "h.project_id = %(project)s"
    " AND position(convert_to(%(session)s, 'UTF8') in h.body) > 0"
)
# Of a row that stays, the record keeps what it is held against.
_OF_ROW = "(h.details -> 'row' ->> 'key')"
_ROW_GOES = f"""(NOT h.details ? 'row' OR {_OF_ROW} = ANY(%(sessions)s)
       OR split_part({_OF_ROW}, ' ', 1) = ANY(%(sessions)s))"""
_CONCERNS = f"""(h.resource_id = ANY(%(sessions)s)
       OR h.details ->> 'session_id' = ANY(%(sessions)s)
       OR split_part({_OF_ROW}, ' ', 1) = ANY(%(sessions)s))"""

# Of the apps below.
SESSIONS["accounts"] = (
    Leavings(what="request_keys", table="accounts_storedanswer", where=_NAMES_IT),
)
SESSIONS["audit"] = (
    Leavings(what="messages", table="audit_outbox", where="h.stream_id = %(session)s"),
    Leavings(what="events", table="audit_event", where="h.stream_id = %(session)s"),
    # Of the memories of a session or a person, whose chain is their own.
    Leavings(
        what="records", table="audit_auditrecord", where="h.stream_id = %(session)s"
    ),
)
PEOPLE["audit"] = (
    Leavings(
        what="record_details",
        table="audit_auditrecord",
        where=f"""h.stream_id = %(project)s AND h.format = 3 AND h.salt IS NOT NULL
             AND {_CONCERNS} AND {_ROW_GOES}""",
        emptied="details = '{}', salt = NULL",
    ),
    Leavings(
        what="event_details",
        table="audit_event",
        where="h.stream_id = %(project)s AND h.details <> '{}'"
        " AND (h.resource_id = ANY(%(sessions)s)"
        " OR h.details ->> 'session_id' = ANY(%(sessions)s))",
        emptied="details = '{}'",
    ),
)
PEOPLE["accounts"] = (
    Leavings(
        what="request_keys",
        table="accounts_storedanswer",
        where="h.project_id = %(project)s AND %(user)s <> ''"
        " AND position(convert_to(%(user)s, 'UTF8') in h.body) > 0",
    ),
)


def leavings_of_sessions() -> Iterator[Leavings]:
    """Yield what all apps keep of one session."""
    for rows in SESSIONS.values():
        yield from rows


def leavings_of_people() -> Iterator[Leavings]:
    """Yield what all apps keep of a person, beside the histories."""
    for rows in PEOPLE.values():
        yield from rows


def count_leavings(of: Iterator[Leavings], asked: Mapping[str, Any]) -> Counter[str]:
    """Return how many rows there are of each kind."""
    found: Counter[str] = Counter()
    for one in of:
        found[one.what] += one.count(asked)
    return +found


def erase_leavings(of: Iterator[Leavings], asked: Mapping[str, Any]) -> Counter[str]:
    """Remove or empty them, within the caller's transaction; return how many."""
    gone: Counter[str] = Counter()
    for one in of:
        gone[one.what] += one.erase(asked)
    return +gone
