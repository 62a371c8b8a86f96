"""Holds the rows that records cover against the last record of each.

Both sides of one kind are read in one statement, so in one snapshot: an act in the
meantime is in both or in neither. Rows are streamed, in the order of their keys.
"""

from __future__ import annotations

import hmac
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, NamedTuple, cast

import psycopg
from django.db import connection, transaction
from psycopg.abc import Buffer
from psycopg.types.datetime import TimestamptzLoader

from apps.audit.covered import COVERED, Covered
from apps.core import json, sql
from apps.core.errors import DomainError

AT_ONCE = 1000
LONGEST_KEY = 200
NAMED = 20
# While an installation is upgraded, a process of the version before may write on.
OVERLAP = timedelta(hours=1)
# Served by audit_auditrecord_by_row, which is in this order.
_KEY = "(r.details -> 'row' ->> 'key') COLLATE \"C\""
_RECORDED = f"""
SELECT DISTINCT ON ({_KEY}) {_KEY} AS key, r.number,
       (r.details -> 'row' -> 'columns')::text AS columns
  FROM audit_auditrecord r
 WHERE r.stream_id = %(project)s AND r.details ? 'row'
   AND r.details -> 'row' ->> 'of' = %(kind)s
"""
# What belongs to a session has a key that is its id, or goes on after a space.
_OF_SESSION = f"AND {_KEY} >= %(session)s AND {_KEY} < %(session)s || '!'"
_FIRST = sql.of_session("""
SELECT r.number, r.created_at FROM audit_auditrecord r
 WHERE r.stream_id = %(project)s AND r.details ? 'row'
 ORDER BY r.number LIMIT 1
""")
_DETAILS = sql.of_session("""
SELECT r.details FROM audit_auditrecord r
 WHERE r.stream_id = %(project)s AND r.number = %(number)s
""")


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """A row that is not as its last record says; `number` is of that record, if any."""

    kind: str
    resource: str
    number: int | None
    sentence: str

    def __str__(self) -> str:
        return f"{self.resource}: {self.sentence}"


class _Moment(TimestamptzLoader):
    """Loads a moment; what no `datetime` can be, as infinity, as its text."""

    def load(self, data: Buffer) -> datetime:
        try:
            return super().load(data)
        except psycopg.DataError:
            return cast(datetime, bytes(data).decode())


class Pair(NamedTuple):
    """The last record of a row beside the row; either may be missing."""

    key: str
    number: int | None
    columns: Any
    is_present: bool
    made_at: datetime | None
    values: dict[str, Any]


@dataclass(slots=True)
class Tally:
    """How many rows were looked at, by kind, and how many of them no record covers.

    Those were written before records covered rows, and not changed since.
    """

    compared: Counter[str] = field(default_factory=Counter)
    recorded_before: Counter[str] = field(default_factory=Counter)
    has_more: bool = False


@dataclass(kw_only=True)
class Comparison:
    """The covered rows of a project, or of one of its sessions, and their records."""

    project_id: str
    secret: bytes
    session_id: str | None = None
    # So many rows of each kind at most.
    limit: int | None = None
    tally: Tally = field(default_factory=Tally)

    def differences(self) -> Iterator[Difference]:
        """Yield each row that is missing, changed, or that no record accounts for."""
        for covered in COVERED.values():
            if self.session_id is None or covered.of_session:
                yield from self._of(covered)

    def _of(self, covered: Covered) -> Iterator[Difference]:
        for count, pair in enumerate(self._pairs(covered)):
            if count == self.limit:
                self.tally.has_more = True
                return
            self.tally.compared[covered.kind] += 1
            sentence = self._wrong(covered, pair)
            if sentence is not None:
                yield Difference(
                    kind=covered.kind,
                    resource=covered.named(_printable(pair.key)),
                    number=pair.number,
                    sentence=sentence,
                )

    def _wrong(self, covered: Covered, pair: Pair) -> str | None:
        if pair.number is None:
            if self._is_from_before(pair):
                self.tally.recorded_before[covered.kind] += 1
                return None
            return "it is there, and no record says who made it"
        if pair.columns is None:
            gone = f"record {pair.number} removed it, and it is there again"
            return gone if pair.is_present else None
        if not pair.is_present:
            if self._went(covered, pair):
                return None
            return f"record {pair.number} left it there, and it is missing"
        return self._changed(covered, pair)

    def _went(self, covered: Covered, pair: Pair) -> bool:
        """Say whether what is missing went with a version or session, as is written."""
        if covered.went is None:
            return False
        asked = {"project": self.project_id, "number": pair.number}
        found = sql.rows(_DETAILS, asked)
        return bool(found) and covered.went(pair.key, found[0].details)

    def _changed(self, covered: Covered, pair: Pair) -> str | None:
        if not isinstance(pair.columns, dict):
            return f"record {pair.number} cannot be read"
        found = covered.digests(pair.key, pair.values, self.secret)
        others = [
            name
            for name in covered.columns
            if name in pair.columns
            and not hmac.compare_digest(
                str(pair.columns[name]).encode(), found[name].encode()
            )
        ]
        if not others:
            return None
        verb = "is" if len(others) == 1 else "are"
        return f"its {', '.join(others)} {verb} not what record {pair.number} left"

    def _is_from_before(self, pair: Pair) -> bool:
        """Say whether the row is older than the first record that covers one.

        A project that was made since then has that as its record 1: whatever moment
        one of its rows claims, a record has to account for it.
        """
        first = self._first
        if first is None:
            return True
        if first.number == 1 or not isinstance(pair.made_at, datetime):
            return False
        return bool(pair.made_at < first.created_at + OVERLAP)

    @cached_property
    def _first(self) -> Any:
        found = sql.rows(_FIRST, {"project": self.project_id})
        return found[0] if found else None

    def _pairs(self, covered: Covered) -> Iterator[Pair]:
        # Within a transaction, a cursor lives through a pooler as well.
        with transaction.atomic(), connection.chunked_cursor() as cursor:
            cursor.cursor.adapters.register_loader("timestamptz", _Moment)
            cursor.execute(_statement(covered, self.session_id), self._asked(covered))
            while found := cursor.fetchmany(AT_ONCE):
                for key, number, columns, is_present, made_at, *values in found:
                    yield Pair(
                        key,
                        number,
                        _parsed(columns),
                        is_present,
                        made_at,
                        dict(zip(covered.columns, values, strict=True)),
                    )

    def _asked(self, covered: Covered) -> dict[str, Any]:
        return {
            "project": self.project_id,
            "session": self.session_id,
            "kind": covered.kind,
            "limit": None if self.limit is None else self.limit + 1,
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """What was compared of a project or a session, and the first that differ.

    `recorded_before` of the `rows` are older than records that cover them. With
    `has_more` there are others that were not looked at.
    """

    rows: int
    recorded_before: int
    findings: int
    first: Sequence[Difference]
    has_more: bool

    @property
    def unchanged(self) -> int:
        """So many rows are as their records say."""
        return self.rows - self.recorded_before - self.findings


def compare(
    *,
    project_id: str,
    secret: bytes | memoryview,
    session_id: str | None = None,
    limit: int,
) -> Verdict:
    """Compare at most `limit` rows of each kind with their records."""
    comparison = Comparison(
        project_id=project_id,
        secret=bytes(secret),
        session_id=session_id,
        limit=limit,
    )
    first, findings = [], 0
    for findings, difference in enumerate(comparison.differences(), 1):
        if findings <= NAMED:
            first.append(difference)
    tally = comparison.tally
    return Verdict(
        rows=tally.compared.total(),
        recorded_before=tally.recorded_before.total(),
        findings=findings,
        first=first,
        has_more=tally.has_more,
    )


def _statement(covered: Covered, session_id: str | None) -> str:
    within = "" if session_id is None else _OF_SESSION
    join = "LEFT" if covered.recorded_later else "FULL"
    columns = ", ".join(f"p.{name}" for name in covered.columns)
    return f"""
    WITH recorded AS ({_RECORDED} {within} ORDER BY {_KEY}, r.number DESC),
         present AS ({covered.present})
    SELECT coalesce(r.key, p.key) AS key, r.number, r.columns,
           p.key IS NOT NULL AS is_present, p.made_at, {columns}
      FROM recorded r {join} JOIN present p ON p.key = r.key
     WHERE coalesce(r.key, p.key) IS NOT NULL
     ORDER BY 1 LIMIT %(limit)s
    """


def _parsed(columns: str | None) -> Any:
    if columns is None:
        return None
    try:
        return json.parse_written(columns.encode())
    except DomainError:
        return columns  # no digests: the record cannot be read


def _printable(key: str) -> str:
    """Return a key for a line of text: whoever wrote the row may have chosen it."""
    text = "".join(
        one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in key
    )
    return text if len(text) <= LONGEST_KEY else f"{text[:LONGEST_KEY]}…"
