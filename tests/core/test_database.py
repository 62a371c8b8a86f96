"""Connections of the pool: one that the server has ended is never handed out."""

import os
import time
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from apps.core.database.base import has_ended
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
