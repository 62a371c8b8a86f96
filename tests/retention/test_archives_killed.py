"""Sweepers that are killed in each step of archiving, in processes of their own.

Whatever they leave, the next sweep completes: every row that names an archive has it,
what no row names goes after a day, and all of it verifies.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

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
from tests.retention.archivers import PLACES
from tests.worker.processes import rows

KILLS = 60
SESSIONS = 6
NAMED = """
SELECT DISTINCT 'archives/' || session_id || '/'
       || encode(substr(data, 2, 31), 'escape')
  FROM timeline_body WHERE codec > 32
"""
FULL = "SELECT count(*) FROM timeline_body WHERE codec BETWEEN 1 AND 31 AND number < 60"
LATER = """
from datetime import timedelta
from django.utils import timezone
from apps.timeline.operations import sweep_archives
print(sweep_archives(now=timezone.now() + timedelta(days=2)))
"""


@pytest.fixture(scope="module")
def house(
    worker_id: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Server, Path]]:
    folder = tmp_path_factory.mktemp("objects")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("STEPBACK_OBJECTS", str(folder))
        # Commands are forks of a process that has the settings of its beginning.
        COMMANDS.stop()
        with serving(f"archiving_{worker_id}", workers=1) as server:
            yield server, folder
        COMMANDS.stop()


def objects(folder: Path) -> set[str]:
    """The archives that there are, without the numbers at their ends."""
    found = folder.rglob("arch_*-*")
    return {str(one.relative_to(folder)).rpartition("-")[0] for one in found}


def named(house: Server) -> set[str]:
    return {name for (name,) in rows(house.dsn, NAMED)}


def killed(house: Server, act: str) -> dict[str, int]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.retention.archivers", act, str(KILLS)],
        cwd=ROOT,
        env=process_environment(Role.RETENTION, house.dsn),
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    lines = [one.split(" ", 1) for one in done.stdout.splitlines()]
    return {place: int(count) for count, place in lines}


def told(house: Server, slug: str) -> str:
    run = f"""
from tests.retention.telling import tell_long
tell_long({slug!r}, {SESSIONS})
"""
    printed = manage(house.dsn, "shell", "--no-imports", "-c", run)
    feed(house.dsn)
    return str(json.loads(printed.splitlines()[-1])["secret"])


def test_whoever_is_killed_leaves_no_row_without_its_object(
    house: tuple[Server, Path],
) -> None:
    server, folder = house
    secret = told(server, "archived")
    with server.client(secret) as client:

        def enable(**days: int) -> None:
            policy = client.post("/v1/retention/policies", json=days).json()["id"]
            asked = {"policy_id": policy}
            preview = client.post("/v1/retention/previews", json=asked).json()["id"]
            manage(server.dsn, "retention", "--once", role=Role.RETENTION)
            path = f"/v1/retention/policies/{policy}/enable"
            assert client.post(path, json={"preview_id": preview}).is_success

        enable(archive_days=30)
        first = killed(server, "archive")
        assert named(server) <= objects(folder)
        manage(server.dsn, "verify", seconds=300)
        # A thing that is to go is in an archive, and what stays beside it comes back.
        enable(archive_days=30, empty_days=88)
        second = killed(server, "empty")
        assert named(server) <= objects(folder)

    assert all(first[place] for place in PLACES["archive"]), first
    assert all(second[place] for place in PLACES["empty"]), second
    assert sum(first.values()) + sum(second.values()) >= 50
    for _ in range(2):
        manage(server.dsn, "retention", "--once", role=Role.RETENTION)
    assert rows(server.dsn, FULL) == [(0,)]
    assert named(server) <= objects(folder)
    left = len(objects(folder) - named(server))
    assert left > 0
    swept = manage(server.dsn, "shell", "--no-imports", "-c", LATER, role=Role.WORKER)
    assert int(swept.split()[-1]) == left
    assert objects(folder) == named(server)
    manage(server.dsn, "verify", seconds=300)
