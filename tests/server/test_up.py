"""`manage.py up` as a user runs it: real processes, kills, and what they leave.

Needs no database of Django's. Data folders are made in the temp folder itself, because
pytest's own are closed to others, and root hands PostgreSQL to another user.
"""

import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import httpx
import psycopg
import pytest

from apps.core.postgres import Cluster, locate, processes
from apps.core.roles.names import VARIABLES, Role
from apps.demo import week
from tests.worker.processes import until

CLONE = Path(__file__).parent.parent.parent
# A busy machine takes a minute to load the demo.
PATIENCE = 120.0
# 96 MB measured: what it holds does not grow with what is kept.
RETENTION_KB = 200_000
SIGNED = re.compile(r"http://127\.0\.0\.1:\d+/signin/\S+")
KEY = re.compile(r"\bsb_[0-9a-f]{64}\b")
OURS = (
    *VARIABLES.values(),
    *("STEPBACK_DATA_DIR", "STEPBACK_PREPARE", "DJANGO_SETTINGS_MODULE"),
    "ALLOWED_HOSTS",
)
SYSTEM_PYTHON = Path("/usr/bin/python3.11")
PLAIN = pwd.getpwnam("daemon")
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be two users")

# Without those of agents' data.
VERSIONS_OF_SESSIONS = """
SELECT count(*) FROM timeline_version v JOIN timeline_session s ON s.id = v.session_id
 WHERE s.kind = 'session'
"""


@dataclass
class Up:
    """One run of `up`, and what it said so far."""

    process: subprocess.Popen[str]
    port: int
    errors: Path
    lines: list[str] = field(default_factory=list)

    @property
    def said(self) -> str:
        return "\n".join(self.lines)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def key(self) -> str | None:
        found = KEY.search(self.said)
        return found and found[0]

    @property
    def link(self) -> str:
        found = SIGNED.search(self.said)
        assert found is not None, self.said
        return found[0]

    def listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    def until(self, text: str) -> "Up":
        """Wait for it to say this."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.said:
            assert self.process.poll() is None, self.said + self.errors.read_text()
            assert time.monotonic() < deadline, self.said + self.errors.read_text()
            time.sleep(0.02)
        return self

    def ready(self) -> "Up":
        return self.until("Press Ctrl-C")

    def ends(self) -> int:
        return self.process.wait(PATIENCE)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.ends()

    def family(self) -> list[int]:
        """Return its pid and those of all that came from it."""
        parents = {}
        for entry in Path("/proc").glob("[0-9]*/stat"):
            with suppress(FileNotFoundError, ProcessLookupError):
                fields = entry.read_text().rpartition(")")[2].split()
                parents[int(entry.parent.name)] = int(fields[1])
        found = [self.process.pid]
        for pid in found:  # grows while it is read
            found += [child for child, parent in parents.items() if parent == pid]
        return found

    def web(self) -> set[int]:
        """Return the pids of the web server's processes."""
        found = set()
        for pid in self.family():
            if b"apps.server.serving" in command(pid):
                found.add(pid)
        return found


Run = Callable[..., Up]


@pytest.fixture
def run() -> Iterator[Run]:
    """Start `up` for one test."""
    with runs() as start:
        yield start


@pytest.fixture(scope="module")
def run_long() -> Iterator[Run]:
    """Start `up` for all tests of the module."""
    with runs() as start:
        yield start


@contextmanager
def runs() -> Iterator[Run]:
    """Start `up` in processes; whatever is left of them at the end is killed by pid."""
    started: list[tuple[Up, threading.Thread]] = []

    def start(
        data_dir: Path | None,
        *options: str,
        port: int | None = None,
        clone: Path = CLONE,
        env: dict[str, str] | None = None,
        python: str = sys.executable,
        user: pwd.struct_passwd | None = None,
    ) -> Up:
        port = port or free_port()
        options += () if data_dir is None else ("--data-dir", str(data_dir))
        descriptor, name = tempfile.mkstemp(prefix="stepback-up-")
        with os.fdopen(descriptor, "w") as errors:
            process = subprocess.Popen(
                [python, str(clone / "manage.py"), "up", f"--port={port}", *options],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                cwd="/",
                env=clean_environment() | (env or {}),
                **as_user(user),
            )
        made = Up(process, port, Path(name))
        listener = threading.Thread(target=made.listen)
        listener.start()
        started.append((made, listener))
        return made

    try:
        yield start
    finally:
        clear(started)


def clear(started: list[tuple[Up, threading.Thread]]) -> None:
    for made, listener in started:
        family = made.family() if made.process.poll() is None else []
        for pid in family:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        made.process.wait()
        listener.join()
        made.process.stdout.close()
        made.errors.unlink()


@pytest.fixture(scope="module")
def folders() -> Iterator[Callable[[], Path]]:
    """Make folders that others can pass; clusters left in them are ended."""
    made = []

    def make() -> Path:
        folder = Path(tempfile.mkdtemp(prefix="sb-", dir="/tmp"))
        folder.chmod(0o755)
        made.append(folder)
        return folder

    yield make
    for folder in made:
        end_clusters(folder)
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def running() -> list[Up]:
    """What is looked at and goes on running."""
    return []


@pytest.fixture(scope="module")
def shown(
    run_long: Run, folders: Callable[[], Path], running: list[Up]
) -> Iterator[tuple[Up, Path]]:
    """A first start with the demo, running, and its data folder."""
    data_dir = folders() / "var"
    running.append(run_long(data_dir).ready())
    yield running[-1], data_dir
    running[-1].stop()


@pytest.fixture(scope="module")
def settled(run_long: Run, folders: Callable[[], Path], running: list[Up]) -> Path:
    """The data folder of an installation that was started and stopped before.

    Nobody looks any more at what runs: its worker took a twentieth of a processor.
    """
    for up in running:
        up.stop()
    data_dir = folders() / "var"
    assert run_long(data_dir, "--no-demo").ready().stop() == 0
    return data_dir


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def as_user(user: pwd.struct_passwd | None) -> dict[str, object]:
    if user is None:
        return {}
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def clean_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in OURS}


def manage(*arguments: str, env: dict[str, str] | None = None) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, str(CLONE / "manage.py"), *arguments],
        capture_output=True,
        text=True,
        cwd="/",
        env=clean_environment() | (env or {}),
        timeout=PATIENCE,
    )
    return done.returncode, done.stdout, done.stderr


def end_clusters(folder: Path) -> None:
    for directory in folder.rglob("postgres/data"):
        pid = processes.living_postmaster(directory)
        if pid is not None:
            os.kill(pid, signal.SIGQUIT)
            processes.wait_until_gone(pid, directory, timeout=10)
        processes.end_orphans(directory)


def postmaster(data_dir: Path) -> int:
    pid = processes.living_postmaster(locate(data_dir, CLONE).cluster_dir)
    assert pid is not None
    return pid


def is_gone(pid: int) -> bool:
    """Whether no process has it, or only a zombie that somebody else must collect."""
    try:
        return (
            Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        )
    except (FileNotFoundError, ProcessLookupError):
        return True


def command(pid: int) -> bytes:
    """Return its command line; of one that has ended meanwhile, nothing."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def rows(dsn: str, query: str) -> list[tuple[object, ...]]:
    with psycopg.connect(dsn) as connection:
        return connection.execute(query).fetchall()


def made(data_dir: Path) -> tuple[object, ...]:
    """Return by what a cluster and its tables are known: they were made then."""
    location = locate(data_dir, CLONE)
    written = (location.cluster_dir / "PG_VERSION").stat()
    owner = location.dsn_of(Role.OWNER)
    return (
        written.st_ino,
        written.st_mtime_ns,
        rows(owner, "SELECT system_identifier FROM pg_control_system()"),
        rows(owner, "SELECT id, applied FROM django_migrations ORDER BY id"),
    )


def test_the_first_start_says_what_it_does_and_shows_link_and_key(shown):
    up, data_dir = shown

    assert f"Data is in {data_dir}" in up.said
    assert "Making the tables." in up.said
    assert "Loading the demo" in up.said
    assert f"ready at {up.url}/" in up.said
    assert up.link.startswith(f"{up.url}/signin/")
    assert "API key of project demo" in up.said
    assert up.key


def test_the_console_answers_at_the_address(shown):
    up, _ = shown

    assert httpx.get(f"{up.url}/health/ready").json()["status"] == "healthy"


def test_neither_key_nor_link_is_logged(shown):
    up, _ = shown

    logged = up.errors.read_text()
    assert up.key not in logged
    assert up.link.rpartition("/")[2] not in logged


def test_the_link_signs_in_the_first_administrator_once(shown):
    up, data_dir = shown

    with httpx.Client(base_url=up.url) as browser:
        page = browser.get(up.link)
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)
        assert token is not None
        pressed = {"csrfmiddlewaretoken": token[1]}
        first = browser.post(up.link, data=pressed, headers={"Referer": up.link})

    assert page.status_code == 200
    assert first.status_code in (302, 303)
    assert rows(
        locate(data_dir, CLONE).dsn_of(Role.WEB),
        "SELECT u.username, m.role FROM accounts_membership m"
        " JOIN accounts_user u ON u.id = m.user_id WHERE m.role = 'admin'",
    ) == [("admin", "admin")]


def test_a_used_link_is_not_logged_either(shown):
    up, _ = shown

    assert up.link.rpartition("/")[2] not in up.errors.read_text()


def test_the_key_lets_in_and_another_does_not(shown):
    up, _ = shown
    path = f"{up.url}/v1/sessions"

    right = httpx.get(path, headers={"X-API-Key": up.key})
    wrong = httpx.get(path, headers={"X-API-Key": "sb_" + "0" * 64})

    assert right.status_code == 200
    assert wrong.status_code == 401


def test_dsn_prints_the_url_alone_and_it_works(shown):
    _, data_dir = shown

    status, said, _ = manage("dsn", "--data-dir", str(data_dir))

    assert status == 0
    assert rows(said.strip(), "SELECT slug FROM accounts_project") == [("demo",)]


def test_a_data_folder_in_use_is_refused(shown, run: Run):
    up, data_dir = shown

    second = run(data_dir)

    assert second.ends() == 1
    told = second.errors.read_text()
    assert f"process {up.process.pid}" in told
    assert "Traceback" not in told


def test_a_busy_port_is_refused_in_one_sentence(shown, run: Run, folders):
    up, _ = shown

    second = run(folders() / "var", port=up.port)

    assert second.ends() == 1
    assert second.errors.read_text() == (
        f"CommandError: Port {up.port} of 127.0.0.1 is busy: stop what listens there, "
        "or choose another with --port.\n"
    )


def test_other_machines_are_refused_without_allowed_hosts(run: Run, folders):
    up = run(folders() / "var", "--host=0.0.0.0")

    assert up.ends() == 1
    assert "set ALLOWED_HOSTS" in up.errors.read_text()


def test_a_refused_start_leaves_nothing_that_the_next_would_wait_for(
    run: Run, settled: Path
) -> None:
    before = names_below(settled)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert run(settled, port=port).ends() == 1

        assert names_below(settled) == before
        assert run(settled, port=port).ends() == 1


def names_below(folder: Path) -> set[str]:
    """Return the files that tell of a running server; its data come and go."""
    kept = set(folder.rglob("*.pid")) | set(folder.glob("run/**/*"))
    return {str(path.relative_to(folder)) for path in [*folder.iterdir(), *kept]}


def test_other_machines_are_let_in_under_their_names(run: Run, settled: Path):
    hosts = {"ALLOWED_HOSTS": "stepback.example"}

    up = run(settled, "--host=0.0.0.0", env=hosts).ready()

    assert f"ready at http://stepback.example:{up.port}/" in up.said
    assert up.stop() == 0


def test_it_shows_the_name_that_allowed_hosts_has(run: Run, settled: Path):
    up = run(settled, env={"ALLOWED_HOSTS": "stepback.example"}).ready()

    assert f"ready at http://stepback.example:{up.port}/" in up.said
    assert up.stop() == 0


def test_data_of_another_postgresql_is_refused_in_one_sentence(run: Run, folders):
    cluster = folders() / "var" / "postgres" / "data"
    cluster.mkdir(parents=True)
    (cluster / "PG_VERSION").write_text("17\n")

    up = run(cluster.parent.parent)

    assert up.ends() == 1
    told = up.errors.read_text()
    assert "was written by PostgreSQL 17" in told
    assert "Traceback" not in told


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_everything(number: signal.Signals, run: Run, settled: Path):
    up = run(settled).ready()
    pids = [*up.family(), postmaster(settled)]

    status = up.stop(number)

    assert status == 0
    assert len(pids) >= 6  # up, guard, granian, two workers, postmaster
    assert [pid for pid in pids if not is_gone(pid)] == []
    assert "Traceback" not in up.errors.read_text()


def test_a_second_start_makes_nothing_anew_and_shows_a_new_link_but_no_key(
    run: Run, settled: Path
):
    first = run(settled).ready()
    before = made(settled)
    first.stop()

    second = run(settled).ready()

    # That is what makes it quick: no cluster, no tables, no demo.
    assert made(settled) == before
    assert "Making the tables." not in second.said
    assert "Loading the demo" not in second.said
    assert second.stop() == 0
    assert second.key is None
    assert second.link.rpartition("/")[2] != first.link.rpartition("/")[2]


def test_everything_stops_when_the_web_server_dies(run: Run, settled: Path):
    up = run(settled).ready()
    database = postmaster(settled)
    servers = [pid for pid in up.family() if b"server.serving" in command(pid)]

    os.kill(servers[0], signal.SIGKILL)

    assert up.ends() == 1
    assert "The web server ended by itself, by signal 9" in up.said
    assert [pid for pid in (*servers, database) if not is_gone(pid)] == []


def test_a_worker_runs_beside_it_and_is_started_again(run: Run, settled: Path):
    up = run(settled).ready()
    until(lambda: worker_of(up))
    (killed,) = worker_of(up)
    until(lambda: told_of_worker(up) == "healthy")
    # Links in what it sends lead to where this console is.
    known = Path(f"/proc/{killed}/environ").read_bytes().split(b"\0")
    assert f"STEPBACK_URL={up.url}".encode() in known

    os.kill(killed, signal.SIGKILL)
    up.until("The worker ended by itself, by signal 9: again.")
    until(lambda: worker_of(up))

    assert killed not in worker_of(up)
    assert httpx.get(f"{up.url}/health/ready").status_code == 200
    left = up.family()
    assert up.stop() == 0
    assert [pid for pid in left if not is_gone(pid)] == []


def test_what_removes_runs_beside_it_and_is_started_again(
    run: Run, settled: Path
) -> None:
    up = run(settled).ready()
    until(lambda: told_of_retention(up) == "healthy")
    (killed,) = retention_of(up)
    status = Path(f"/proc/{killed}/status").read_text()
    (resident,) = re.findall(r"VmRSS:\s+(\d+) kB", status)
    assert int(resident) < RETENTION_KB

    os.kill(killed, signal.SIGKILL)
    up.until("Retention ended by itself, by signal 9: again.")
    until(lambda: retention_of(up))
    # By hand beside it, from the data folder alone.
    code, said, errors = manage("retention", "--once", "--data-dir", str(settled))

    assert code == 0, errors
    assert "steps done." in said
    assert killed not in retention_of(up)
    assert httpx.get(f"{up.url}/health/ready").status_code == 200
    left = up.family()
    assert up.stop() == 0
    assert [pid for pid in left if not is_gone(pid)] == []


def retention_of(up: Up) -> list[int]:
    return [pid for pid in up.family() if command(pid).endswith(b"\0retention\0")]


def told_of_retention(up: Up) -> str:
    body = httpx.get(f"{up.url}/health/ready").json()
    return str(body["services"]["retention"]["status"])


def worker_of(up: Up) -> list[int]:
    return [pid for pid in up.family() if command(pid).endswith(b"\0worker\0")]


def told_of_worker(up: Up) -> str:
    body = httpx.get(f"{up.url}/health/ready").json()
    return body["services"]["worker"]["status"]


def test_it_starts_again_after_it_was_killed(run: Run, settled: Path):
    killed = run(settled).ready()
    left = [pid for pid in killed.family() if b"server.serving" in command(pid)]
    killed.process.kill()
    killed.ends()

    up = run(settled, port=killed.port).ready()

    assert httpx.get(f"{up.url}/health/ready").status_code == 200
    assert len(left) == 3  # granian and two workers; their guard leaves later
    assert [pid for pid in left if not is_gone(pid)] == []
    assert up.stop() == 0


def test_it_starts_again_after_postgresql_was_killed(run: Run, settled: Path):
    up = run(settled).ready()
    os.kill(postmaster(settled), signal.SIGKILL)
    assert up.stop() == 0

    again = run(settled).ready()

    assert httpx.get(f"{again.url}/health/ready").status_code == 200
    assert again.stop() == 0


def test_a_first_start_that_was_killed_is_finished_by_the_next(run: Run, folders):
    data_dir = folders() / "var"
    killed = run(data_dir).until("Loading the demo")
    time.sleep(0.3)
    killed.process.kill()
    killed.ends()
    dsn = locate(data_dir, CLONE).dsn_of(Role.WEB)
    ((loaded,),) = rows(dsn, VERSIONS_OF_SESSIONS)

    up = run(data_dir).ready()

    whole = sum(s.number + 1 for s in week.stories(datetime.now(UTC)))
    assert loaded < whole
    assert killed.key is None
    assert up.key
    assert rows(dsn, VERSIONS_OF_SESSIONS) == [(whole,)]
    assert rows(dsn, "SELECT slug FROM accounts_project") == [("demo",)]
    assert up.stop() == 0


def test_a_database_of_ones_own_is_used_and_left_running(run: Run, folders):
    cluster = Cluster(locate(folders() / "var", CLONE), durable=False)
    cluster.start()
    url = {"DATABASE_URL": cluster.location.dsn_of(Role.OWNER)}

    up = run(folders() / "var", "--no-demo", env=url).ready()
    status = up.stop()

    assert status == 0
    assert up.key
    assert cluster.is_running()
    assert manage("dsn", env=url)[1].strip() == url["DATABASE_URL"]


def test_a_database_that_does_not_answer_is_one_sentence(run: Run, folders):
    url = {"DATABASE_URL": f"postgresql://nobody@127.0.0.1:{free_port()}/none"}

    up = run(folders() / "var", env=url)

    assert up.ends() == 1
    told = up.errors.read_text()
    assert told.startswith("CommandError: The PostgreSQL of DATABASE_URL")
    assert "failed:" in told
    assert "Traceback" not in told


def test_a_command_without_its_database_says_where_it_looked(folders):
    folder = folders() / "var"

    status, _, told = manage("list_keys", "--data-dir", str(folder))

    assert status == 1
    assert told.startswith("CommandError: The database does not answer")
    assert "is manage.py up running?" in told
    assert str(folder) in told
    assert len(told.splitlines()) == 1


def kill_postgresql(data_dir: Path) -> None:
    """Kill the postmaster; its children leave when they notice, or are ended."""
    pid = postmaster(data_dir)
    os.kill(pid, signal.SIGKILL)
    assert processes.wait_until_gone(
        pid, locate(data_dir, CLONE).cluster_dir, timeout=PATIENCE
    )


def answers_again(up: Up) -> None:
    deadline = time.monotonic() + PATIENCE
    while httpx.get(f"{up.url}/health/ready").status_code != 200:
        assert time.monotonic() < deadline, up.said
        time.sleep(0.1)


def test_a_killed_postgresql_is_started_again_and_the_web_goes_on(
    run: Run, settled: Path
):
    up = run(settled).ready()
    before = up.web()

    kill_postgresql(settled)
    up.until("PostgreSQL runs again.")
    answers_again(up)

    assert "PostgreSQL ended by itself: starting it again." in up.said
    # The worker, if it was just starting, may be another one.
    assert up.web() == before != set()
    assert up.stop() == 0
    assert "Traceback" not in up.errors.read_text()


def test_a_postgresql_that_does_not_start_is_tried_again(run: Run, settled: Path):
    up = run(settled).ready()
    version = locate(settled, CLONE).cluster_dir / "PG_VERSION"
    right = version.read_text()

    version.write_text("17\n")
    kill_postgresql(settled)
    up.until("Trying again every")
    down = httpx.get(f"{up.url}/health/ready")
    version.write_text(right)
    up.until("PostgreSQL runs again.")
    answers_again(up)

    assert down.status_code == 503
    assert "was written by PostgreSQL 17" in up.said
    assert up.stop() == 0


def test_up_ends_in_order_while_postgresql_is_down(run: Run, settled: Path):
    up = run(settled).ready()
    version = locate(settled, CLONE).cluster_dir / "PG_VERSION"
    right = version.read_text()

    version.write_text("17\n")
    kill_postgresql(settled)
    up.until("Trying again every")
    status = up.stop()
    version.write_text(right)

    assert status == 0
    assert "Traceback" not in up.errors.read_text()


@needs_root
def test_root_can_run_a_checkout_below_a_closed_folder(run: Run):
    closed = Path(tempfile.mkdtemp(prefix="sb-closed-", dir="/tmp"))
    clone = checked_out(closed / "clone")
    data_dir = locate(None, clone).data_dir

    try:
        up = run(None, "--no-demo", clone=clone).ready()
        status = up.stop()

        assert status == 0
        assert f"Data is in {data_dir}" in up.said
        assert closed.stat().st_mode & 0o777 == 0o700
    finally:
        end_clusters(data_dir)
        shutil.rmtree(data_dir, ignore_errors=True)
        shutil.rmtree(closed)


@needs_root
@pytest.mark.skipif(not SYSTEM_PYTHON.exists(), reason="no Python that others can run")
def test_a_plain_user_can_run_a_checkout_below_a_closed_folder(run: Run):
    closed = Path(tempfile.mkdtemp(prefix="sb-plain-", dir="/tmp"))
    clone = checked_out(closed / "clone")
    for path in (closed, *closed.rglob("*")):
        os.chown(path, PLAIN.pw_uid, PLAIN.pw_gid)
    site_packages = Path(httpx.__file__).parent.parent

    try:
        up = run(
            None,
            "--no-demo",
            clone=clone,
            env={"PYTHONPATH": str(site_packages), "HOME": "/nonexistent"},
            python=str(SYSTEM_PYTHON),
            user=PLAIN,
        ).ready()
        status = up.stop()

        assert status == 0
        assert f"Data is in {clone / 'var'}" in up.said
        assert (clone / "var" / "postgres").stat().st_uid == PLAIN.pw_uid
    finally:
        end_clusters(closed)
        shutil.rmtree(closed)


def checked_out(target: Path) -> Path:
    """Copy the checkout as git would, with what is not committed yet.

    What is compiled comes along: compiling all anew took 5 s of a processor.
    """
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=CLONE,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (CLONE / name).exists():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(CLONE / name, target / name)
    for folder in ("apps", "config"):
        for compiled in (CLONE / folder).rglob("*.pyc"):
            copy = target / compiled.relative_to(CLONE)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(compiled, copy)
    return target
