"""What seals and what rotates is killed at drawn places; the next run completes it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from apps.core.roles.names import Role
from tests.encryption.conftest import line, served_keys
from tests.live import ROOT, Server, feed, manage, process_environment, serving
from tests.worker.processes import rows

SEED, KILLS = 13, 50
SESSIONS, VERSIONS = 6, 40
IN_CLEAR = "SELECT count(*) FROM timeline_body WHERE codec BETWEEN 1 AND 3"


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with served_keys(tmp_path_factory.mktemp("keys")) as file:
        yield file


@pytest.fixture(scope="module")
def house(keys: Path) -> Iterator[Server]:
    with serving("killed_sealers", workers=1) as server:
        yield server


def filled(house: Server, project: str, sessions: int = SESSIONS) -> list[str]:
    """Begin sessions of some versions and turns, and have them projected."""
    made = []
    with house.client(house.key(project)) as client:
        for at in range(sessions):
            body = {"agent_id": "a", "user_id": f"u{at}", "initial_state": {"n": 0}}
            made.append(str(_done(client.post("/v1/sessions", json=body))["id"]))
            batch = [
                {"state": {"n": number}, "reasoning": f"why {number}"}
                for number in range(VERSIONS)
            ]
            path = f"/v1/sessions/{made[-1]}"
            _done(client.post(f"{path}/versions", json={"versions": batch}))
            _done(client.post(f"{path}/turns", json={"input": "a", "output": "b"}))
    feed(house.dsn)
    return made


def _done(answer: httpx.Response) -> dict[str, object]:
    assert answer.is_success, answer.text
    found: dict[str, object] = answer.json()
    return found


def killed(house: Server, act: str, role: Role) -> int:
    """Kill so many at work; return how many had something left to do."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.encryption.sealers", act, str(SEED), str(KILLS)],
        cwd=ROOT,
        env=process_environment(role, house.dsn),
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return int(done.stdout)


def test_sealers_that_are_killed_lose_nothing(house: Server) -> None:
    sessions = filled(house, "sealed")
    manage(house.dsn, "encrypt", "--project", "sealed", "--accept-clear")
    assert killed(house, "seal", Role.RETENTION) > KILLS // 5
    manage(house.dsn, "retention", "--once", role=Role.RETENTION)
    assert rows(house.dsn, IN_CLEAR) == [(0,)]
    manage(house.dsn, "verify", "--project", "sealed", role=Role.WORKER)
    with house.client(house.key("sealed")) as client:
        for session_id in sessions:
            state = _done(client.get(f"/v1/sessions/{session_id}/state"))["state"]
            assert state == {"n": VERSIONS - 1}


def test_rotations_that_are_killed_leave_every_key_open(
    house: Server, keys: Path
) -> None:
    projects = [f"many-{at}" for at in range(25)]
    for one in projects:
        manage(house.dsn, "create_project", one)
        manage(house.dsn, "encrypt", "--project", one, "--accept-clear")
    (session_id,) = filled(house, projects[0], sessions=1)
    keys.write_text(line("second") + keys.read_text())
    assert killed(house, "rotate", Role.WEB) > 0
    manage(house.dsn, "rotate_keys")
    wrapped = rows(house.dsn, "SELECT DISTINCT outer_id FROM accounts_datakey")
    assert wrapped == [("second",)]
    keys.write_text(keys.read_text().splitlines(keepends=True)[0])
    with house.client(house.key(projects[0])) as client:
        _done(client.get(f"/v1/sessions/{session_id}/state"))
    manage(house.dsn, "verify", "--session", session_id, role=Role.WORKER)
