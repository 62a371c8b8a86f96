"""The projector as a process: beside the jobs, killed anywhere, away for a while."""

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from apps.core.roles.names import Role
from apps.timeline.projection import Round
from apps.worker import projecting
from tests.live import ROOT, Server, manage, process_environment, serving
from tests.worker.processes import rows, until, working

KILLS = 30
WAITING = "SELECT count(*) FROM timeline_pending"


@pytest.fixture(scope="module")
def house(worker_id: str) -> Iterator[Server]:
    with serving(f"projector_{worker_id}", workers=1) as server:
        yield server


def waiting(house: Server) -> int:
    ((count,),) = rows(house.dsn, WAITING)
    return int(count)


def lived(client: httpx.Client, writes: int) -> str:
    """Write a session with turns, a fork and a rollback; return its id."""
    made = client.post("/v1/sessions", json={"agent_id": "a", "initial_state": {}})
    session = made.json()["id"]
    path = f"/v1/sessions/{session}"
    for number in range(writes):
        body = {"state": {f"k{number % 5}": number}, "reasoning": f"word{number}"}
        client.patch(f"{path}/state", json=body).raise_for_status()
    turn = {"input": "Where to?", "output": "To Rome", "state_after": {"k": 1}}
    client.post(f"{path}/turns", json=turn).raise_for_status()
    client.post(f"{path}/fork", json={"version": 3}).raise_for_status()
    client.post(f"{path}/rollback", json={"version": 2}).raise_for_status()
    return session


def test_more_is_gathered_while_appends_come_in_and_nothing_is_left() -> None:
    def pause(taken: int, *, is_cut: bool = False, seconds: float = 0.05) -> float:
        return projecting.pause_after(Round(taken, is_cut), seconds=seconds)

    # All that is written within a second is projected by its end.
    assert 0 < pause(0) == pause(1) < pause(100) < 0.5
    assert pause(8, is_cut=True) == 0
    assert pause(100, seconds=0.6) == pause(0)


def test_the_worker_projects_what_is_written_and_says_how_far_it_is(
    house: Server, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    with house.client(house.key("lag")) as client:
        lived(client, 5)
        behind = client.get("/health/ready").json()["services"]["projector"]

        with working(house.dsn, log):
            until(lambda: waiting(house) == 0, log.read_text())
            done = client.get("/health/ready").json()["services"]["projector"]

    # 0, five updates, the turn's, the rollback, and the fork's 0.
    assert (behind["status"], behind["pending"]) == ("healthy", 9)
    assert done == {"status": "healthy", "lag_seconds": 0.0, "pending": 0}
    assert log.read_text() == ""


def test_a_long_lag_is_degraded(house: Server) -> None:
    with house.client(house.key("late")) as client:
        lived(client, 3)
        rows(
            house.dsn,
            "UPDATE timeline_pending SET at = at - interval '2 minutes' RETURNING 1",
        )

        told = client.get("/health/ready")

    assert told.status_code == 200
    projector = told.json()["services"]["projector"]
    assert projector["status"] == "degraded"
    assert 120 <= projector["lag_seconds"] < 180


def test_killed_at_thirty_places_it_loses_and_repeats_nothing(
    house: Server, tmp_path: Path
) -> None:
    env = process_environment(Role.WORKER, house.dsn)
    command = [sys.executable, "-m", "tests.worker.killing_projectors", "7", str(KILLS)]
    with house.client(house.key("killed")) as client, ThreadPoolExecutor() as pool:
        lived(client, 100)
        killer = subprocess.Popen(
            command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True
        )
        written = [pool.submit(lived, client, 40) for _ in range(6)]
        killed, _ = killer.communicate(timeout=120)
        for one in written:
            one.result()
    assert (killer.returncode, killed.strip()) == (0, str(KILLS))
    ((projected,),) = rows(house.dsn, "SELECT count(*) FROM timeline_change")
    assert projected

    with working(house.dsn, tmp_path / "log"):
        until(lambda: waiting(house) == 0)

    # Change rows from the states and terms and words from all that was written, by
    # code that shares nothing with the projector.
    assert "All of it holds." in manage(house.dsn, "verify", "--search")
