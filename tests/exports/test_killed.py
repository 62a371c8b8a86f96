"""kill -9 of the worker in each step of an export: the next one completes it, whole.

Each step is caught where it has written something and not all, with nothing committed.
No row is ever without its object, and what is left of no row goes.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.blobs.conftest import objects_in
from tests.erasures.leaving import done, leave
from tests.erasures.served import Caller
from tests.live import Server, serving
from tests.worker.processes import (
    WAITING,
    execute,
    kill,
    rows,
    standing_still,
    until,
    working,
)

SETTINGS = {"STEPBACK_SWEEP_SECONDS": "2"}
# Where a worker stands still: the statement, and of which rows.
MAKING = {
    "behind an object": ("INSERT ON exports_piece", "NEW.number = 0"),
    "behind its row": ("UPDATE ON exports_export", "NEW.pieces > OLD.pieces"),
    "behind the file": ("UPDATE ON exports_export", "NEW.state = 'ready'"),
}
ENDING = {
    "before the end": ("UPDATE ON exports_export", "NEW.state = 'expired'"),
    "behind the objects": ("DELETE ON exports_piece", "true"),
}
PIECES = "SELECT export_id, number, generation FROM exports_piece"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("store") / "objects"


@pytest.fixture(scope="module")
def house(worker_id: str, store: Path) -> Iterator[Server]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STEPBACK_OBJECTS", str(store))
        with serving(f"exported_{worker_id}", workers=1) as server:
            yield server


@pytest.fixture(scope="module")
def admin(house: Server) -> Iterator[Caller]:
    with house.client(house.key("checkout", "--scope", "admin")) as client:
        yield Caller(client)


def die_at(house: Server, store: Path, log: Path, event: str, condition: str) -> None:
    """Have a worker killed where it stands still; it leaves nothing committed."""
    with standing_still(house.dsn, event, condition):
        with working(house.dsn, log, **SETTINGS) as process:
            until(lambda: rows(house.dsn, WAITING), "nobody came there")
            assert_no_row_is_without_its_object(house, store)
            kill(process)
        end = f"SELECT pg_terminate_backend(pid) FROM ({WAITING}) AS held"
        until(lambda: not rows(house.dsn, end))


def objects_of(house: Server) -> set[str]:
    found = rows(house.dsn, PIECES)
    return {f"exports/{id}/{number:06}-{gen}" for id, number, gen in found}


def assert_no_row_is_without_its_object(house: Server, store: Path) -> None:
    assert objects_of(house) <= set(objects_in(store))


def state_of(admin: Caller, export: Any) -> str:
    return str(done(admin.get(f"/v1/exports/{export['id']}"))["state"])


def test_a_worker_that_is_killed_in_any_step_leaves_a_file_that_is_whole(
    house: Server, admin: Caller, store: Path, tmp_path: Path
) -> None:
    run = leave(admin, user="ann")
    asked = {"kind": "person", "user_id": "ann", "unmasked": True}
    exports = []
    for event, condition in MAKING.values():
        export = done(admin.post("/v1/exports", asked))
        die_at(house, store, tmp_path / "log", event, condition)
        assert state_of(admin, export) == "making"
        exports.append(export)

    with working(house.dsn, tmp_path / "log", **SETTINGS):
        until(lambda: all(state_of(admin, one) == "ready" for one in exports))

    for export in exports:
        told = done(admin.get(f"/v1/exports/{export['id']}"))
        file = admin.get(f"/v1/exports/{export['id']}/file").content
        assert hashlib.sha256(file).hexdigest() == told["sha256"]
        with zipfile.ZipFile(io.BytesIO(file)) as archive:
            assert archive.testzip() is None
            names = archive.namelist()
            assert len(names) == len(set(names))
            (manifest,) = archive.read("manifest.json").splitlines()
            assert json.loads(manifest)["user_id"] == "ann"
            assert f"sessions/{run.id}/session.json" in names
    # What killed steps wrote has no row, and may be one only for a day.
    assert_no_row_is_without_its_object(house, store)
    assert set(objects_in(store)) - objects_of(house)


def test_a_worker_that_is_killed_while_files_go_leaves_none_in_the_end(
    house: Server, admin: Caller, store: Path, tmp_path: Path
) -> None:
    begin = "INSERT INTO procrastinate_jobs (queue_name, task_name, args) VALUES"
    hourly = f"{begin} ('default', 'forget_exports', '{{\"timestamp\": 0}}')"
    leave(admin, user="ben")
    for event, condition in ENDING.values():
        export = done(admin.post("/v1/exports", {"kind": "trajectories"}))
        with working(house.dsn, tmp_path / "log", **SETTINGS):
            until(lambda one=export: state_of(admin, one) == "ready")
        execute(
            house.dsn,
            "UPDATE exports_export SET expires_at = now() - interval '1 minute'",
            hourly,
        )
        with standing_still(house.dsn, event, condition):
            with working(house.dsn, tmp_path / "log", **SETTINGS) as process:
                until(lambda: rows(house.dsn, WAITING), "nobody came there")
                kill(process)
            end = f"SELECT pg_terminate_backend(pid) FROM ({WAITING}) AS held"
            until(lambda end=end: not rows(house.dsn, end))
        assert admin.get(f"/v1/exports/{export['id']}/file").status == 404

    execute(house.dsn, hourly)
    with working(house.dsn, tmp_path / "log", **SETTINGS):
        until(lambda: not rows(house.dsn, PIECES))
        until(lambda: objects_in(store) == [])
    assert rows(house.dsn, "SELECT DISTINCT state FROM exports_export") == [
        ("expired",)
    ]
