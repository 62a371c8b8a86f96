"""Worker processes for tests, on the database of a live server."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from apps.core.roles.names import Role
from tests.live import process_environment
from tests.worker.forking import WORKERS, Forked

PATIENCE = 90.0


@contextmanager
def working(dsn: str, log: Path, **more: str) -> Iterator[Forked]:
    """Run `manage.py worker` until the block is left; what it says is in `log`."""
    env = process_environment(Role.WORKER, dsn) | {"STEPBACK_LOG_LEVEL": "INFO"} | more
    log.touch()
    process = WORKERS.start(env, log)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(PATIENCE)


def kill(process: Forked) -> None:
    os.kill(process.pid, signal.SIGKILL)
    process.wait(PATIENCE)


def until(condition: Callable[[], object], why: str = "") -> None:
    """Wait for something to become true."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, why or "It did not happen in time."
        # Most conditions connect to ask: 15 ms of a processor that others wait for.
        time.sleep(0.25)


def rows(dsn: str, query: str, *values: object) -> list[tuple]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        return connection.execute(query, values).fetchall()


def is_heard(dsn: str, workers: int = 1) -> bool:
    """Whether so many workers have a fresh heartbeat."""
    query = (
        "SELECT count(*) FROM procrastinate_workers"
        " WHERE last_heartbeat > now() - interval '20 seconds'"
    )
    ((count,),) = rows(dsn, query)
    return count >= workers


LOCK = 1_234_567
WAITING = (
    "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    " AND wait_event = 'advisory' AND datname = current_database()"
)


@contextmanager
def standing_still(
    dsn: str, event: str, condition: str = "true"
) -> Iterator[Callable[[], None]]:
    """Have whoever does this to such rows stand still there, with nothing committed.

    Yields what lets them go on.
    """
    execute(
        dsn,
        "CREATE FUNCTION stand_still() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        f" PERFORM pg_advisory_xact_lock_shared({LOCK});"
        " IF TG_OP = 'DELETE' THEN RETURN OLD; END IF; RETURN NEW; END $$",
        f"CREATE TRIGGER stand_still BEFORE {event} FOR EACH ROW WHEN ({condition})"
        " EXECUTE FUNCTION stand_still()",
    )
    with psycopg.connect(dsn, autocommit=True) as holder:
        holder.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        yield holder.close
    execute(dsn, "DROP FUNCTION stand_still CASCADE")


def execute(dsn: str, *statements: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("SET lock_timeout = '60s'")
        for statement in statements:
            connection.execute(statement)
