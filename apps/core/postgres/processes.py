"""The processes of a cluster: is the postmaster alive, and what did a dead one leave.

A pid file proves nothing: the pid may be a zombie's or, by now, somebody else's. A
process counts as the cluster's when it works in its folder.
"""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from apps.core.postgres.errors import StopFailed
from apps.core.postgres.identity import acting_as

PROC = Path("/proc")
# Idle orphans leave within milliseconds; a busy one, only when its query is done.
ORPHANS_GRACE = 0.5
ORPHANS_PATIENCE = 5.0
STOP_TIMEOUT = 30
KILL_TIMEOUT = 10
DEAD_STATES = frozenset("ZXx")


def recorded_pid(cluster_dir: Path) -> int | None:
    """Return the pid in `postmaster.pid`, whatever became of it."""
    try:
        first = (cluster_dir / "postmaster.pid").read_text().split("\n", 1)[0]
        return abs(int(first))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None


def living_postmaster(cluster_dir: Path) -> int | None:
    """Return the pid of the postmaster that works in `cluster_dir`."""
    pid = recorded_pid(cluster_dir)
    if pid is None or not _belongs(pid, cluster_dir):
        return None
    return pid


def says_ready(cluster_dir: Path) -> bool:
    """Whether the postmaster wrote that it takes connections."""
    try:
        lines = (cluster_dir / "postmaster.pid").read_text().split("\n")
    except FileNotFoundError:
        return False
    return len(lines) > 7 and lines[7].strip() == "ready"


def pid_exists(pid: int) -> bool:
    """What PostgreSQL itself asks of a pid, taking zombies for living."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def wait_until_gone(pid: int, cluster_dir: Path, *, timeout: float) -> bool:
    """Whether the process left within `timeout` seconds."""
    deadline = time.monotonic() + timeout
    while _belongs(pid, cluster_dir):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def shut_down(cluster_dir: Path) -> bool:
    """End the postmaster and all connections; False if nothing ran.

    Raises: StopFailed.
    """
    pid = living_postmaster(cluster_dir)
    if pid is None:
        return False
    for number, timeout in (
        (signal.SIGINT, STOP_TIMEOUT),
        (signal.SIGQUIT, KILL_TIMEOUT),
    ):
        with suppress(ProcessLookupError):
            os.kill(pid, number)
        if wait_until_gone(pid, cluster_dir, timeout=timeout):
            return True
    raise StopFailed(f"PostgreSQL (process {pid}) did not stop.")


def end_orphans(cluster_dir: Path) -> None:
    """End the processes that a killed postmaster left.

    They hold the shared memory that the next server finds "still in use". What they
    had committed is in the log; the rest is rolled back as after any crash.
    """
    for number in (signal.SIGQUIT, signal.SIGKILL):
        for pid in _wait_for_orphans(cluster_dir, ORPHANS_GRACE):
            with suppress(ProcessLookupError):
                os.kill(pid, number)
    _wait_for_orphans(cluster_dir, ORPHANS_PATIENCE)


def _wait_for_orphans(cluster_dir: Path, timeout: float) -> list[int]:
    deadline = time.monotonic() + timeout
    while (left := _orphans(cluster_dir)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return left


def _orphans(cluster_dir: Path) -> list[int]:
    """Find them by the folder they work in.

    Without /proc there is PostgreSQL's own check: it does not start before they left.
    """
    if not _has_proc():
        return []
    pids = [int(entry.name) for entry in PROC.iterdir() if entry.name.isdigit()]
    return [pid for pid in pids if _belongs(pid, cluster_dir)]


def _belongs(pid: int, cluster_dir: Path) -> bool:
    if not _has_proc():
        return _is_postgres_by_ps(pid)
    entry = PROC / str(pid)
    try:
        owner = cluster_dir.stat()
        if entry.stat().st_uid != owner.st_uid or _is_dead(entry):
            return False
        with acting_as(owner.st_uid, owner.st_gid):
            program = (entry / "exe").readlink().name
            folder = (entry / "cwd").readlink()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return False
    return program.split(" ")[0] == "postgres" and folder == cluster_dir


def _is_dead(entry: Path) -> bool:
    return (entry / "stat").read_text().rpartition(")")[2].split()[0] in DEAD_STATES


def _has_proc() -> bool:
    return sys.platform == "linux"


def _is_postgres_by_ps(pid: int) -> bool:
    answer = subprocess.run(  # noqa: S603 - fixed words and a number
        ["/bin/ps", "-o", "stat=,command=", "-p", str(pid)],
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    return "postgres" in answer and not answer.startswith("Z")
