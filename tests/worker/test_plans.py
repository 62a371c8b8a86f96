"""Plans with the logins of `up`: asked for over HTTP, done by a worker process.

The web's login makes, confirms and hands out; the worker's does. Each has the rights of
its role and no other, so an act that takes a right the worker lacks fails here.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.live import Server, serving
from tests.worker.processes import rows, until, working

N = 3
# An act of each kind, in an order in which each finds something to do.
ACTS: tuple[dict[str, Any], ...] = (
    {"kind": "label", "label": "seen"},
    {"kind": "review", "outcome": "failed"},
    {"kind": "hold"},
    {"kind": "resume"},
    {"kind": "rollback", "target": {"label": "seen"}},
    {"kind": "migrate", "from_schema": "1", "to_schema": "2"},
    {"kind": "export"},
)
# Nothing undoes these: the one writes nothing, the other is undone by a rollback.
ENDS = ("export", "migrate")


@pytest.fixture(scope="module")
def house(worker_id: str) -> Iterator[Server]:
    with serving(f"plans_{worker_id}", workers=1) as server:
        yield server


@pytest.fixture
def client(house: Server) -> Iterator[httpx.Client]:
    with house.client(house.key("many")) as client:
        yield client


def begun(client: httpx.Client) -> list[str]:
    asked = {"agent_id": "a", "initial_state": {"city": "Rome"}}
    return [client.post("/v1/sessions", json=asked).json()["id"] for _ in range(N)]


def declare_schemas(house: Server) -> None:
    with house.client(house.key("many", "--scope", "admin")) as admin:
        for version in ("1", "2"):
            body = {"version": version, "schema": {"type": "object"}}
            admin.post("/v1/agents/a/schemas", json=body).raise_for_status()
        steps = [{"op": "rename", "at": "/city", "to": "place"}]
        way = {"from": "1", "to": "2", "steps": steps}
        admin.post("/v1/agents/a/migrations", json=way).raise_for_status()


def confirmed(client: httpx.Client, path: str, **asked: Any) -> str:
    """Make a plan, have it done, and return its address."""
    made = client.post(path, json=asked or None)
    assert made.status_code == 201, made.text
    address = f"/v1/plans/{made.json()['id']}"
    # The worker looks as well: with its rights, at what the web's login made.
    looked = client.post(f"{address}/look")
    assert looked.status_code == 200, looked.text
    until(lambda: client.get(address).json()["status"] == "draft", looked.text)
    said = {"reason": "Bad release", "digest": client.get(address).json()["digest"]}
    answer = client.post(f"{address}/confirm", json=said)
    assert answer.status_code == 200, answer.text
    return address


def finished(client: httpx.Client, address: str) -> dict[str, Any]:
    def is_over() -> bool:
        return bool(client.get(address).json()["status"] == "finished")

    until(is_over, client.get(address).text)
    plan: dict[str, Any] = client.get(address).json()
    return plan


def test_each_act_is_done_and_undone_with_the_workers_rights(
    house: Server, client: httpx.Client, tmp_path: Path
) -> None:
    ids = begun(client)
    declare_schemas(house)
    log = tmp_path / "log"
    with working(house.dsn, log):
        for act in ACTS:
            address = confirmed(client, "/v1/plans", sessions=ids, **act)
            plan = finished(client, address)
            assert plan["counts"]["done"] == N, (plan, log.read_text())
            if act["kind"] not in ENDS:
                undo = confirmed(client, f"{address}/undo")
                counts = finished(client, undo)["counts"]
                assert counts["done"] == N, (act, counts)
                # And back again, so that the next act finds what this one has done.
                redo = confirmed(client, f"{undo}/undo")
                assert finished(client, redo)["counts"]["done"] == N, act

    assert {str(act["kind"]) for act in ACTS} == offered()
    assert "Traceback" not in log.read_text()
    archive = zipfile.ZipFile(io.BytesIO(client.get(f"{address}/archive").content))
    for id in ids:
        trailer = json.loads(archive.read(f"{id}.jsonl").splitlines()[-1])
        assert trailer["type"] == "trailer"
    done_by = "SELECT DISTINCT actor_kind FROM timeline_version WHERE op = 'pause'"
    assert rows(house.dsn, done_by) == [("key",)]


def offered() -> set[str]:
    from apps.plans.cases import OFFERED

    return {case.kind for case in OFFERED}
