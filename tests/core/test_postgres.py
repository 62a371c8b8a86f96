"""The embedded PostgreSQL with real processes: starts, kills, and what they leave.

Needs no database of Django's. The folders are made in the temp folder itself, because
pytest's own are closed to others, and root hands the server to another user.
"""

import multiprocessing
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from apps.core.postgres import Cluster, Location, access, locate, made_secret, processes
from apps.core.postgres.errors import (
    BinariesMissing,
    DataFolderUnusable,
    OtherMajorVersion,
)
from apps.core.postgres.locate import NAMES, SOCKET, SUPERUSER
from apps.core.postgres.parameters import server_arguments
from apps.core.roles.names import Role

CLONE = Path(__file__).parent.parent.parent
ROOT = os.geteuid() == 0
needs_root = pytest.mark.skipif(not ROOT, reason="only root has to drop its rights")
needs_proc = pytest.mark.skipif(
    sys.platform != "linux", reason="orphans are found through /proc"
)


@pytest.fixture
def base() -> Iterator[Path]:
    """A passable folder with a short path; clusters left in it are ended."""
    folder = Path(tempfile.mkdtemp(prefix="sb-", dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    for directory in folder.rglob("postgres/data"):
        end(directory)
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A data folder that most tests share: making one takes longer than they do."""
    folder = Path(tempfile.mkdtemp(prefix="sb-", dir="/tmp"))
    folder.chmod(0o755)
    yield folder / "var"
    end(folder / "var" / "postgres" / "data")
    shutil.rmtree(folder)


@pytest.fixture
def running(place: Path) -> Iterator[Cluster]:
    """A cluster that runs; what a test does to its folder is put right again."""
    cluster = Cluster(locate(place, CLONE), durable=False)
    cluster.start()
    yield cluster
    place.chmod(0o711)
    (cluster.location.cluster_dir / "PG_VERSION").write_text("18\n")


@pytest.fixture
def stopped(running: Cluster) -> Cluster:
    """A cluster that ran before and is down."""
    running.stop()
    return running


def end(directory: Path) -> None:
    pid = processes.living_postmaster(directory)
    if pid is not None:
        os.kill(pid, signal.SIGQUIT)
        processes.wait_until_gone(pid, directory, timeout=10)
    processes.end_orphans(directory)


def keep_a_row(location: Location) -> None:
    with psycopg.connect(location.dsn_of(Role.OWNER)) as connection:
        connection.execute("DROP TABLE IF EXISTS kept")
        connection.execute("CREATE TABLE kept AS SELECT 7 AS n")


def ask(location: Location, query: str, role: Role = Role.OWNER) -> object:
    with psycopg.connect(location.dsn_of(role), autocommit=True) as connection:
        row = connection.execute(query.encode()).fetchone()
    return row[0] if row else None


def postmaster(cluster: Cluster) -> int:
    pid = processes.living_postmaster(cluster.location.cluster_dir)
    assert pid is not None
    return pid


def everything_of(cluster: Cluster) -> list[int]:
    return processes._orphans(cluster.location.cluster_dir)


def kill(*pids: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def wait_for(condition: Callable[[], object], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_it_locates_without_making_anything(base: Path) -> None:
    location = locate(None, base / "clone")

    assert location.data_dir == base / "clone" / "var"
    assert location.cluster_dir.is_relative_to(location.data_dir / "postgres")
    assert location.socket_dir.is_relative_to(location.data_dir)
    assert list(base.iterdir()) == []


def test_its_dsn_is_read_by_libpq(base: Path) -> None:
    location = locate(base / "a folder & more", CLONE)

    assert conninfo_to_dict(location.dsn_of(Role.WEB)) == {
        "user": "stepback_web",
        "dbname": "stepback",
        "host": str(base / "a folder & more" / "run"),
    }


@pytest.fixture
def strict_umask() -> Iterator[None]:
    before = os.umask(0o077)
    yield
    os.umask(before)


@pytest.mark.usefixtures("strict_umask")
def test_it_makes_a_cluster_in_an_empty_place(base: Path) -> None:
    before = locate(base / "deep" / "var", CLONE)

    assert Cluster(before).start()

    assert locate(base / "deep" / "var", CLONE) == before
    assert ask(before, "SELECT current_user") == "stepback"
    assert ask(before, "SHOW data_checksums") == "on"
    assert ask(before, "SHOW server_encoding") == "UTF8"
    assert ask(before, "SHOW fsync") == "on"
    assert ask(before, "SELECT lower('ÄÖ') || upper('é')") == "äöÉ"
    assert before.socket_dir.stat().st_mode & 0o777 == 0o700


def test_it_keeps_data_over_a_stop(running: Cluster) -> None:
    keep_a_row(running.location)

    assert running.stop()
    assert not running.is_running()
    assert not running.stop()
    assert running.start()

    assert ask(running.location, "SELECT n FROM kept") == 7


def test_it_attaches_to_a_server_that_was_left_running(running: Cluster) -> None:
    pid = postmaster(running)

    started = Cluster(running.location).start()

    assert not started
    assert postmaster(running) == pid


def test_the_owner_owns_the_database_and_nobody_is_a_superuser(
    running: Cluster,
) -> None:
    mine = "SELECT rolsuper OR rolcreaterole OR rolreplication FROM pg_roles"
    owner = "SELECT datdba::regrole::text FROM pg_database WHERE datname = 'stepback'"

    for role in Role:
        query = f"{mine} WHERE rolname = current_user"
        assert ask(running.location, query, role) is False
    assert ask(running.location, owner) == "stepback"


def test_only_a_cluster_for_tests_lets_its_owner_make_databases(
    running: Cluster,
) -> None:
    question = "SELECT rolcreatedb FROM pg_roles WHERE rolname = current_user"
    assert ask(running.location, question) is True
    assert ask(running.location, question, Role.WEB) is False

    Cluster(running.location).start()

    assert ask(running.location, question) is False


def test_every_role_has_a_password_of_its_own_and_nothing_else_lets_it_in(
    running: Cluster,
) -> None:
    at = running.location
    files = {name: at.password_file(role) for role, name in NAMES.items()}
    files[SUPERUSER] = at.password_file(SUPERUSER)
    passwords = {name: file.read_text().strip() for name, file in files.items()}

    assert len(set(passwords.values())) == len(files)
    assert {file.stat().st_mode & 0o777 for file in files.values()} == {0o600}
    tried = ("", "x", *passwords.values())
    for name, own in passwords.items():
        assert {one for one in tried if lets(at, name, one)} == {own}


def lets(at: Location, name: str, password: str) -> bool:
    where = {"host": str(at.socket_dir), "dbname": "stepback"}
    try:
        psycopg.connect(**where, user=name, password=password).close()
    except psycopg.OperationalError:
        return False
    return True


def test_only_its_own_roles_get_into_the_database(running: Cluster) -> None:
    query = "SELECT has_database_privilege('stranger', 'stepback', 'CONNECT, TEMP')"
    with psycopg.connect(running.location.superuser_dsn()) as server:
        server.execute("CREATE ROLE stranger LOGIN")
        row = server.execute(query).fetchone()
        server.rollback()

    assert row == (False,)


@pytest.mark.parametrize("is_up", [True, False], ids=["running", "stopped"])
def test_a_cluster_that_let_everybody_in_gets_passwords_and_keeps_its_data(
    running: Cluster, is_up: bool
) -> None:
    keep_a_row(running.location)
    make_open(running)
    assert lets(running.location, SUPERUSER, "")
    visitor = psycopg.connect(running.location.dsn_of(Role.OWNER))
    if not is_up:
        running.stop()

    assert running.start()

    assert not lets(running.location, SUPERUSER, "")
    assert not lets(running.location, NAMES[Role.OWNER], "")
    assert ask(running.location, "SELECT n FROM kept") == 7
    # Who was inside without a password is out.
    with pytest.raises(psycopg.OperationalError):
        visitor.execute("SELECT 1")


def make_open(cluster: Cluster) -> None:
    """Leave the cluster as those were made that had no passwords, and running."""
    at = cluster.location
    with psycopg.connect(at.superuser_dsn(), autocommit=True) as server:
        for name in (*NAMES.values(), SUPERUSER):
            server.execute(f"ALTER ROLE {name} PASSWORD NULL")
    cluster.stop()
    for one in (*Role, SUPERUSER):
        at.password_file(one).unlink()
    (at.cluster_dir / access.FILE).write_text("local all all trust\n")
    # As an earlier release would have started it.
    cluster._run(
        cluster._prepare(),
        "pg_ctl",
        *("start", "--wait", f"--pgdata={at.cluster_dir}", f"--log={at.log_dir}/old"),
        f"--options={shlex.join(server_arguments(at, durable=False))}",
    )


def test_a_start_forgets_what_a_role_did_to_its_own_login(running: Cluster) -> None:
    at = running.location
    with psycopg.connect(at.dsn_of(Role.WEB), autocommit=True) as web:
        web.execute("ALTER ROLE stepback_web SET statement_timeout = 1")
        web.execute("ALTER ROLE stepback_web IN DATABASE stepback SET lock_timeout = 1")
        web.execute("ALTER ROLE stepback_web PASSWORD 'mine'")
    assert not lets(at, NAMES[Role.WEB], at.password_file(Role.WEB).read_text().strip())

    running.start()

    assert ask(at, "SHOW statement_timeout", Role.WEB) == "30s"
    assert ask(at, "SHOW lock_timeout", Role.WEB) == "5s"
    assert ask(at, "SHOW log_min_messages", Role.WEB) == "log"


def test_a_lost_password_is_replaced(stopped: Cluster) -> None:
    at = stopped.location
    for one in (Role.WEB, SUPERUSER):
        at.password_file(one).unlink()

    assert stopped.start()

    assert ask(at, "SELECT current_user", Role.WEB) == NAMES[Role.WEB]


def test_a_wrong_password_is_told_and_can_be_replaced(running: Cluster) -> None:
    file = running.location.password_file(SUPERUSER)
    file.write_text("of another folder\n")

    with pytest.raises(DataFolderUnusable, match="remove the file"):
        running.start()
    file.unlink()

    assert running.start()
    assert running.is_running()


def test_a_lost_password_of_a_running_server_is_replaced(running: Cluster) -> None:
    running.location.password_file(SUPERUSER).unlink()

    assert running.start()

    assert running.is_running()


def test_a_start_that_was_killed_before_there_were_rules_is_made_up_for(
    stopped: Cluster,
) -> None:
    access.close(stopped.location.cluster_dir)

    assert stopped.start()

    assert not lets(stopped.location, SUPERUSER, "")


def test_it_does_not_listen_to_the_network(running: Cluster) -> None:
    assert ask(running.location, "SHOW listen_addresses") == ""
    rules = (running.location.cluster_dir / "pg_hba.conf").read_text().splitlines()
    assert not [line for line in rules if line.startswith("host")]
    with socket.socket() as other, pytest.raises(ConnectionRefusedError):
        other.connect(("127.0.0.1", 5432))


def test_no_value_reaches_the_log(running: Cluster) -> None:
    owner = running.location.dsn_of(Role.OWNER)
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute("CREATE TABLE once (word text PRIMARY KEY, n int)")
        for query in (
            "INSERT INTO once VALUES ('confidential')",
            "INSERT INTO once VALUES ('confidential')",
            "INSERT INTO once VALUES ('other', 'confidential')",
            "SELECT * FROM confidential",
        ):
            with suppress(psycopg.Error):
                connection.execute(query)
        with suppress(psycopg.Error):
            connection.execute("SELECT %s::int", ["confidential"])

    logs = list(running.location.log_dir.glob("*.log"))
    assert logs
    assert all("confidential" not in log.read_text() for log in logs)


def test_it_recovers_from_a_killed_postmaster(stopped: Cluster) -> None:
    durable = Cluster(stopped.location)
    durable.start()
    keep_a_row(durable.location)

    kill(postmaster(durable))

    assert durable.start()
    assert ask(durable.location, "SELECT n FROM kept") == 7


@needs_proc
def test_it_ends_an_orphan_that_is_still_busy(running: Cluster) -> None:
    busy = psycopg.connect(running.location.dsn_of(Role.OWNER))
    orphan = busy.info.backend_pid
    # A stopped process notices nothing, as a query that computes does not.
    os.kill(orphan, signal.SIGSTOP)
    kill(postmaster(running))

    assert running.start()

    wait_for(lambda: orphan not in everything_of(running))
    busy.close()


@needs_proc
def test_it_recovers_when_everything_is_killed(running: Cluster) -> None:
    kill(*everything_of(running))

    assert running.start()
    assert running.is_running()


@needs_root
@needs_proc
def test_root_without_the_right_to_trace_attaches(running: Cluster) -> None:
    pid = postmaster(running)

    # This is how root is in most containers: it may not look into others' processes.
    subprocess.run(
        [
            *("setpriv", "--bounding-set", "-sys_ptrace", sys.executable, "-c", START),
            *(str(running.location.data_dir), str(CLONE)),
        ],
        cwd=CLONE,
        check=True,
    )

    assert postmaster(running) == pid


@needs_proc
def test_it_is_not_misled_by_a_pid_that_is_somebody_elses(stopped: Cluster) -> None:
    other = subprocess.Popen(["sleep", "60"])
    leave_stale_files(stopped, other.pid)

    assert stopped.start()

    assert other.poll() is None
    other.kill()
    other.wait()


@needs_proc
def test_it_is_not_misled_by_a_zombie(stopped: Cluster) -> None:
    zombie = subprocess.Popen(["true"])
    stat = Path(f"/proc/{zombie.pid}/stat")
    wait_for(lambda: stat.read_text().rpartition(")")[2].split()[0] == "Z")
    leave_stale_files(stopped, zombie.pid)

    assert stopped.start()

    zombie.wait()


def leave_stale_files(cluster: Cluster, pid: int) -> None:
    at = cluster.location
    content = f"{pid}\n{at.cluster_dir}\n1700000000\n5432\n{at.socket_dir}\n\n"
    (at.cluster_dir / "postmaster.pid").write_text(content)
    (at.socket_dir / f"{SOCKET}.lock").write_text(content)
    (at.socket_dir / SOCKET).touch()


def test_it_makes_the_cluster_again_after_a_killed_initdb(base: Path) -> None:
    location = locate(base / "var", CLONE)
    starter = subprocess.Popen(
        [sys.executable, "-c", START, str(base / "var"), str(CLONE)], cwd=CLONE
    )
    wait_for(lambda: list(location.server_dir.glob("unfinished-*/base/*/*")))
    kill(starter.pid)
    starter.wait()
    assert not location.cluster_dir.exists()

    assert Cluster(location, durable=False).start()

    assert not list(location.server_dir.glob("unfinished-*/base"))


START = """
import sys
from pathlib import Path
from apps.core.postgres import Cluster, locate
Cluster(locate(Path(sys.argv[1]), Path(sys.argv[2])), durable=False).start()
"""


def test_it_makes_up_for_a_first_start_that_got_no_further(running: Cluster) -> None:
    with psycopg.connect(
        running.location.superuser_dsn(), autocommit=True
    ) as connection:
        connection.execute("DROP DATABASE stepback")
        for name in NAMES.values():
            connection.execute(f"DROP ROLE {name}")

    assert not running.start()

    assert ask(running.location, "SELECT current_user") == "stepback"


def test_it_refuses_the_data_of_another_major_version(stopped: Cluster) -> None:
    (stopped.location.cluster_dir / "PG_VERSION").write_text("16\n")

    with pytest.raises(OtherMajorVersion, match="PostgreSQL 16, this is PostgreSQL 18"):
        stopped.start()


def test_it_refuses_a_folder_that_holds_something_else(base: Path) -> None:
    location = locate(base / "var", CLONE)
    location.cluster_dir.mkdir(parents=True)
    (location.cluster_dir / "holiday.txt").touch()
    if ROOT:
        location.data_dir.chmod(0o711)

    with pytest.raises(DataFolderUnusable, match="not a PostgreSQL cluster"):
        Cluster(location).start()


def test_it_says_so_when_the_wheel_is_missing(base: Path) -> None:
    location = locate(base / "var", CLONE)
    empty = replace(location.binaries, site=base)

    with pytest.raises(BinariesMissing, match="DATABASE_URL"):
        Cluster(replace(location, binaries=empty)).start()


@pytest.mark.parametrize("name", ["long" * 30, "a,b"])
def test_it_uses_a_short_socket_folder_where_libpq_needs_one(
    base: Path, name: str
) -> None:
    location = locate(base / name, CLONE)
    cluster = Cluster(location, durable=False)

    cluster.start()

    assert location.socket_dir.parent == Path("/tmp")
    assert location.socket_dir.stat().st_mode & 0o777 == 0o700
    assert ask(location, "SELECT 1") == 1
    cluster.stop()
    location.socket_dir.rmdir()


def test_it_refuses_a_socket_folder_that_is_only_a_link(base: Path) -> None:
    location = locate(base / ("long" * 30), CLONE)
    location.socket_dir.symlink_to(base)

    try:
        with pytest.raises(DataFolderUnusable):
            Cluster(location, durable=False).start()
    finally:
        location.socket_dir.unlink()


def test_it_replaces_a_server_whose_socket_was_swept_away(running: Cluster) -> None:
    pid = postmaster(running)
    (running.location.socket_dir / SOCKET).unlink()

    assert running.start()

    assert postmaster(running) != pid


def test_two_who_start_a_new_place_get_one_server(base: Path) -> None:
    starters = [
        subprocess.Popen(
            [sys.executable, "-c", START, str(base / "var"), str(CLONE)], cwd=CLONE
        )
        for _ in range(2)
    ]

    assert [starter.wait(60) for starter in starters] == [0, 0]
    assert Cluster(locate(base / "var", CLONE)).is_running()


@needs_root
def test_root_moves_out_of_a_closed_folder(base: Path) -> None:
    closed = base / "closed"
    closed.mkdir(mode=0o700)
    location = locate(None, closed / "clone", system_dir=base / "system")
    cluster = Cluster(location, durable=False)

    cluster.start()

    assert location.data_dir.is_relative_to(base / "system")
    assert any(str(location.data_dir) in note for note in location.notes)
    assert closed.stat().st_mode & 0o777 == 0o700
    assert location.cluster_dir.stat().st_uid != 0
    assert ask(location, "SELECT 1") == 1


@needs_root
def test_root_copies_programs_that_cannot_be_reached(base: Path) -> None:
    wheel = locate(base / "var", CLONE).binaries
    copied = replace(wheel, site=base / "system" / "copy", copy_from=wheel.site)
    location = replace(locate(base / "var", CLONE), binaries=copied)

    Cluster(location, durable=False).start()
    copied.install()

    assert ask(location, "SELECT 1") == 1
    assert [entry.name for entry in (base / "system").iterdir()] == ["copy"]


@needs_root
def test_root_does_not_start_anew_beside_data_it_cannot_reach(stopped: Cluster) -> None:
    stopped.location.data_dir.chmod(0o700)

    location = locate(stopped.location.data_dir, CLONE)

    assert location.data_dir == stopped.location.data_dir
    with pytest.raises(DataFolderUnusable, match="cannot reach"):
        Cluster(location).start()


def test_all_who_ask_for_the_secret_key_at_once_get_the_same(base: Path) -> None:
    file = base / "deep" / "secret_key"
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        keys = pool.map(made_secret, [file] * 16, chunksize=1)

    assert len(set(keys)) == 1
    assert len(keys[0]) >= 50
    assert file.stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in file.parent.iterdir()] == ["secret_key"]


def test_an_empty_secret_key_is_refused(base: Path) -> None:
    (base / "secret_key").touch()

    with pytest.raises(DataFolderUnusable, match="empty"):
        made_secret(base / "secret_key")
