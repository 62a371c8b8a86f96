"""`manage.py backup` and `restore` as a user runs them: real processes and databases.

The source is a real server that is written to while it is backed up.
"""

import shutil
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import psycopg
import pytest

from apps.core.notes.signed import SigningKey
from apps.core.postgres import Cluster, locate
from apps.core.roles.names import Role
from tests.databases import database
from tests.live import ROOT, Server, environment, process_environment, serving

HEADS = (
    "SELECT DISTINCT ON (session_id) session_id, number, chain FROM timeline_version"
    " ORDER BY session_id, number DESC"
)
HAS_TABLES = "SELECT to_regclass('accounts_project') IS NOT NULL"


class Writer(threading.Thread):
    """Writes to one session until it is told to stop; the backup must not stop it."""

    def __init__(self, client: httpx.Client) -> None:
        super().__init__()
        self.client = client
        self.id = begun(client)
        self.written = 0
        self.failed = ""
        self.ending = threading.Event()

    def run(self) -> None:
        while not self.ending.is_set():
            answer = patched(self.client, self.id, self.written)
            if answer.status_code != 200:
                self.failed = answer.text
                return
            self.written += 1


def begun(client: httpx.Client) -> str:
    body = {"agent_id": "writer", "initial_state": {"n": -1, "text": "Paris. " * 50}}
    return str(client.post("/v1/sessions", json=body).json()["id"])


def patched(client: httpx.Client, session_id: str, n: int) -> httpx.Response:
    return client.patch(f"/v1/sessions/{session_id}/state", json={"state": {"n": n}})


def manage(
    *arguments: str | Path, dsn: str | None = None, role: Role | None = None
) -> tuple[int, str, str]:
    """Run a command on a database of one's own, or without one on a data folder."""
    env = process_environment(role, dsn or "") if role else environment(dsn or "")
    env |= {"STEPBACK_LOG_LEVEL": "INFO"}
    done = subprocess.run(
        [sys.executable, "manage.py", *map(str, arguments)],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout, done.stderr


def heads(dsn: str) -> dict[str, tuple[int, bytes]]:
    with psycopg.connect(dsn) as connection:
        return {row[0]: row[1:] for row in connection.execute(HEADS).fetchall()}


@pytest.fixture(scope="module")
def source(worker_id: str) -> Iterator[Server]:
    """A server on a database of its own."""
    with serving(f"backup_{worker_id}", workers=1) as server:
        yield server


@pytest.fixture(scope="module")
def client(source: Server) -> Iterator[httpx.Client]:
    """An agent, who left a few sessions that nobody writes to any more."""
    with source.client(source.key("checkout")) as client:
        for _ in range(3):
            patched(client, begun(client), 0)
        yield client


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder that others can pass: root hands PostgreSQL to another user."""
    made = Path(tempfile.mkdtemp(prefix="sb-", dir="/tmp"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.fixture(scope="module")
def saved(source: Server, client: httpx.Client, folder: Path) -> Path:
    """A backup of the source."""
    file = folder / "saved.backup"
    code, _, err = manage("backup", file, dsn=source.dsn)
    assert code == 0, err
    return file


@pytest.fixture
def empty(worker_id: str) -> Iterator[str]:
    with database(f"restored_{worker_id}") as dsn:
        yield dsn


def test_a_backup_while_an_agent_writes_is_restored_as_one_moment(
    source: Server, client: httpx.Client, folder: Path
) -> None:
    file, data_dir = folder / "online.backup", folder / "var"
    quiet = heads(source.dsn)
    writer = Writer(client)
    writer.start()
    before = writer.written
    done = manage("backup", file, dsn=source.dsn)
    # One more may be stored whose answer has not come yet.
    after = writer.written + 1
    writer.ending.set()
    writer.join()

    code, out, err = manage(
        "restore", "--without-journal", file, "--data-dir", data_dir
    )

    assert (done[0], code) == (0, 0), done[2] + err
    assert not writer.failed
    assert after > before + 1
    assert "All of it holds." in out
    cluster = Cluster(locate(data_dir, ROOT))
    assert cluster.start(), "restore left the server running"
    try:
        restored = heads(cluster.location.dsn_of(Role.WEB))
    finally:
        cluster.stop()
    number, chain = restored.pop(writer.id)
    assert restored == quiet
    assert before <= number <= after
    assert chain == chain_at(source.dsn, writer.id, number)


def chain_at(dsn: str, session_id: str, number: int) -> bytes:
    query = "SELECT chain FROM timeline_version WHERE session_id = %s AND number = %s"
    with psycopg.connect(dsn) as connection:
        found = connection.execute(query, [session_id, number]).fetchone()
    assert found is not None
    return bytes(found[0])


def test_a_backup_is_for_its_owner_alone_and_leaves_nothing_beside_it(
    saved: Path,
) -> None:
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600
    assert not list(saved.parent.glob(".*"))


def test_a_backup_never_takes_the_place_of_a_file(source: Server, saved: Path) -> None:
    before = saved.read_bytes()

    code, out, err = manage("backup", saved, dsn=source.dsn)

    assert (code, out) == (1, "")
    assert err == f"CommandError: {saved} is there already: name another file.\n"
    assert saved.read_bytes() == before


def test_a_backup_into_no_folder_is_refused_in_one_sentence(
    source: Server, folder: Path
) -> None:
    code, _, err = manage("backup", folder / "none" / "file", dsn=source.dsn)

    assert code == 1
    assert err.startswith(f"CommandError: Cannot write to {folder / 'none'}: ")
    assert len(err.splitlines()) == 1


def test_a_restore_into_a_used_database_is_refused(source: Server, saved: Path) -> None:
    before = heads(source.dsn)

    code, _, err = manage("restore", "--without-journal", saved, dsn=source.dsn)

    assert code == 1
    assert "The database is in use (accounts_project has rows)" in err
    assert len(err.splitlines()) == 1
    assert heads(source.dsn) == before


@pytest.mark.parametrize("damage", ["cut", "changed", "something else", "missing"])
def test_a_damaged_file_is_refused_in_one_sentence(
    damage: str, saved: Path, empty: str, tmp_path: Path
) -> None:
    whole = saved.read_bytes()
    place = whole.index(b"\x78\x01", len(whole) // 2) + 40
    changed = whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :]
    file = tmp_path / "damaged"
    if damage != "missing":
        file.write_bytes(
            {
                "cut": whole[: len(whole) * 3 // 4],
                "changed": changed,
                "something else": b"Not a backup.",
            }[damage]
        )

    code, out, err = manage("restore", "--without-journal", file, dsn=empty)

    assert (code, out) == (1, "")
    assert err.startswith("CommandError: ")
    assert len(err.splitlines()) == 1
    with psycopg.connect(empty) as connection:
        assert connection.execute(HAS_TABLES).fetchone() == (False,)


def test_a_restore_takes_the_place_of_tables_that_nobody_used(
    source: Server, saved: Path, empty: str
) -> None:
    assert manage("migrate", "--verbosity", "0", dsn=empty)[0] == 0

    code, out, err = manage("restore", "--without-journal", saved, dsn=empty)

    assert code == 0, err
    assert "All of it holds." in out
    assert set(heads(empty).items()) <= set(heads(source.dsn).items())
    assert len(heads(empty)) >= 3


SIGN = (
    "from django.utils import timezone; from apps.witness import signing; "
    "from tests.feeding import feed_all; feed_all(); "
    "print(signing.sweep(now=timezone.now()))"
)


def signed(dsn: str) -> int:
    shell = "shell", "--no-imports", "-c", SIGN
    code, said, err = manage(*shell, dsn=dsn, role=Role.WORKER)
    assert code == 0, err
    return int(said.split()[-1])


def test_a_restore_signs_that_it_went_back_and_without_it_that_is_named(
    source: Server,
    client: httpx.Client,
    empty: str,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    key, file = SigningKey.made("stepback/backup"), folder / "signed.backup"
    monkeypatch.setenv("STEPBACK_VERIFIER_KEY", str(key.verifier))
    monkeypatch.setenv("STEPBACK_SIGNING_KEY", key.secret())
    monkeypatch.setenv("STEPBACK_ROOTS", str(tmp_path / "roots"))
    session, later = begun(client), ""
    assert signed(source.dsn) == 1
    code, said, err = manage("backup", file, dsn=source.dsn)
    assert code == 0, err
    assert f"copy {tmp_path / 'roots'} as well" in said
    patched(client, session, 1)
    later = begun(client)
    assert signed(source.dsn) == 1
    code, said, err = manage("verify", dsn=source.dsn)
    assert code == 0, err
    with monkeypatch.context() as without:
        without.setenv("STEPBACK_SIGNING_KEY", "")
        with database(f"unsigned_{empty.rpartition('/')[2][:20]}") as unsigned:
            code, said, err = manage("restore", "--without-journal", file, dsn=unsigned)
            assert code == 1
            assert "there is no signing key here" in said
            assert f"{session} v1 (signature): " in err
            assert "the history ends at v0" in err
            assert f"{later} v0 (signature): " in err

    code, said, err = manage("restore", "--without-journal", file, dsn=empty)

    assert code == 0, err
    assert "Signed in note 3 that it went back: 2 heads are earlier ones" in said
    assert "Went back, as note 3 of " in said
    assert "manage.py restore of signed.backup, SHA-256 " in said
    assert "All of it holds." in said
    # The worker looks at everything once, and finds nothing that it does not know.
    assert signed(empty) == 0


def test_what_does_not_hold_is_named_after_the_restore(
    source: Server, client: httpx.Client, empty: str, folder: Path
) -> None:
    """Last in this file, because the source is not whole afterwards."""
    broken = min(heads(source.dsn))
    with psycopg.connect(source.dsn) as connection:
        connection.execute("ALTER TABLE timeline_version DISABLE TRIGGER USER")
        connection.execute(
            "UPDATE timeline_version SET leaf = %s WHERE session_id = %s AND number=1",
            [bytes(32), broken],
        )
        connection.execute("ALTER TABLE timeline_version ENABLE TRIGGER USER")
    assert manage("backup", folder / "broken.backup", dsn=source.dsn)[0] == 0

    code, _, err = manage(
        "restore", "--without-journal", folder / "broken.backup", dsn=empty
    )

    assert code == 1
    assert f"The first broken link: {broken} v1" in err
