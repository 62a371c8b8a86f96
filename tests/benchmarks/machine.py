"""The PostgreSQL and the servers of a benchmark: its own, on loopback, ended with it.

The cluster is as durable as the product's embedded one. Servers run as `manage.py up`
runs them: the same program, workers, threads and log, on a database of their own.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

import httpx

from apps.core import postgres
from apps.core.postgres.binaries import MAJOR
from apps.core.roles.names import VARIABLES, Role
from tests import databases
from tests.cluster import let_tests_act
from tests.live import ROOT, Server, free_port, manage, process_environment

WORKERS = 2
READY_SECONDS = 90
STOP_SECONDS = 20


@contextmanager
def durable_cluster() -> Iterator[str]:
    """Start a durable cluster and name it to Django and to what serves.

    Gives the URL of its superuser, who may load data past the constraints.
    """
    with tempfile.TemporaryDirectory(prefix="stepback-bench-") as folder:
        # The server's own user must pass to the data below.
        os.chmod(folder, 0o711)
        location = postgres.locate(Path(folder), ROOT)
        cluster = postgres.Cluster(location)
        cluster.start()
        try:
            let_tests_act(cluster)
            for role, variable in VARIABLES.items():
                os.environ[variable] = location.dsn_of(role)
            os.environ["STEPBACK_DATA_DIR"] = folder
            os.environ["STEPBACK_PREPARE"] = "true"
            os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
            yield location.superuser_dsn()
        finally:
            cluster.stop()


@contextmanager
def database(
    name: str, *, migrated: bool = True, template: str | None = None
) -> Iterator[str]:
    """Make a database of this name for a while, or a copy of another; give its URL."""
    copied = f' TEMPLATE "{template}" STRATEGY FILE_COPY' if template else ""
    with databases.server() as connection:
        connection.execute(f'CREATE DATABASE "{name}"{copied}')
    dsn = databases.dsn_of(name)
    try:
        if migrated and not template:
            manage(dsn, "migrate", "--verbosity", "0")
        yield dsn
    finally:
        databases.drop(name)


@contextmanager
def product(
    dsn: str, *, works: bool = True, workers: int = WORKERS
) -> Iterator[Server]:
    """Serve that database and work for it, as `up` does."""
    port = free_port()
    command = [sys.executable, "-m", "apps.server.serving"]
    command += ["--address=127.0.0.1", f"--port={port}"]
    env = process_environment(Role.WEB, dsn) | {
        "STEPBACK_WORKERS": str(workers),
        "STEPBACK_PREPARE": "true",
        "STEPBACK_LOG_LEVEL": "INFO",
    }
    env.pop("PYTHONWARNINGS")
    working = worker(dsn) if works else nullcontext()
    with running(command, env=env, cwd=ROOT) as (process, log), working:
        url = f"http://127.0.0.1:{port}"
        until_ready(f"{url}/health/ready", process, log)
        yield Server(url=url, dsn=dsn, log=log, process=process)


@contextmanager
def worker(dsn: str) -> Iterator[None]:
    """Run the worker, whose projector does a part of every append."""
    env = process_environment(Role.WORKER, dsn) | {"STEPBACK_LOG_LEVEL": "INFO"}
    env.pop("PYTHONWARNINGS")
    command = [sys.executable, "manage.py", "worker"]
    with running(command, env=env, cwd=ROOT):
        yield


@contextmanager
def running(
    command: Sequence[str], *, env: Mapping[str, str], cwd: Path
) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """Run a server for a while, what it says in a file."""
    with tempfile.TemporaryDirectory(prefix="stepback-bench-log-") as folder:
        log = Path(folder) / "server.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                command, cwd=cwd, env=env, stdout=output, stderr=subprocess.STDOUT
            )
        try:
            yield process, log
        finally:
            stop(process)


def stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def until_ready(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Return once the URL answers 200.

    Raises: RuntimeError with what the server said, when it ended or took too long.
    """
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if httpx.get(url, timeout=5).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise RuntimeError(f"{url} was not ready:\n{log.read_text()[-4000:]}")


def described() -> str:
    """Return what the figures were taken on, without naming the machine."""
    pages, page = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    model = _processor()
    return (
        f"{os.cpu_count()} cores{f' ({model})' if model else ''}, "
        f"{pages * page / 2**30:.0f} GB of memory, {platform.system()}, "
        f"Python {platform.python_version()}, PostgreSQL {MAJOR} as `up` "
        f"starts it (every commit flushed), {WORKERS} web workers; clients, servers "
        "and database share the cores"
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return ""
    names = [line.partition(":")[2] for line in lines if line.startswith("model name")]
    return names[0].strip() if names else ""
