"""Web and worker behind a pooler that hands connections out by transaction."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from apps.core.database.settings import SESSION
from apps.core.roles.names import VARIABLES, Role
from apps.server.serving import arguments as serving_arguments
from tests import databases
from tests.live import (
    ROOT,
    Server,
    free_port,
    process_environment,
    serving,
    wait_until_ready,
)
from tests.pooler import CONNECTIONS, PROGRAM, Pooler, pooling
from tests.webhooks.receiver import Receiver, assert_in_order
from tests.worker.processes import is_heard, rows, until, working

pytestmark = pytest.mark.skipif(
    not PROGRAM.exists() and os.environ.get("CI") != "true",
    reason="no PgBouncer: STEPBACK_PGBOUNCER names none",
)
WRITERS, WRITES = 6, 25
# With the first one, the turn's and the rollback.
VERSIONS = WRITES + 3
WAITING = "SELECT count(*) FROM timeline_pending"


@dataclass(frozen=True)
class House:
    """A server that reaches its database by way of a pooler, and what is said there."""

    url: str
    direct: Server
    pooler: Pooler
    log: Path

    def worker(self) -> dict[str, str]:
        """Return what a worker has to be told to go by way of the pooler, too."""
        return pooled_environment(Role.WORKER, self.direct.dsn, self.pooler)

    def client(self, secret: str) -> httpx.Client:
        return httpx.Client(
            base_url=self.url, headers={"X-API-Key": secret}, timeout=30
        )


def pooled_environment(role: Role, dsn: str, pooler: Pooler) -> dict[str, str]:
    login = databases.logins(dsn)[VARIABLES[role]]
    return {
        "DATABASE_URL": pooler.through(login),
        "STEPBACK_PREPARE": "false",
        "STEPBACK_WEBHOOKS_PRIVATE": "true",
    }


@contextmanager
def pooled_server(direct: Server, pooler: Pooler, log: Path) -> Iterator[str]:
    """Run another web server on the same database, behind the pooler."""
    port = free_port()
    env = process_environment(Role.WEB, direct.dsn)
    env |= pooled_environment(Role.WEB, direct.dsn, pooler) | {"STEPBACK_WORKERS": "2"}
    command = [sys.executable, "-m", "apps.server.serving"]
    command += serving_arguments(address="127.0.0.1", port=port)
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env=env, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            url = f"http://127.0.0.1:{port}"
            wait_until_ready(url, process, log)
            yield url
        finally:
            process.terminate()
            process.wait(20)


@pytest.fixture(scope="module")
def house(worker_id: str, tmp_path_factory: Any) -> Iterator[House]:
    with ExitStack() as stack:
        direct = stack.enter_context(serving(f"pooled_{worker_id}", workers=1))
        pooler = stack.enter_context(pooling(databases.logins(direct.dsn)))
        log = tmp_path_factory.mktemp("pooled") / "server.log"
        url = stack.enter_context(pooled_server(direct, pooler, log))
        yield House(url=url, direct=direct, pooler=pooler, log=log)


def lived(client: httpx.Client) -> str:
    """Write a session with a turn, a rollback and labels, reading it as it goes."""
    begun = {"agent_id": "a", "initial_state": {"k": 0}}
    session = client.post("/v1/sessions", json=begun).raise_for_status().json()["id"]
    path = f"/v1/sessions/{session}"
    for number in range(1, WRITES + 1):
        body = {"state": {f"k{number % 5}": number}, "reasoning": f"word{number}"}
        client.patch(f"{path}/state", json=body).raise_for_status()
        head = client.get(f"{path}/state").raise_for_status().json()
        assert (head["version"], head["state"][f"k{number % 5}"]) == (number, number)
    turn = {"input": "Where to?", "output": "To Rome", "state_after": {"k": 1}}
    client.post(f"{path}/turns", json=turn).raise_for_status()
    client.post(f"{path}/rollback", json={"version": 2}).raise_for_status()
    return session


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver().up()
    yield made
    made.down()


def test_web_and_two_workers_append_project_feed_and_read(
    house: House, receiver: Receiver, tmp_path: Path
) -> None:
    logs = [tmp_path / f"worker-{number}" for number in range(2)]
    secret = house.direct.key("pooled", "--scope", "admin")
    with ExitStack() as stack:
        for log in logs:
            stack.enter_context(working(house.direct.dsn, log, **house.worker()))
        pool = stack.enter_context(ThreadPoolExecutor(WRITERS))
        clients = [stack.enter_context(house.client(secret)) for _ in range(WRITERS)]
        hook = {"url": receiver.url, "events": ["version.created"]}
        clients[0].post("/v1/webhooks", json=hook).raise_for_status()
        written = list(pool.map(lived, clients))
        until(lambda: rows(house.direct.dsn, WAITING) == [(0,)])
        until(lambda: is_heard(house.direct.dsn, workers=2))
        until(lambda: len(receiver.accepted()) >= WRITERS * VERSIONS)
        shared = house.pooler.shown("SERVERS")
        found = clients[0].get("/v1/search", params={"q": "word7"})
        behind = clients[0].get("/health/ready").json()["services"]["projector"]

    assert len(written) == WRITERS
    assert {one["session_id"] for one in found.raise_for_status().json()["data"]} == {
        *written
    }
    assert (behind["status"], behind["pending"]) == ("healthy", 0)
    # Each version as one message and in order, whichever worker took its row.
    told = {(one.id, one.stream, one.number) for one in receiver.seen}
    assert sorted((stream, number) for _, stream, number in told) == sorted(
        (session, number) for session in written for number in range(VERSIONS)
    )
    assert_in_order(receiver.accepted())
    # Eight threads of each web process, two workers with theirs: they did share.
    used = Counter(one["user"] for one in shared)
    logins = databases.logins(house.direct.dsn)
    for role in (Role.WEB, Role.WORKER):
        user = conninfo_to_dict(logins[VARIABLES[role]])["user"]
        assert 0 < used[user] <= CONNECTIONS, used
    for log in logs:
        assert log.read_text() == ""
    assert '"level": "error"' not in house.log.read_text()


def test_what_was_written_so_is_clean(house: House) -> None:
    """Verified through the pooler as well: it reads page by page."""
    env = pooled_environment(Role.WORKER, house.direct.dsn, house.pooler)
    with house.client(house.direct.key("clean")) as client:
        lived(client)

    said = subprocess.run(
        [sys.executable, "manage.py", "verify", "--search"],
        cwd=ROOT,
        env=process_environment(Role.WORKER, house.direct.dsn) | env,
        capture_output=True,
        text=True,
        check=False,
    )

    assert said.returncode == 0, said.stdout + said.stderr
    assert "All of it holds." in said.stdout


@pytest.mark.parametrize("role", [Role.WEB, Role.WORKER])
def test_its_sessions_have_their_time_outs(house: House, role: Role) -> None:
    """What a connection asks for is dropped on the way; the role has it."""
    url = house.pooler.through(databases.logins(house.direct.dsn)[VARIABLES[role]])
    with psycopg.connect(url, autocommit=True) as connection:
        found = {
            name: connection.execute("SELECT current_setting(%s)", [name]).fetchone()
            for name in SESSION
        }

    assert found == {name: (value,) for name, value in SESSION.items()}
