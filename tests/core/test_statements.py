"""Statements that are prepared tell what a cursor tells, or leave it to one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import psycopg
import pytest
from psycopg import Connection, Cursor
from psycopg.rows import namedtuple_row

from apps.core.database.statements import PreparedQuery
from apps.timeline.words import Hold

MOMENT = datetime(1969, 7, 20, 20, 17, 40, 123456, tzinfo=UTC)
ECHO = "SELECT %(value)s::{kind} AS value, %(value)s::{kind} IS NULL AS is_null"
USUAL = [
    ("text", ["", "é🙂", "a'b\\c", Hold.PAUSED, None]),
    ("varchar", ["x" * 100_000]),
    ("bytea", [b"", b"\0\xff", b"x" * 1_000_000, None]),
    ("bigint", [0, -1, 2**63 - 1, -(2**63), None]),
    ("smallint", [7]),
    ("boolean", [True, False, None]),
    (
        "timestamptz",
        [MOMENT, MOMENT.astimezone(timezone(timedelta(hours=9))), None],
    ),
    ("json", ['{"a": [1, null, "\\u00e9"]}']),
    ("jsonb", ['{"a": [1, 1.5e300, "\\u00e9"]}', None]),
    ("bytea[]", [[], [b"", None, b"\0"], [None], None]),
    ("bigint[]", [[], [1, None, -(2**63)]]),
    ("smallint[]", [[1, 2, 3]]),
    ("boolean[]", [[], [True, None, False], [None]]),
    ("text[]", [[], ["", "a,b", '"', "{}", "NULL", None, "é"], [Hold.OPEN], [None]]),
    ("json[]", [['{"a": 1}', None]]),
]
UNUSUAL = [
    ("text", "a\0b"),
    ("text", "\ud800"),
    ("text[]", ["\ud800"]),
    ("bigint", 2**63),
    ("bigint[]", [2**63]),
    ("bigint[]", [True, 1]),
    ("text[]", ["a", 1]),
    ("bigint[]", [[1], [2]]),
    ("float8", 1.5),
    ("bytea", memoryview(b"x")),
    ("timestamp", datetime(2026, 1, 1)),  # noqa: DTZ001
]


@pytest.fixture
def connection() -> Iterator[Connection[Any]]:
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as made:
        yield made


def by_cursor(connection: Connection[Any], text: str, value: Any) -> list[Any]:
    with Cursor(connection, row_factory=namedtuple_row) as cursor:
        return cursor.execute(text, {"value": value}, binary=True).fetchall()


@pytest.mark.parametrize(("kind", "values"), USUAL, ids=[kind for kind, _ in USUAL])
def test_it_tells_what_a_cursor_tells(
    connection: Connection[Any], kind: str, values: list[Any]
) -> None:
    text = ECHO.format(kind=kind)
    statement = PreparedQuery(text)

    for value in values:
        for _ in range(2):
            rows = statement.rows(connection, {"value": value})
            by_driver = by_cursor(connection, text, value)
            assert rows == by_driver
            assert rows is not None
            assert rows[0]._asdict() == by_driver[0]._asdict()


@pytest.mark.parametrize(("kind", "value"), UNUSUAL)
def test_an_unusual_value_is_left_to_the_cursor(
    connection: Connection[Any], kind: str, value: Any
) -> None:
    assert (
        PreparedQuery(ECHO.format(kind=kind)).rows(connection, {"value": value}) is None
    )


def test_many_rows_or_none(connection: Connection[Any]) -> None:
    statement = PreparedQuery("SELECT n FROM generate_series(1, %(value)s::bigint) n")

    assert statement.rows(connection, {"value": 0}) == []
    assert statement.rows(connection, {"value": 3}) == [(1,), (2,), (3,)]


def test_a_statement_without_parameters(connection: Connection[Any]) -> None:
    assert PreparedQuery("SELECT 1 AS one").rows(connection, {}) == [(1,)]


def test_inside_a_transaction_it_is_left_to_the_cursor() -> None:
    with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
        assert PreparedQuery("SELECT 1").rows(connection, {}) is None


def test_where_nothing_may_be_prepared_it_is_left_to_the_cursor(
    connection: Connection[Any],
) -> None:
    connection.prepare_threshold = None

    assert PreparedQuery("SELECT 1").rows(connection, {}) is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("SELECT 1 / %(value)s::bigint AS n", psycopg.errors.DivisionByZero),
        ("SELECT n FROM nowhere WHERE n = %(value)s", psycopg.errors.UndefinedTable),
        ("SELECT (%(value)s::bigint || 'x')::bigint AS n", psycopg.DataError),
    ],
)
def test_what_the_server_refuses_is_the_drivers_error(
    connection: Connection[Any], text: str, kind: type[psycopg.Error]
) -> None:
    with pytest.raises(kind) as by_driver:
        by_cursor(connection, text, 0)
    for _ in range(2):
        with pytest.raises(kind) as refused:
            PreparedQuery(text).rows(connection, {"value": 0})
        assert refused.value.sqlstate == by_driver.value.sqlstate
        assert str(refused.value.diag.message_primary)

    assert PreparedQuery("SELECT 1 AS one").rows(connection, {}) == [(1,)]


def test_a_server_that_forgot_is_told_again(connection: Connection[Any]) -> None:
    statement = PreparedQuery("SELECT %(value)s::bigint AS value")
    statement.rows(connection, {"value": 1})
    connection.execute("DEALLOCATE ALL")

    assert statement.rows(connection, {"value": 2}) == [(2,)]


def test_a_lost_connection_is_told_as_lost(connection: Connection[Any]) -> None:
    statement = PreparedQuery("SELECT %(value)s::bigint AS value")
    statement.rows(connection, {"value": 1})
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(%s, 60000)", [connection.info.backend_pid]
        )

    for _ in range(2):
        with pytest.raises(psycopg.OperationalError):
            statement.rows(connection, {"value": 1})
    assert connection.closed


def test_two_connections_each_have_their_own(connection: Connection[Any]) -> None:
    statement = PreparedQuery("SELECT %(value)s::bigint AS value")
    statement.rows(connection, {"value": 1})

    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as other:
        assert statement.rows(other, {"value": 2}) == [(2,)]
