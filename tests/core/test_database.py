"""Connections of the pool: one that the server has ended is never handed out."""

import os
import time
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from django.db import InterfaceError, InternalError, OperationalError

from apps.core.database.base import has_ended
from apps.core.database.troubles import is_in_trouble
from tests.live import Server, manage
from tests.races.traffic import Line

END_ALL = """
SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
 WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


@pytest.fixture
def connection():
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
        yield connection


def test_an_idle_connection_has_not_ended(connection: psycopg.Connection) -> None:
    connection.execute("SELECT 1")

    assert not has_ended(connection)


def test_what_the_server_ended_is_seen_without_asking_it(
    connection: psycopg.Connection,
) -> None:
    pid = connection.info.backend_pid
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as other:
        # Waits until it is gone.
        other.execute("SELECT pg_terminate_backend(%s, 60000)", [pid])

    assert has_ended(connection)


def test_what_we_closed_has_ended(connection: psycopg.Connection) -> None:
    connection.close()

    assert has_ended(connection)


def test_requests_go_on_when_all_connections_were_ended(live: Server) -> None:
    with closing(Line(live.url, live.key("ended"))) as line:
        made = line.post("/v1/sessions", {"agent_id": "agent"})
        for _ in range(20):
            end_all_connections(live.dsn)
            answer = line.get(f"/v1/sessions/{made.body['id']}/state")
            assert answer.status == 200, answer.content
    assert manage(live.dsn, "verify", "--project", "ended")


def end_all_connections(dsn: str) -> None:
    """End them, also those that are only coming, and wait until all are gone.

    A request may meet one that is going: the server's line goes before its process,
    and only with that the end of the connection, which is what the kernel tells.
    """
    with psycopg.connect(dsn, autocommit=True) as connection:
        while ended := connection.execute(END_ALL).fetchall():
            for pid, _ in ended:
                while Path(f"/proc/{pid}").exists():
                    time.sleep(0.001)


@pytest.mark.parametrize(
    ("error", "cause", "is_of_all"),
    [
        (OperationalError, None, True),
        (OperationalError, psycopg.errors.AdminShutdown, True),
        (OperationalError, psycopg.errors.DiskFull, True),
        (OperationalError, psycopg.errors.QueryCanceled, False),
        (OperationalError, psycopg.errors.ProgramLimitExceeded, False),
        (InterfaceError, None, True),
        (InternalError, psycopg.errors.DataCorrupted, False),
        (KeyError, None, False),
    ],
)
def test_what_takes_too_long_says_nothing_of_the_database(
    error: type[Exception], cause: type[Exception] | None, is_of_all: bool
) -> None:
    with pytest.raises(error) as caught:
        raise error from (cause and cause())

    assert is_in_trouble(caught.value) is is_of_all
