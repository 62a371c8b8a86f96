"""Backups that make themselves, as a user runs them: real processes and databases."""

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import httpx
import pyrage
import pytest

from apps.core.postgres import archive, locate
from tests.databases import database
from tests.faults import family
from tests.live import ROOT, Server, environment, serving
from tests.server.test_backup import begun, heads, manage
from tests.server.test_up import Run
from tests.server.test_up import run as run  # a fixture
from tests.worker.processes import until


@pytest.fixture(scope="module")
def source(worker_id: str) -> Iterator[Server]:
    with serving(f"daily_{worker_id}", workers=1) as server:
        yield server


@pytest.fixture
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="sb-", dir="/tmp"))
    made.chmod(0o755)
    yield made / "backups"
    shutil.rmtree(made)


def test_one_is_made_encrypted_and_restored_with_its_identity(
    source: Server,
    folder: Path,
    worker_id: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with source.client(source.key("checkout")) as client:
        begun(client)
    identity, own = pyrage.x25519.Identity.generate(), tmp_path / "identity"
    own.write_text(f"{identity}\n")
    monkeypatch.setenv("STEPBACK_BACKUPS", str(folder))
    monkeypatch.setenv("STEPBACK_BACKUP_RECIPIENT", str(identity.to_public()))
    assert manage("backups", dsn=source.dsn)[1] == "No backup was made yet.\n"

    code, out, err = manage("backups", "--make", dsn=source.dsn)

    assert code == 0, err
    (file,) = folder.iterdir()
    assert out.startswith(f"Made and read back: {file.name} (")
    assert manage("backups", "--if-due", dsn=source.dsn)[:2] == (0, "")
    assert f"{file.name} (" in manage("backups", dsn=source.dsn)[1]
    with database(f"daily_restored_{worker_id}") as empty:
        code, out, err = manage("restore", "--without-journal", file, dsn=empty)
        assert (code, out) == (1, "")
        assert "is encrypted: name the file of its identity with --identity" in err
        code, out, err = manage(
            *("restore", "--without-journal", "--identity", own, file), dsn=empty
        )
        assert code == 0, err
        assert "All of it holds." in out
        assert heads(empty) == heads(source.dsn)


def test_killed_at_any_moment_it_leaves_nothing_and_the_next_makes_it(
    source: Server, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data_dir = folder.parent / "var"
    data_dir.mkdir()
    monkeypatch.setenv("STEPBACK_BACKUPS", str(folder))
    monkeypatch.setenv("STEPBACK_DATA_DIR", str(data_dir))
    at_work = 0
    for step in range(6):
        process = subprocess.Popen(
            [sys.executable, "manage.py", "backups", "--make"],
            cwd=ROOT,
            env=environment(source.dsn),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        # As soon as it has begun to dump, and a little later each time; looked for
        # often, as on a fast machine all of it takes a quarter of a second.
        assert family.wait_for(partial(has_begun, process, data_dir), 60)
        time.sleep(step * 0.05)
        at_work += process.poll() is None
        process.kill()
        process.wait()
        whole = sorted(folder.glob("stepback-*")) if folder.exists() else []
        for file in whole:
            archive.verify(locate(data_dir, ROOT).binaries, file)

    code, _, err = manage("backups", "--make", dsn=source.dsn)

    assert code == 0, err
    assert at_work > 0
    assert not list(folder.glob(".*"))
    assert not list(data_dir.glob("stepback-backup-*"))


def has_begun(process: subprocess.Popen[bytes], data_dir: Path) -> bool:
    return any(data_dir.glob("stepback-backup-*")) or process.poll() is not None


def test_one_that_cannot_be_stored_is_told_of_and_the_server_goes_on(
    source: Server, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write_text("a file where the folder should be")
    monkeypatch.setenv("STEPBACK_BACKUPS", str(folder))

    code, out, err = manage("backups", "--if-due", dsn=source.dsn)

    assert (code, out) == (1, "")
    assert err.startswith("CommandError: Cannot ")
    assert len(err.splitlines()) == 1
    assert "failed:" in manage("backups", dsn=source.dsn)[1]
    assert httpx.get(f"{source.url}/health/ready").status_code == 200


def test_up_makes_one_by_a_process_that_ends_and_says_so_in_health(
    run: Run, folder: Path
) -> None:
    data_dir, wanted = folder.parent / "var", {"STEPBACK_BACKUPS": str(folder)}
    up = run(data_dir, "--no-demo", env=wanted).ready()

    until(lambda: health(up.url) == "healthy")

    assert len(list(folder.iterdir())) == 1
    # It is written down first, then said.
    until(lambda: "Made and read back: stepback-" in up.said)
    until(lambda: not any("backups --if-due" in one for one in commands(up.family())))
    assert up.stop() == 0


def test_up_refuses_a_recipient_that_is_none(run: Run, folder: Path) -> None:
    wanted = {
        "STEPBACK_BACKUPS": str(folder),
        "STEPBACK_BACKUP_RECIPIENT": "age1wrong",
    }
    up = run(folder.parent / "var", "--no-demo", env=wanted)

    assert up.ends() == 1
    assert "STEPBACK_BACKUP_RECIPIENT is no recipient of age's" in (
        up.errors.read_text()
    )


def health(url: str) -> str:
    services = httpx.get(f"{url}/health/ready").json()["services"]
    return str(services["backups"]["status"])


def commands(pids: list[int]) -> list[str]:
    found = []
    for pid in pids:
        try:
            found.append(Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found
