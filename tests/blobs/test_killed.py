"""kill -9 of collectors, of web workers in an upload and in an append that names blobs.

Real processes with the logins of their roles, on a database and a folder of their own.
After each kill the rule is the same: what a version names is read byte by byte, a row
that says stored has its object, and what no row names is gone after a day.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest

from apps.core.roles.names import Role
from tests.blobs.conftest import file, objects_in, sha256
from tests.faults import family
from tests.live import ROOT, Server, process_environment, serving
from tests.worker.processes import WAITING, execute, rows, standing_still, until

SEED, KILLS = 13, 50
LAPSE = "UPDATE blobs_blob SET leased_until = now() - interval '1 second'"
STORED = """
SELECT project_id || '/' || left(digest, 2) || '/' || digest || '.' || generation
  FROM blobs_blob WHERE state = 'stored' ORDER BY 1
"""
# Granian gives up on workers that end sooner than 5.5 s after their start.
SETTLED_SECONDS = 6.0


@dataclass
class Agent:
    """Saves files as clients do, and knows which version has to show which bytes."""

    client: httpx.Client
    session: str
    saved: dict[int, dict[str, bytes]] = field(default_factory=dict)
    error: BaseException | None = None

    def upload(self, data: bytes) -> None:
        answer = self.client.put(f"/v1/blobs/{sha256(data)}", content=data)
        assert answer.status_code in (200, 201), answer.text

    def save(self, *contents: bytes) -> None:
        """Ask what is missing, send it, name all; once more where some went since."""
        digests = {sha256(one): one for one in contents}
        for _ in range(5):
            asked = {"digests": list(digests)}
            answer = self.client.post("/v1/blobs/missing", json=asked)
            for digest in answer.json()["missing"]:
                self.upload(digests[digest])
            answer = self.name(*contents)
            if answer.status_code != 422:
                break
        assert answer.status_code == 200, answer.text
        paths = {f"file-{n}": one for n, one in enumerate(contents)}
        self.saved[answer.json()["version"]] = paths

    def name(self, *contents: bytes) -> httpx.Response:
        named = [file(f"file-{n}", one) for n, one in enumerate(contents)]
        path = f"/v1/sessions/{self.session}/state"
        body = {"state": {"files": len(named)}, "artifacts": named}
        return self.client.patch(path, json=body)

    def save_some(self, pool: list[bytes], stop: threading.Event) -> None:
        """Save again what is being collected, until told to stop."""
        chance = Random(SEED)
        try:
            while not stop.is_set():
                self.save(*chance.sample(pool, 3))
        except BaseException as error:  # noqa: BLE001 - raised in the main thread
            self.error = error

    def require_all(self) -> None:
        """Read every file of every version that was acknowledged."""
        for number, paths in self.saved.items():
            for path, data in paths.items():
                at = f"/v1/sessions/{self.session}/versions/{number}/files/{path}"
                answer = self.client.get(at)
                assert answer.status_code == 200, (number, path, answer.text)
                assert answer.content == data


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("objects")


@pytest.fixture(scope="module")
def house(worker_id: str, objects: Path) -> Iterator[Server]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STEPBACK_OBJECTS", str(objects))
        with serving(f"files_{worker_id}", workers=1) as server:
            yield server


@pytest.fixture
def agent(house: Server) -> Iterator[Agent]:
    with house.client(house.key("files")) as client:
        made = client.post("/v1/sessions", json={"agent_id": "painter"})
        assert made.status_code == 201, made.text
        yield Agent(client, made.json()["id"])


def collectors(house: Server, *arguments: object) -> str:
    """Run `tests.blobs.collectors` with the worker's login alone."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.blobs.collectors", *map(str, arguments)],
        cwd=ROOT,
        env=process_environment(Role.WORKER, house.dsn),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def require_one_object_a_row(house: Server, objects: Path) -> None:
    """After a day and a collection rows and objects are the same."""
    collectors(house, "end")
    stored = [name for (name,) in rows(house.dsn, STORED)]
    assert objects_in(objects) == stored
    ((left,),) = rows(house.dsn, "SELECT count(*) FROM blobs_blob") or [(0,)]
    assert left == len(stored)


def test_fifty_kills_of_collections_lose_nothing_that_is_named(
    house: Server, agent: Agent, objects: Path
) -> None:
    kept = [f"kept {n}".encode() for n in range(20)]
    pool = [f"pool {n}".encode() for n in range(400)]
    agent.save(*kept)
    for one in pool:
        agent.upload(one)
    execute(house.dsn, LAPSE)
    stop = threading.Event()
    saving = threading.Thread(target=agent.save_some, args=(pool, stop))
    saving.start()
    try:
        at_work = int(collectors(house, "kill", SEED, KILLS))
    finally:
        stop.set()
        saving.join(60)

    assert agent.error is None
    assert at_work >= 30, at_work
    require_one_object_a_row(house, objects)
    agent.require_all()
    saved = {data for each in agent.saved.values() for data in each.values()}
    digests = {one.rpartition("/")[2].partition(".")[0] for one in objects_in(objects)}
    assert {sha256(one) for one in saved} == digests


# Where a web worker stands still, with nothing committed.
PLACES = {
    "its row, the object is there": "INSERT ON blobs_blob",
    "its uses, the version is not there": "INSERT ON blobs_use",
}


@pytest.mark.parametrize("place", PLACES)
def test_a_web_worker_that_is_killed_leaves_no_version_without_its_files(
    house: Server, agent: Agent, objects: Path, place: str
) -> None:
    agent.save(b"before")
    data = place.encode()
    if "uses" in place:
        agent.upload(data)
    (worker,) = settled(house)
    with standing_still(house.dsn, PLACES[place]):
        asking = threading.Thread(target=unanswered, args=(agent, data))
        asking.start()
        until(lambda: rows(house.dsn, WAITING), "nobody came there")
        os.kill(worker, signal.SIGKILL)
        undo(house)
        asking.join(60)
    until(lambda: is_up(agent.client))

    head = agent.client.get(f"/v1/sessions/{agent.session}").json()
    assert head["version"] == max(agent.saved)
    agent.save(data)
    execute(house.dsn, LAPSE)
    require_one_object_a_row(house, objects)
    agent.require_all()


def unanswered(agent: Agent, data: bytes) -> None:
    with suppress(httpx.TransportError):
        agent.upload(data)
        agent.name(data)


def settled(house: Server) -> list[int]:
    """Return the web workers once they have been there for a while."""
    time.sleep(SETTLED_SECONDS)
    found: Any = family.children(house.process.pid)
    return [one for one in found if b"resource_tracker" not in family.command(one)]


def undo(house: Server) -> None:
    """End what the killed process had asked for, as if the server noticed at once."""
    end = f"SELECT pg_terminate_backend(pid) FROM ({WAITING}) AS held"
    until(lambda: not rows(house.dsn, end))


def is_up(client: httpx.Client) -> bool:
    with suppress(httpx.TransportError):
        return client.get("/health/live").status_code == 200
    return False
