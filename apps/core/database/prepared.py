"""A statement that is planned once per connection, and run without a cursor.

A cursor looks at every value to find its type, waits in Python and makes a row class:
0.075 ms of a processor for a statement that libpq itself runs in 0.009. That pays
where a few statements are most of what a request does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakSet

from psycopg import Connection
from psycopg.pq import DiagnosticField, ExecStatus, Format
from psycopg.pq.abc import PGresult

_UNKNOWN_STATEMENT = b"26000"


class Prepared:
    """A statement with `$1` … as its parameters, whose types are `types`."""

    def __init__(self, name: str, text: str, types: Sequence[int]) -> None:
        self.text = text
        self._name = name.encode()
        self._text = text.encode()
        self._types = tuple(types)
        self._known: WeakSet[Connection[Any]] = WeakSet()

    def run(
        self,
        connection: Connection[Any],
        values: Sequence[bytes | None],
        formats: Sequence[Format] | None = None,
    ) -> PGresult:
        """Return what the server answers, values in binary form; it may be an error.

        The connection must be the caller's alone and outside a transaction.

        Raises: psycopg.OperationalError for a connection that is closed.
        """
        forms = formats or [Format.BINARY] * len(self._types)
        result = self._run(connection, values, forms)
        if sqlstate(result) == _UNKNOWN_STATEMENT:
            # The server was told to forget all: by the driver, after a rollback.
            # Nothing was done, so it is prepared and asked again.
            self._known.discard(connection)
            result = self._run(connection, values, forms)
        return result

    def rows(
        self, connection: Connection[Any], values: Sequence[bytes]
    ) -> list[list[bytes | None]] | None:
        """Return the rows; None when the server did not do it, for whatever reason."""
        result = self.run(connection, values)
        if result.status != ExecStatus.TUPLES_OK:
            return None
        columns = range(result.nfields)
        return [
            [result.get_value(row, column) for column in columns]
            for row in range(result.ntuples)
        ]

    def _run(
        self,
        connection: Connection[Any],
        values: Sequence[bytes | None],
        formats: Sequence[Format],
    ) -> PGresult:
        if connection not in self._known:
            made = connection.pgconn.prepare(self._name, self._text, self._types)
            if made.status != ExecStatus.COMMAND_OK:
                return made
            self._known.add(connection)
        written: Any = values
        return connection.pgconn.exec_prepared(
            self._name, written, formats, Format.BINARY
        )


def sqlstate(result: PGresult) -> bytes | None:
    """Return what went wrong, if anything did and the server said so."""
    if result.status == ExecStatus.TUPLES_OK:
        return None
    return result.error_field(DiagnosticField.SQLSTATE)
