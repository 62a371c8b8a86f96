"""A server with encryption on: what is asked over every door, and what its disk holds.

Real processes: web workers, the projector, the process that seals.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import psycopg
import pytest
from psycopg import sql

from apps.core.roles.names import Role
from tests.encryption.conftest import line, served_keys
from tests.live import (
    ROOT,
    Server,
    environment,
    feed,
    free_port,
    manage,
    serving,
)

CANARY = "canary5d1e77"
EVERYTHING = {
    "state": {"said": CANARY, "deep": {"list": [CANARY]}, "count": 7},
    "reasoning": f"{CANARY} because",
    "messages": [{"role": "user", "content": f"{CANARY} hello"}],
}


@dataclass(frozen=True)
class House:
    """A served project that encrypts, with an older session from before."""

    server: Server
    client: httpx.Client
    keys: Path
    older: str
    newer: str


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("keys")
    with (
        served_keys(folder) as keys,
        serving("encrypted") as server,
        server.client(server.key("secrets")) as client,
    ):
        older = told(client)
        feed(server.dsn)
        manage(server.dsn, "encrypt", "--project", "secrets", "--accept-clear")
        # A worker knows whose a key is for half a minute; it knows no new key.
        client.headers["X-API-Key"] = server.key("secrets")
        newer = told(client)
        feed(server.dsn)
        manage(server.dsn, "retention", "--once", role=Role.RETENTION)
        yield House(server, client, keys, older, newer)


def told(client: httpx.Client) -> str:
    """Begin a session that says the canary in state, turn, reasoning and messages."""
    made = client.post(
        "/v1/sessions",
        json={"agent_id": "a", "user_id": "u", "initial_state": EVERYTHING["state"]},
    )
    assert made.is_success, made.text
    path = f"/v1/sessions/{made.json()['id']}"
    for verb, where, body in (
        ("PATCH", "state", EVERYTHING),
        ("POST", "turns", {"input": CANARY, "output": CANARY, "reasoning": CANARY}),
        ("POST", "rollback", {"version": 0, "reason": CANARY}),
    ):
        answer = client.request(verb, f"{path}/{where}", json=body)
        assert answer.is_success, answer.text
    return str(made.json()["id"])


def dumped(dsn: str) -> str:
    """Return all tables as a dump writes them, bytes as hex."""
    found = []
    with psycopg.connect(dsn) as connection:
        tables = connection.execute(
            "SELECT table_name FROM information_schema.tables"
            " WHERE table_schema = 'public' AND table_type = 'BASE TABLE'"
        ).fetchall()
        for (table,) in tables:
            copy = sql.SQL("COPY {} TO STDOUT").format(sql.Identifier(table))
            with connection.cursor().copy(copy) as rows:
                found += [bytes(part) for part in rows]
    return b"".join(found).decode(errors="replace")


def test_reads_by_the_door_and_the_ordinary_way_agree(house: House) -> None:
    for session_id in (house.older, house.newer):
        path = f"/v1/sessions/{session_id}"
        for where in ("state", "versions", "turns", "history", "verify"):
            answers = [house.client.get(f"{path}/{where}") for _ in range(3)]
            assert all(one.status_code == 200 for one in answers), where
        state = house.client.get(f"{path}/state").json()["state"]
        assert state == EVERYTHING["state"]
        assert house.client.get(f"{path}/verify").json()["valid"] is True
        versions = house.client.get(f"{path}/versions").json()["data"]
        assert f"{CANARY} because" in {one["reasoning"] for one in versions}


def test_search_finds_whole_values_and_says_what_it_does_not(house: House) -> None:
    def searched(q: str) -> tuple[set[str], list[str]]:
        body = house.client.get("/v1/search", params={"q": q}).json()
        return {one["session_id"] for one in body["data"]}, body["notices"]

    found, _ = searched(f"ever:state.said={CANARY}")
    assert found == {house.older, house.newer}
    found, notices = searched('words:"because"')
    assert found == set()
    assert any("encrypted" in one for one in notices)
    # Lists have no values of heads to look at: the heads are read.
    found, _ = searched("state.count>=7")
    assert found == {house.older, house.newer}
    found, _ = searched("state.count>7")
    assert found == set()


def test_the_canary_is_in_no_dump(house: House) -> None:
    text = dumped(house.server.dsn)
    assert house.newer in text
    assert CANARY not in text
    assert CANARY.encode().hex() not in text


def test_the_canary_is_in_no_log(house: House) -> None:
    assert CANARY not in house.server.log.read_text()


def test_agents_data_are_sealed_and_recorded_once(house: House) -> None:
    for at in range(3):
        answer = house.client.post(
            "/v1/agents/a/data", json={"key": "k", "value": f"{CANARY} {at}"}
        )
        assert answer.is_success, answer.text
    answers = [house.client.get("/v1/agents/a/data/k") for _ in range(4)]
    assert {one.json()["value"] for one in answers} == {f"{CANARY} 2"}
    assert CANARY not in dumped(house.server.dsn)
    with psycopg.connect(house.server.dsn) as connection:
        (reads,) = connection.execute(
            "SELECT count(*) FROM audit_auditrecord WHERE action = 'data.read'"
        ).fetchone() or (0,)
    assert reads == 4


def test_encrypting_without_accepting_does_nothing(house: House) -> None:
    manage(house.server.dsn, "create_project", "another")
    with pytest.raises(AssertionError, match="Nothing was done"):
        manage(house.server.dsn, "encrypt", "--project", "another")
    told_now = manage(house.server.dsn, "encrypt", "--project", "secrets")
    assert "encrypts since" in told_now


def test_a_start_with_another_key_is_refused_by_its_id(
    house: House, tmp_path: Path
) -> None:
    other = tmp_path / "keys"
    other.write_text(line("first"))
    # It makes a key to sign with, which other tests of this run must not find.
    own = {"STEPBACK_KEYS": f"file:{other}", "STEPBACK_DATA_DIR": str(tmp_path)}
    up = subprocess.run(
        [sys.executable, "manage.py", "up", "--no-demo", "--port", str(free_port())],
        cwd=ROOT,
        env=environment(house.server.dsn) | own,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert up.returncode != 0
    assert "The key first of STEPBACK_KEYS does not open" in up.stderr
    assert "is ready" not in up.stdout


def test_rotation_touches_no_body(house: House) -> None:
    file = house.keys
    bodies = "SELECT md5(string_agg(data::text, '' ORDER BY session_id, number))"
    with psycopg.connect(house.server.dsn, autocommit=True) as connection:
        before = connection.execute(f"{bodies} FROM timeline_body").fetchone()
        file.write_text(line("second") + file.read_text())
        assert "1 data keys" in manage(house.server.dsn, "rotate_keys")
        assert "0 data keys" in manage(house.server.dsn, "rotate_keys")
        after = connection.execute(f"{bodies} FROM timeline_body").fetchone()
        wrapped = connection.execute("SELECT outer_id FROM accounts_datakey")
        assert wrapped.fetchall() == [("second",)]
    assert before == after
    # The first one opens nothing any more, and nothing needs it.
    file.write_text(file.read_text().splitlines(keepends=True)[0])
    (state,) = {
        house.client.get(f"/v1/sessions/{house.newer}/state").status_code
        for _ in range(4)
    }
    assert state == 200
