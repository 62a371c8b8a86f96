"""What the processes of `up` can do to history, from their own environment.

Each process is asked for its environment, as the kernel has it, and a program that
knows nothing else tries what somebody would who runs code there.
"""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from apps.core.postgres import locate
from apps.core.postgres.locate import DATABASE, NAMES, SUPERUSER
from apps.core.roles.names import VARIABLES, Role
from apps.core.roles.powers import ONE_ROLE, SEPARATE
from apps.server.environments import SIGNERS
from tests.server import attacking
from tests.server.test_up import (
    CLONE,
    Up,
    command,
    folders,  # noqa: F401 - fixtures
    manage,
    run,  # noqa: F401
    run_long,  # noqa: F401
)
from tests.worker.processes import until

PROCESSES = {
    Role.WEB: b"apps.server.serving",
    Role.WORKER: b"manage.py\0worker",
    Role.RETENTION: b"manage.py\0retention",
}
# Those that serve requests and run jobs: neither may change history.
APPENDING = [Role.WEB, Role.WORKER]
REFUSED = "InsufficientPrivilege"
# One's own role is one's own, and no way to more.
HARMLESS = (
    "SET ROLE {}",
    "SET SESSION AUTHORIZATION {}",
    "ALTER ROLE {} PASSWORD 'mine'",
)


@pytest.fixture(scope="module")
def up(run_long: Any, folders: Any) -> Iterator[tuple[Up, Path]]:  # noqa: F811
    data_dir = folders() / "var"
    started = run_long(data_dir, "--no-demo").ready()
    yield started, data_dir
    assert started.stop() == 0


@pytest.fixture(scope="module")
def session(up: tuple[Up, Path]) -> str:
    """A history with everything in it that somebody could want to change."""
    started, _ = up
    with client(started) as agent:
        begun = {"agent_id": "desk", "initial_state": {"city": "Rome"}}
        made = agent.post("/v1/sessions", json=begun, headers={"Idempotency-Key": "k"})
        path = f"/v1/sessions/{made.json()['id']}"
        said = {"input": "Hi", "output": "Hello"}
        assert agent.post(f"{path}/turns", json=said).status_code == 201
        patched = agent.patch(f"{path}/state", json={"state": {"city": None}})
        assert patched.status_code == 200
        assert agent.post(f"{path}/rollback", json={"version": 0}).status_code == 200
    return path


def client(started: Up) -> httpx.Client:
    assert started.key is not None
    return httpx.Client(base_url=started.url, headers={"X-API-Key": started.key})


def environ(started: Up, role: Role) -> dict[str, str]:
    """Return the environment of that process, as the kernel has it."""
    (pid, *_) = [p for p in started.family() if PROCESSES[role] in command(p)]
    said = Path(f"/proc/{pid}/environ").read_bytes().decode()
    return dict(one.split("=", 1) for one in said.split("\0") if one)


def attack(environment: dict[str, str]) -> Any:
    done = subprocess.run(
        [sys.executable, attacking.__file__],
        cwd="/",
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("role", PROCESSES)
def test_its_environment_has_its_own_login_and_no_other(
    up: tuple[Up, Path], role: Role
) -> None:
    started, data_dir = up
    until_there(started, role)
    told = environ(started, role)
    at = locate(data_dir, CLONE)

    assert told["DATABASE_URL"] == at.dsn_of(role)
    assert not set(told) & {VARIABLES[one] for one in Role if one is not Role.WEB}
    everything = "\0".join(told.values())
    for of in (SUPERUSER, *(one for one in Role if one is not role)):
        assert at.password_file(of).read_text().strip() not in everything
    # Who serves requests can verify notes and not sign any.
    signing = (data_dir / "signing_key").read_text().strip()
    # The seed is base64 and may hold a "+" of its own.
    seed = signing.split("+", 2)[2]
    assert (seed in everything) == (role in SIGNERS)
    verifier = (data_dir / "verifier_key").read_text().strip()
    assert told["STEPBACK_VERIFIER_KEY"] == verifier


@pytest.mark.parametrize("role", APPENDING)
def test_from_there_nobody_rewrites_history_or_comes_back_as_somebody_who_could(
    up: tuple[Up, Path], session: str, role: Role
) -> None:
    started, _ = up
    until_there(started, role)

    found = attack(environ(started, role))

    harmless = {one.format(NAMES[role]) for one in HARMLESS}
    came_to = found["attempts"]
    assert harmless < came_to.keys() == set(attacking.STATEMENTS)
    assert {
        statement: outcome
        for statement, outcome in came_to.items()
        if outcome != REFUSED and statement not in harmless
    } == {}
    assert set(found["logins"]) == {NAMES[role]}
    with client(started) as agent:
        verified = agent.get(f"{session}/verify").json()
    assert (verified["valid"], verified["versions_checked"]) == (True, 3)


def test_each_does_what_it_is_for_and_all_say_what_protects_history(
    up: tuple[Up, Path], session: str
) -> None:
    started, data_dir = up
    until_there(started, Role.WORKER)
    with client(started) as agent:
        patched = agent.patch(f"{session}/state", json={"state": {"n": 1}})
        verified = agent.get(f"{session}/verify").json()
        until(lambda: worker_of(agent) == "healthy")
        until(lambda: signed_to(agent, session) is not None)
        health = agent.get("/health").json()
    status, said, _ = manage("verify", "--data-dir", str(data_dir))
    migrated, _, told = manage("migrate", "--data-dir", str(data_dir))

    assert migrated == 0, told
    assert patched.status_code == 200
    assert verified["protection"] == health["protection"] == SEPARATE
    assert ONE_ROLE not in started.said
    assert status == 0
    assert said.splitlines()[2].startswith("Signatures: ")
    assert said.splitlines()[3:] == ["All of it holds."]


def test_the_worker_signs_and_what_is_cut_off_then_is_named(
    up: tuple[Up, Path],
) -> None:
    """Last in this file, because what is there is not whole afterwards."""
    started, data_dir = up
    until_there(started, Role.WORKER)
    with client(started) as agent:
        made = agent.post("/v1/sessions", json={"agent_id": "desk"}).json()["id"]
        path = f"/v1/sessions/{made}"
        for n in range(3):
            assert agent.patch(f"{path}/state", json={"state": {"n": n}}).is_success
        until(lambda: signed_to(agent, path) == 3)

        at = locate(data_dir, CLONE)
        with psycopg.connect(at.superuser_dsn(DATABASE)) as owner:
            owner.execute("SET session_replication_role = replica")
            for table in ("version", "change", "body"):
                owner.execute(
                    f"DELETE FROM timeline_{table} WHERE session_id = %s AND number=3",
                    [made],
                )
        verdict = agent.get(f"{path}/verify").json()

    assert not verdict["valid"]
    assert verdict["first_invalid"]["kind"] == "signature"
    assert "signed v3" in verdict["first_invalid"]["message"]
    assert "the history ends at v2" in verdict["first_invalid"]["message"]
    mode = (data_dir / "signing_key").stat().st_mode
    assert stat.S_IMODE(mode) == 0o600


def signed_to(agent: httpx.Client, path: str) -> int | None:
    found = agent.get(f"{path}/verify").json()["signatures"]["signed_to"]
    return None if found is None else int(found["version"])


def worker_of(agent: httpx.Client) -> str:
    return str(agent.get("/health").json()["services"]["worker"]["status"])


def until_there(started: Up, role: Role) -> None:
    until(lambda: [p for p in started.family() if PROCESSES[role] in command(p)])
