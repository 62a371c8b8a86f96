"""`manage.py worker` as a process: it does what is due, once, whatever is killed."""

import asyncio
import logging
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from procrastinate.contrib.django import app

from apps.worker import projecting, running
from config import env
from tests.live import Server, serving
from tests.worker.processes import (
    WAITING,
    execute,
    is_heard,
    kill,
    rows,
    standing_still,
    until,
    working,
)

# Nobody waits for the next minute.
SOON = {"STEPBACK_SWEEP_SECONDS": "2"}
EXPIRING = "UPDATE OF expired_at ON timeline_session"
EXPIRED = (
    "SELECT stream_id FROM audit_event WHERE action = 'session.expired'"
    " ORDER BY stream_id"
)


@pytest.fixture(scope="module")
def house(worker_id: str):
    with serving(f"worker_{worker_id}", workers=1) as server:
        yield server


@pytest.fixture
def begin(house: Server):
    """`begin(ttl)` makes a session and returns its id."""
    with house.client(house.key("worked")) as client:

        def make(ttl_seconds: int) -> str:
            body = {"agent_id": "a", "initial_state": {}, "ttl_seconds": ttl_seconds}
            return client.post("/v1/sessions", json=body).json()["id"]

        yield make


def expired(house: Server) -> list[str]:
    return [stream for (stream,) in rows(house.dsn, EXPIRED)]


def test_two_workers_tell_once_that_a_session_expired(
    house: Server, begin, tmp_path: Path
) -> None:
    over, living = [begin(1) for _ in range(20)], begin(3600)
    log = tmp_path / "log"

    with working(house.dsn, log, **SOON), working(house.dsn, log, **SOON):
        until(lambda: is_heard(house.dsn, 2), log.read_text())
        until(lambda: len(expired(house)) >= len(over), log.read_text())
        with house.client() as client:
            told = client.get("/health/ready").json()["services"]["worker"]

    assert sorted(over) == expired(house)
    assert living not in expired(house)
    assert told["status"] == "healthy"
    assert log.read_text() == ""


def test_what_a_killed_worker_left_is_done_by_the_next(
    house: Server, begin, tmp_path: Path
) -> None:
    before = len(expired(house))
    session = begin(1)
    log = tmp_path / "log"
    with (
        standing_still(house.dsn, EXPIRING) as let_go,
        working(house.dsn, log, **SOON) as process,
    ):
        until(lambda: rows(house.dsn, WAITING), log.read_text())
        kill(process)
        let_go()
        # What it had asked for ends, and is undone: it never said that it was done.
        until(lambda: not rows(house.dsn, WAITING))
    assert len(expired(house)) == before

    with working(house.dsn, log, **SOON):
        until(lambda: session in expired(house), log.read_text())

    assert len(expired(house)) == before + 1


def test_without_a_worker_the_ready_endpoint_says_so_and_serves(
    house: Server,
) -> None:
    execute(house.dsn, "DELETE FROM procrastinate_workers")

    with house.client() as client:
        answer = client.get("/health/ready")

    assert answer.status_code == 200
    assert answer.json()["services"]["worker"] == {
        "status": "unavailable",
        "last_seen_seconds": None,
    }


def test_a_worker_outlives_a_database_that_is_away(
    house: Server, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    with working(house.dsn, log) as process:
        until(lambda: is_heard(house.dsn), log.read_text())
        rows(
            house.dsn,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()",
        )
        execute(house.dsn, "DELETE FROM procrastinate_workers")
        until(lambda: is_heard(house.dsn), log.read_text())

        assert process.poll() is None


def test_a_worker_stops_when_it_is_told_to(house: Server, tmp_path: Path) -> None:
    log = tmp_path / "log"
    # A worker of another test, killed a moment ago, still seems to be there.
    execute(house.dsn, "DELETE FROM procrastinate_workers")
    with working(house.dsn, log) as process:
        until(lambda: is_heard(house.dsn), log.read_text())
        process.terminate()

        assert process.wait(60) == 0
    assert log.read_text() == ""


@pytest.mark.parametrize("seconds", ["0", "61"])
def test_a_period_of_none_or_of_more_than_a_minute_stops_the_start(
    seconds: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEPBACK_SWEEP_SECONDS", seconds)

    with pytest.raises(ImproperlyConfigured, match="SWEEP_SECONDS must be 1 to 60"):
        env.number("STEPBACK_SWEEP_SECONDS", 60, within=range(1, 61))


def test_its_end_does_not_warn_of_the_queries_that_it_gives_up(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As psycopg does where the other worker has deferred the same job meanwhile."""
    driver = logging.getLogger("psycopg")
    before = driver.level

    async def work() -> None:
        try:
            driver.warning("while it works")
            await asyncio.sleep(60)
        finally:
            driver.warning("query cancellation interrupted")

    async def end() -> None:
        stop = asyncio.Event()
        asyncio.get_running_loop().call_later(0.05, stop.set)
        await running._until(stop)

    monkeypatch.setattr(running.scheduling, "work", work)
    try:
        asyncio.run(end())
    finally:
        driver.setLevel(before)

    assert [one.message for one in caplog.records] == ["while it works"]


def test_all_that_jobs_run_is_imported_before_a_second_thread_imports(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[str] = []

    @contextmanager
    def projects():
        begun.append("the projector's thread")
        yield

    async def ends() -> None:
        begun.append("jobs")

    monkeypatch.setattr(app, "perform_import_paths", lambda: begun.append("imports"))
    monkeypatch.setattr(projecting, "projecting", projects)
    monkeypatch.setattr(running, "_run", ends)

    running.run()

    assert begun == ["imports", "the projector's thread", "jobs"]
