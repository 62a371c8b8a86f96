"""The server that a fault happens to: `manage.py up` in a data folder of its own.

Whatever ends the harness, nothing of it is left: on leaving, `up` is stopped and the
folder removed; when the harness itself is killed, a small shell does the same.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, urlencode

from apps.core.postgres import Cluster, Location, locate, processes
from apps.core.postgres.locate import DATABASE, NAMES
from apps.core.roles.names import VARIABLES, Role
from tests.faults import family
from tests.faults.cutting_link import CuttingLink, cutting
from tests.faults.silent_link import HOST, SilentLink, silent_link
from tests.live import ROOT, Server, free_port, wait_until_ready

OURS = (*VARIABLES.values(), "STEPBACK_DATA_DIR", "DJANGO_SETTINGS_MODULE")
STOP_SECONDS = 60
READY_SECONDS = 240
SMALL = "512m"
OPTIONS = (
    "-c statement_timeout=2s -c lock_timeout=5s"
    " -c idle_in_transaction_session_timeout=15s -c timezone=UTC"
)
# Reads until the harness is gone, which closes the other end; then stops `up` (if it
# got that far), the PostgreSQL of the folder, and removes what is left.
LAST_WILL = """
trap '' TERM INT HUP
read -r _
up=$(cat "$1/up.pid" 2>/dev/null) && kill -TERM "$up" 2>/dev/null
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
    kill -0 "$up" 2>/dev/null || break
    sleep 1
done
pid=$(head -n 1 "$1/var/postgres/data/postmaster.pid" 2>/dev/null) \
    && kill -QUIT "$pid" 2>/dev/null && sleep 2
umount -l "$1/var" 2>/dev/null
rm -rf "$1"
"""


class CannotMount(Exception):
    """A small disk needs root, who may mount; the message says why it failed."""


@dataclass(frozen=True)
class House:
    """A running server, where its data is, and how to stop and start it."""

    server: Server
    location: Location
    folder: Path
    secret: str = field(repr=False, default="")
    clock: Path | None = None

    @property
    def url(self) -> str:
        return self.server.url

    @property
    def dsn(self) -> str:
        """How the owner looks at the data, past every proxy."""
        return self.location.dsn_of(Role.OWNER)

    def workers(self) -> set[int]:
        """Return the pids of the web workers."""
        # Forked, they have the command line of the server that they came from.
        web, *_ = family.called("apps.server.serving", self.server.process.pid)
        return {
            pid
            for pid in family.children(web)
            if b"resource_tracker" not in family.command(pid)
        }

    def postmaster(self) -> int | None:
        """Return the pid of the living postmaster."""
        return processes.living_postmaster(self.location.cluster_dir)

    def said(self) -> str:
        """Return what `up` said and logged."""
        return self.server.log.read_text(errors="replace")


@contextmanager
def premises() -> Iterator[Path]:
    """Make a folder that goes away, also when the harness is killed."""
    folder = Path(tempfile.mkdtemp(prefix="stepback-faults-", dir="/tmp"))
    # Root hands PostgreSQL to another user, who must be able to pass.
    folder.chmod(0o711)
    will = subprocess.Popen(
        ["/bin/sh", "-c", LAST_WILL, "last will", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=0,
    )
    try:
        yield folder
    finally:
        # Where a start was interrupted, programs of PostgreSQL may still write there.
        family.wait_for(lambda: _is_removed(folder), STOP_SECONDS)
        will.kill()
        will.communicate()


def _is_removed(folder: Path) -> bool:
    shutil.rmtree(folder, ignore_errors=True)
    return not folder.exists()


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """Let the data folder be a file system of its own, in memory and small.

    Raises: CannotMount.
    """
    target = folder / "var"
    target.mkdir(mode=0o711)
    command = ["mount", "-t", "tmpfs", "-o", f"size={SMALL},mode=0711", "tmpfs"]
    done = subprocess.run([*command, str(target)], capture_output=True, text=True)
    if done.returncode:
        raise CannotMount(done.stderr.strip())
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(target)], check=True)


@contextmanager
def house(
    folder: Path,
    *,
    environment: dict[str, str] | None = None,
    logins: dict[str, str] | None = None,
) -> Iterator[House]:
    """Run `up` in the folder; it has a project and a key when this returns.

    With the roles' `logins` the PostgreSQL of the folder, which then must run already,
    is used through them.
    """
    location = locate(folder / "var", ROOT)
    given = {"STEPBACK_LOG_LEVEL": "WARNING", **(environment or {})}
    if logins:
        # As on the embedded server of the product.
        given |= logins | {"STEPBACK_PREPARE": "true"}
    with _up(folder, location, given) as server:
        secret = server.key("faults")
        clock = given.get("STEPBACK_FAULTS_CLOCK")
        yield House(server, location, folder, secret, Path(clock) if clock else None)


@contextmanager
def linked_house(folder: Path) -> Iterator[tuple[House, CuttingLink]]:
    """Run `up` on a PostgreSQL of one's own, by a link that can be cut.

    Statements may take 2 s instead of 30, so that a time-out need not be waited for.
    """
    door = folder / "link"
    door.mkdir()
    with own_cluster(folder) as location, cutting(door, location.socket_dir) as link:
        asked = urlencode({"host": str(door), "options": OPTIONS}, quote_via=quote)
        logins = _logins(location, f"/{DATABASE}?{asked}")
        with house(folder, logins=logins) as built:
            yield built, link


@contextmanager
def distant_house(folder: Path) -> Iterator[tuple[House, SilentLink]]:
    """Run `up` on a PostgreSQL over TCP, whose machine can be lost."""
    with own_cluster(folder) as location, silent_link(location.socket_dir) as link:
        logins = _logins(location, f"{HOST}:{link.port}/{DATABASE}")
        with house(folder, logins=logins) as built:
            yield built, link


def _logins(location: Location, where: str) -> dict[str, str]:
    """Return the URL of each role, by the variable that says it."""
    return {
        variable: f"postgresql://{_login(location, role)}@{where}"
        for role, variable in VARIABLES.items()
    }


def _login(location: Location, role: Role) -> str:
    return f"{NAMES[role]}:{location.password_file(role).read_text().strip()}"


@contextmanager
def own_cluster(folder: Path) -> Iterator[Location]:
    """Run the PostgreSQL of the folder without `up`, as one of one's own."""
    location = locate(folder / "var", ROOT)
    cluster = Cluster(location)
    try:
        cluster.start()
        yield location
    finally:
        cluster.stop()


@contextmanager
def _up(
    folder: Path, location: Location, environment: dict[str, str]
) -> Iterator[Server]:
    port, log = free_port(), folder / "up.log"
    data_dir = str(location.data_dir)
    options = [f"--port={port}", "--no-demo", "--data-dir", data_dir]
    inherited = {name: text for name, text in os.environ.items() if name not in OURS}
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "up", *options],
            cwd=ROOT,
            env=inherited | environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            # Ctrl-C is for the harness, which ends this one in order.
            process_group=0,
        )
    (folder / "up.pid").write_text(str(process.pid))
    try:
        url = f"http://127.0.0.1:{port}"
        wait_until_ready(url, process, log, seconds=READY_SECONDS)
        yield Server(url=url, dsn=location.dsn_of(Role.OWNER), log=log, process=process)
    finally:
        _stop(process)
        (folder / "up.pid").unlink()


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        # Its guards end the web server, and the last will PostgreSQL.
        process.kill()
        process.wait()
