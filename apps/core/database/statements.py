"""Statements that most requests run, prepared under the types of their parameters.

In autocommit, which is where requests read and where the ledger's functions are
called: there it takes a quarter of a cursor's time. Inside a transaction, where
statements may not be prepared, and for unusual values the driver's cursor does it.
"""

from __future__ import annotations

import re
import threading
from collections import namedtuple
from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import count
from typing import Any, cast

import psycopg
from psycopg import Connection
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ExecStatus, Format
from psycopg.pq.abc import PGresult

from apps.core.database.kinds import of_same_kind
from apps.core.database.prepared import Prepared, sqlstate
from apps.core.database.values import Bound, Unusual, bound

_PARAMETER = re.compile(r"%\((\w+)\)s")

_numbers = count()
# It knows the types of results, and holds one while its rows are made.
_here = threading.local()


class PreparedQuery:
    """A statement with `%(name)s` as its parameters.

    `types` are those of parameters that may be null: without its type each null makes
    another plan.
    """

    def __init__(self, text: str, types: Mapping[str, int] | None = None) -> None:
        self.text = text
        self._names = list(dict.fromkeys(_PARAMETER.findall(text)))
        self._nulls: dict[str, Bound] = {
            name: (types[name], Format.BINARY, None)
            if types and name in types
            else bound(None)
            for name in self._names
        }
        places = {name: f"${at}" for at, name in enumerate(self._names, 1)}
        numbered = _PARAMETER.sub(lambda found: places[found[1]], text)
        self._numbered = of_same_kind(numbered, text)

    def rows(
        self, connection: Connection[Any], params: dict[str, Any]
    ) -> list[Any] | None:
        """Return the rows as named tuples, or None where it takes a cursor.

        Raises: the driver's errors.
        """
        if not connection.autocommit or connection.prepare_threshold is None:
            return None
        try:
            # Half of an append's 70 parameters are null: they need no call each.
            values = [
                self._nulls[name] if params[name] is None else bound(params[name])
                for name in self._names
            ]
        except Unusual:
            return None
        types, formats, data = zip(*values, strict=True) if values else ((), (), ())
        result = _prepared(self._numbered, types).run(connection, data, formats)
        if result.status != ExecStatus.TUPLES_OK:
            raise _error(connection, result)
        return _loaded(result)


@lru_cache(maxsize=256)
def _prepared(text: str, types: tuple[int, ...]) -> Prepared:
    """Return the one of this text and these types, named by a number of its own."""
    return Prepared(f"prepared_{next(_numbers)}", text, types)


def _loaded(result: PGresult) -> list[Any]:
    names = tuple([cast(bytes, result.fname(at)) for at in range(result.nfields)])
    if not hasattr(_here, "transformer"):
        _here.transformer = Transformer()
    transformer: Any = _here.transformer
    transformer.set_pgresult(result, format=Format.BINARY)
    make_row = _row_class(names)._make
    try:
        found: list[Any] = transformer.load_rows(0, result.ntuples, make_row)
        return found
    finally:
        transformer.set_pgresult(None)


@cache
def _row_class(names: tuple[bytes, ...]) -> Any:
    return namedtuple("Row", [name.decode() for name in names])


def _error(connection: Connection[Any], result: PGresult) -> psycopg.Error:
    if sqlstate(result) is None:  # nobody answered: the connection is lost
        return psycopg.OperationalError(connection.pgconn.get_error_message())
    return error_from_result(result)
