"""LangGraph's own saver, in a database of its own, to be compared with ours."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from langgraph.checkpoint.postgres import PostgresSaver
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo


@contextmanager
def postgres_database(name: str) -> Iterator[str]:
    """Make a database with the tables of `PostgresSaver`; give where it is."""
    root = os.environ["DATABASE_URL"]
    own = f"langgraph_{name}_{os.getpid()}"
    drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(
        sql.Identifier(own)
    )
    with psycopg.connect(root, autocommit=True) as connection:
        connection.execute(drop)
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(own)))
        try:
            dsn = make_conninfo("", **{**conninfo_to_dict(root), "dbname": own})
            with PostgresSaver.from_conn_string(dsn) as saver:
                saver.setup()
            yield dsn
        finally:
            connection.execute(drop)


@contextmanager
def postgres(name: str) -> Iterator[PostgresSaver]:
    """Give LangGraph's own saver, whose tables are gone afterwards."""
    with (
        postgres_database(name) as dsn,
        PostgresSaver.from_conn_string(dsn) as saver,
    ):
        yield saver
