"""Databases beside the test run's own, made for a while on the same server."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

# For what autovacuum may need to leave: ten seconds.
TRIES = 20
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


def dsn_of(name: str) -> str:
    """Return where the database of this name is."""
    parts = conninfo_to_dict(os.environ["DATABASE_URL"])
    return make_conninfo("", **{**parts, "dbname": name})


def server() -> psycopg.Connection:
    """Connect to the test run's own database, to make and drop others from there."""
    return psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)
