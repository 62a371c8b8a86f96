"""Hand-written SQL: its files, its migration step and how functions are called.

Every database object of ours stands in `<app>/sql/<name>.sql`, with its version in
its name; a migration names the file. Calls bypass Django's client-side binding,
because binding 16 MiB of bytes as hex text doubles them on the wire.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations.operations import RunSQL
from psycopg.rows import class_row, namedtuple_row

from apps.core.database.kinds import across, of_session
from apps.core.database.statements import PreparedQuery

__all__ = [
    "PreparedQuery",
    "across",
    "create",
    "create_function",
    "create_on_tables",
    "drop_function",
    "of_session",
    "query",
    "records",
    "rows",
    "run_prepared",
    "statement",
    "text_array",
]

T = TypeVar("T")
_COMPOSED = re.compile(r"\{\{(\w+)\}\}")


def statement(app: str, name: str) -> str:
    """Return the text of `apps/<app>/sql/<name>.sql`."""
    folder = Path(__file__).resolve().parent.parent / app / "sql"
    return (folder / f"{name}.sql").read_text(encoding="utf-8")


def query(app: str, name: str, **composed: object) -> str:
    """Return the text of `apps/<app>/sql/queries/<name>.sql`; load it once, at import.

    Values are named parameters of the statement. What has to be part of the text (a
    bound that an index serves, a limit that is a constant) stands in it as `{{name}}`
    and is given here; never anything of a caller.

    Raises: ValueError where what is given is not what the text asks for.
    """
    text = statement(app, f"queries/{name}")
    if set(_COMPOSED.findall(text)) != set(composed):
        raise ValueError(f"{name}.sql is not composed of {sorted(composed)}")
    return _COMPOSED.sub(lambda found: str(composed[found[1]]), text)


def text_array(texts: Iterable[str]) -> str:
    """Write texts as an array, for a parameter such as `%(ids)s::varchar[]`.

    The driver looks each text of a list over for what has to be quoted, which takes
    3 ms for a thousand ids; here all are quoted.
    """
    quoted = [one.replace("\\", "\\\\").replace('"', '\\"') for one in texts]
    return '{"' + '","'.join(quoted) + '"}' if quoted else "{}"


def create(app: str, name: str, *, drop: str) -> RunSQL:
    """Return the migration step that runs the file, and `drop` to reverse it.

    A function's body holds semicolons, so such a file is one statement; any other is
    split, because a distributed database takes one DDL statement at a time.
    """
    text = statement(app, name)
    return RunSQL(sql=[text] if "$$" in text else text, reverse_sql=drop)


def create_function(app: str, name: str) -> RunSQL:
    """Return the migration step that creates `<app>_<name>`, of no other signature."""
    return create(app, name, drop=f"DROP FUNCTION {app}_{name}")


def create_on_tables(app: str, name: str) -> RunSQL:
    """Return the migration step that runs a file of indexes, keys or triggers.

    There is nothing to reverse: they go with the tables that the same migration makes.
    """
    return create(app, name, drop=RunSQL.noop)


def drop_function(app: str, name: str) -> RunSQL:
    """Return the step that drops `<app>_<name>`; to reverse it, its file is run."""
    return RunSQL(f"DROP FUNCTION {app}_{name}", reverse_sql=[statement(app, name)])


def rows(query: str, params: Sequence[Any] | dict[str, Any]) -> list[Any]:
    """Run one statement with server-side binding; return its rows as named tuples.

    Raises: the `django.db` twins of the driver's errors, as the ORM does.
    """
    return _run(query, params, namedtuple_row)


def run_prepared(statement: PreparedQuery, params: dict[str, Any]) -> list[Any]:
    """As `rows`, for a statement that most requests run."""
    connection = connections[DEFAULT_DB_ALIAS]
    connection.ensure_connection()
    with connection.wrap_database_errors:
        found = statement.rows(connection.connection, params)
    return rows(statement.text, params) if found is None else found


def records(of: type[T], query: str, params: Sequence[Any] | dict[str, Any]) -> list[T]:
    """As `rows`, each as an instance of a dataclass with the same field names."""
    return cast(list[T], _run(query, params, class_row(of)))


def _run(query: str, params: Any, row_factory: Any) -> list[Any]:
    connection = connections[DEFAULT_DB_ALIAS]
    connection.ensure_connection()
    with (
        connection.wrap_database_errors,
        psycopg.Cursor(connection.connection, row_factory=row_factory) as cursor,
    ):
        cursor.execute(query, params, binary=True)
        return cursor.fetchall()
