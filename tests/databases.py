"""Databases beside the test run's own, made for a while on the same server."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from apps.core.postgres import locate
from apps.core.roles.names import VARIABLES, Role

ROOT = Path(__file__).resolve().parent.parent
# For what autovacuum may need to leave: two minutes, where a benchmark filled it.
TRIES = 240
PAUSE_SECONDS = 0.5


@contextmanager
def database(name: str, *, template: str | None = None) -> Iterator[str]:
    """Make a database of this name for a while, or a copy of another; give its DSN."""
    make(name, template=template)
    try:
        yield dsn_of(name)
    finally:
        drop(name)


def make(name: str, *, template: str | None = None) -> None:
    """Make it anew: what an ended run left under this name is dropped first."""
    drop(name)
    statement = sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name))
    if template:
        statement += sql.SQL(" TEMPLATE {}").format(sql.Identifier(template))
    with server() as connection:
        connection.execute(statement)


def drop(name: str) -> None:
    """Drop it with who is connected, if it is there.

    `WITH (FORCE)` is refused while autovacuum is in the database, because its process
    is the superuser's and not ours to end. It soon leaves.
    """
    statement = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(
        sql.Identifier(name)
    )
    with server() as connection:
        for tries_left in reversed(range(TRIES)):
            try:
                connection.execute(statement)
            except psycopg.errors.InsufficientPrivilege:
                if not tries_left:
                    raise
                time.sleep(PAUSE_SECONDS)
            else:
                return


def dsn_of(name: str, role: Role = Role.OWNER) -> str:
    """Return where the database of this name is, for the owner unless said."""
    parts = conninfo_to_dict(os.environ[VARIABLES[role]])
    return make_conninfo("", **{**parts, "dbname": name})


def logins(dsn: str) -> dict[str, str]:
    """Return the variables by which a process finds that database as each role.

    The socket of a cluster lies in its data folder, where the passwords are.
    """
    asked = conninfo_to_dict(dsn)
    at = locate(Path(str(asked["host"])).parent, ROOT)
    return {
        variable: make_conninfo(
            "", **{**conninfo_to_dict(at.dsn_of(role)), "dbname": asked["dbname"]}
        )
        for role, variable in VARIABLES.items()
    }


def alone(dsn: str) -> dict[str, str]:
    """Return the variables where this login, a loader's, stands for all roles."""
    return dict.fromkeys(VARIABLES.values(), dsn)


def server() -> psycopg.Connection:
    """Connect to the test run's own database, to make and drop others from there."""
    return psycopg.connect(os.environ[VARIABLES[Role.OWNER]], autocommit=True)
