"""A database that was away: who asks once it is back is answered, by every process."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from django.db import ConnectionHandler, OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper
from pytest_django import DjangoDbBlocker

from apps.core.database.settings import NETWORK, database
from apps.core.postgres import Cluster
from apps.core.postgres.locate import locate
from apps.core.roles.names import Role
from tests.faults.house import premises
from tests.live import ROOT

AWAY_SECONDS = 8
POOL_SIZE = 4


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with premises() as folder:
        cluster = Cluster(locate(folder / "var", ROOT), durable=False)
        cluster.start()
        try:
            yield cluster
        finally:
            cluster.stop()


@pytest.fixture
def line(
    cluster: Cluster, django_db_blocker: DjangoDbBlocker
) -> Iterator[BaseDatabaseWrapper]:
    """A process's line to the database, with the pool that is shipped."""
    dsn = cluster.location.dsn_of(Role.OWNER)
    lines = ConnectionHandler(
        {"default": database(dsn, pool_size=POOL_SIZE, prepare=True)}
    )
    with django_db_blocker.unblock():
        lines["default"].pool.open()
        yield lines["default"]
        lines["default"].close_pool()


@pytest.mark.parametrize("used", [1, POOL_SIZE])
def test_a_database_that_is_back_answers_the_first_who_asks(
    used: int, cluster: Cluster, line: BaseDatabaseWrapper
) -> None:
    use(line, used)
    cluster.stop()
    back_at = time.monotonic() + AWAY_SECONDS
    while time.monotonic() < back_at:
        with pytest.raises(OperationalError):
            ask(line)

    cluster.start()

    ask(line)


def use(line: BaseDatabaseWrapper, connections: int) -> None:
    """Let the pool have so many connections."""
    taken = [line.pool.getconn() for _ in range(connections)]
    for connection in taken:
        line.pool.putconn(connection)


def ask(line: BaseDatabaseWrapper) -> None:
    """Do what a request does: take a connection, ask, and give it back.

    Raises: OperationalError.
    """
    try:
        with line.cursor() as cursor:
            cursor.execute("SELECT 1")
    finally:
        line.close()


def test_what_the_url_says_of_time_outs_goes_before_what_is_shipped() -> None:
    dsn = "postgresql://db.example.com/stepback?tcp_user_timeout=3000"

    options = database(dsn, pool_size=POOL_SIZE, prepare=True)["OPTIONS"]

    assert options["tcp_user_timeout"] == "3000"
    assert options["connect_timeout"] == NETWORK["connect_timeout"]
