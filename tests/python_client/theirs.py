"""LangGraph's own saver, in a database of its own, to be compared with ours."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from langgraph.checkpoint.postgres import PostgresSaver

from tests.databases import database


@contextmanager
def postgres_database(name: str) -> Iterator[str]:
    """Make a database with the tables of `PostgresSaver`; give where it is."""
    with database(f"langgraph_{name}_{os.getpid()}") as dsn:
        with PostgresSaver.from_conn_string(dsn) as saver:
            saver.setup()
        yield dsn


@contextmanager
def postgres(name: str) -> Iterator[PostgresSaver]:
    """Give LangGraph's own saver, whose tables are gone afterwards."""
    with (
        postgres_database(name) as dsn,
        PostgresSaver.from_conn_string(dsn) as saver,
    ):
        yield saver
