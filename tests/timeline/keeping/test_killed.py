"""A removal that is killed anywhere has done nothing, and the next one does all."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha512

import httpx
import psycopg
import pytest

from apps.core.roles.names import Role
from tests.live import (
    COMMANDS,
    ROOT,
    Server,
    feed,
    manage,
    process_environment,
    serving,
)

KILLS = 30


@pytest.fixture(scope="module")
def house(worker_id: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("objects")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("STEPBACK_OBJECTS", str(folder))
        # Commands are forks of a process that has the settings of its beginning.
        COMMANDS.stop()
        with serving(f"killed_removals_{worker_id}", workers=1) as server:
            yield server
        COMMANDS.stop()


def lived(client: httpx.Client) -> str:
    """Write a session of ten versions and some turns; return its id."""
    state = {"n": 0, "text": "something long enough to build on " * 20}
    begun = {"agent_id": "a", "initial_state": state}
    session = client.post("/v1/sessions", json=begun).json()["id"]
    path = f"/v1/sessions/{session}"
    for number in range(1, 8):
        body = {"state": {"n": number}, "reasoning": f"word{number}"}
        client.patch(f"{path}/state", json=body).raise_for_status()
        if number % 3 == 0:
            turn = {
                "input": "Where to?",
                "output": "Rome",
                "state_after": {"k": number},
            }
            client.post(f"{path}/turns", json=turn).raise_for_status()
    return str(session)


def kept(client: httpx.Client, house: Server, agent: str) -> str:
    """Write the same key of an agent six times; return the id of its document."""
    made = {"name": "a", "external_id": agent}
    client.post("/v1/agents", json=made).raise_for_status()
    for number in range(6):
        value = "".join(
            sha512(b"%d" % n + b"%d" % number).hexdigest() for n in range(6)
        )
        body = {"key": "k", "value": value, "reasoning": f"word{number}"}
        client.post(f"/v1/agents/{agent}/data", json=body).raise_for_status()
    with psycopg.connect(house.dsn) as connection:
        query = (
            "SELECT id FROM timeline_session WHERE kind = 'keyed'"
            " ORDER BY created_at DESC LIMIT 1"
        )
        (row,) = connection.execute(query).fetchall()
    return str(row[0])


def test_killed_before_each_statement_it_has_done_all_or_nothing(house: Server) -> None:
    with house.client(house.key("killed")) as client:
        sessions = [lived(client) for _ in range(4)]
        for name in ("archived", "emptied", "pruned"):
            sessions.append(kept(client, house, name))
    feed(house.dsn)

    killer = subprocess.run(
        [sys.executable, "-m", "tests.timeline.keeping.killing", *sessions],
        cwd=ROOT,
        env=process_environment(Role.RETENTION, house.dsn),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert killer.returncode == 0, killer.stderr
    assert int(killer.stdout) >= KILLS
    assert "All of it holds." in manage(house.dsn, "verify")
