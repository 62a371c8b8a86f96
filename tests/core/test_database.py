"""Connections of the pool: one that the server has ended is never handed out."""

import os

import psycopg
import pytest

from apps.core.database.base import has_ended
from tests.live import Server, manage
from tests.races.traffic import Line

END_ALL = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
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
    line = Line(live.url, live.key("ended"))
    made = line.post("/v1/sessions", {"agent_id": "agent"})
    for _ in range(20):
        with psycopg.connect(live.dsn, autocommit=True) as connection:
            connection.execute(END_ALL)
            # Until the last one is gone, a request may meet one that is going.
            while connection.execute(END_ALL).fetchall():
                pass
        answer = line.get(f"/v1/sessions/{made.body['id']}/state")
        assert answer.status == 200, answer.content
    line.close()
    assert manage(live.dsn, "verify", "--project", "ended")
