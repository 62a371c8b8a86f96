"""A real server for tests: the one that `up` starts, on a database of its own.

Tests that need clients, several processes or a lost answer talk to it over loopback
HTTP. One server serves all tests of a pytest worker; projects keep them apart.
"""

from __future__ import annotations

import atexit
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psycopg

from apps.core.roles.names import VARIABLES, Role
from apps.server import environments
from apps.server.serving import arguments as serving_arguments
from tests import databases
from tests.commands import ROOT, Commands

COMMANDS = Commands()
# On a machine that is busy with other tests.
READY_SECONDS = 120
# One for all processes of a run.
MIGRATED = f"migrated_{os.environ.get('PYTEST_XDIST_TESTRUNUID', os.getpid())}"
MIGRATED_LOCK = 7_202_611


@dataclass(frozen=True)
class Server:
    """A running server; `dsn` shows its owner what it stored, `log` what it said."""

    url: str
    dsn: str
    log: Path
    process: subprocess.Popen[bytes]

    def key(self, project: str, *options: str) -> str:
        """Return a new key of a project, which is made if it is not there."""
        with psycopg.connect(self.dsn) as connection:
            found = connection.execute(
                "SELECT 1 FROM accounts_project WHERE slug = %s", [project]
            ).fetchone()
        if not found:
            manage(self.dsn, "create_project", project)
        printed = manage(self.dsn, "create_key", "--project", project, *options)
        return printed.split()[-1]

    def client(self, secret: str | None = None, **options: Any) -> httpx.Client:
        """Return a client that sends the key with every request; close it."""
        headers = {"X-API-Key": secret} if secret else {}
        return httpx.Client(base_url=self.url, headers=headers, timeout=30, **options)


@contextmanager
def serving(
    name: str,
    *,
    workers: int = 2,
    is_debug: bool = False,
    also: Mapping[str, str] | None = None,
) -> Iterator[Server]:
    """Make a migrated database and serve it; stop and drop everything afterwards.

    `also` is of its environment, in place of what stands there.
    """
    dsn, more = _made_database(name), {"DEBUG": "true"} if is_debug else {}
    try:
        with tempfile.TemporaryDirectory(prefix="stepback-live-") as folder:
            log = Path(folder) / "server.log"
            with served(dsn, log, workers, {**more, **(also or {})}) as (url, process):
                yield Server(url=url, dsn=dsn, log=log, process=process)
    finally:
        databases.drop(name)


def manage(
    dsn: str, *arguments: str, seconds: float = 120, role: Role | None = None
) -> str:
    """Run a management command against that database; return what it printed.

    With a role it logs in as that where a request would as the web's.
    """
    env = environment(dsn)
    if role is not None:
        env[VARIABLES[Role.WEB]] = env[VARIABLES[role]]
    code, said, errors = COMMANDS.run(env, arguments, seconds)
    assert code == 0, errors
    return said


def environment(dsn: str) -> dict[str, str]:
    """Return the environment of a command: the product's own settings, all roles.

    Without a DSN it goes by the data folder.
    """
    named = databases.logins(dsn) if dsn else dict.fromkeys(VARIABLES.values(), "")
    return (
        os.environ
        | named
        | {
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "SECRET_KEY": "only-for-tests",
            "STEPBACK_LOG_LEVEL": "DEBUG",
            "PYTHONWARNINGS": "default",
        }
    )


def process_environment(role: Role, dsn: str) -> dict[str, str]:
    """Return the environment of a process of `up`: with the login of its role alone."""
    everything = environment(dsn)
    return environments.environment(
        role, url=everything[VARIABLES[role]], inherited=everything
    )


def feed(dsn: str) -> None:
    """Do on that database what the worker's projector does."""
    run = "from tests.feeding import feed_all; feed_all()"
    manage(dsn, "shell", "--no-imports", "-c", run, role=Role.WORKER)


def work(dsn: str) -> None:
    """Do on that database what is confirmed or asked for, and look at alerts."""
    run = (
        "from django.utils import timezone; from apps.plans import running; "
        "from apps.metrics import alerting; from tests.feeding import feed_all; "
        "from apps.exports import making; "
        "feed_all(); now = timezone.now(); running.sweep(now=now); "
        "alerting.sweep(now=now); making.sweep(now=now)"
    )
    shell(dsn, Role.WORKER, run)


def shell(dsn: str, role: Role, lines: str) -> None:
    """Run some lines on that database, as a process of that role would."""
    manage(dsn, "shell", "--no-imports", "-c", lines, role=role)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def served(
    dsn: str, log: Path, workers: int, also: Mapping[str, str]
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Serve a migrated database until the block is left; give address and process."""
    port = free_port()
    command = [sys.executable, "-m", "apps.server.serving"]
    command += serving_arguments(address="127.0.0.1", port=port)
    env = process_environment(Role.WEB, dsn) | {"STEPBACK_WORKERS": str(workers)}
    env |= also
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=env,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            url = f"http://127.0.0.1:{port}"
            wait_until_ready(url, process, log)
            yield url, process
        finally:
            process.terminate()
            process.wait(timeout=20)


def wait_until_ready(
    url: str,
    process: subprocess.Popen[bytes],
    log: Path,
    *,
    seconds: float = READY_SECONDS,
) -> None:
    """Wait for the first good answer; fail with the log if it ends or takes longer."""
    deadline = time.monotonic() + seconds
    # A client for each try took a tenth of a processor that the server starts on.
    with httpx.Client(base_url=url, timeout=2) as client:
        while time.monotonic() < deadline:
            assert process.poll() is None, log.read_text()
            with suppress(httpx.TransportError):
                if client.get("/health/ready").status_code == 200:
                    return
            time.sleep(0.1)
    raise AssertionError(f"The server was not ready in time:\n{log.read_text()}")


def _made_database(name: str) -> str:
    """Make it as a copy of the one that is migrated once for all: 0.3 s, not 8."""
    with migrated() as template:
        databases.make(name, template=template)
    return databases.dsn_of(name)


@contextmanager
def migrated() -> Iterator[str]:
    """Give the name of a database to copy, which the first of a run migrates."""
    with databases.server() as connection:
        # Other processes of this run wait here, until the first has migrated it.
        connection.execute("SELECT pg_advisory_lock(%s)", [MIGRATED_LOCK])
        if not _exists(connection, MIGRATED):
            databases.make(MIGRATED)
            try:
                manage(databases.dsn_of(MIGRATED), "migrate", "--verbosity", "0")
            except BaseException:
                databases.drop(MIGRATED)
                raise
            atexit.register(databases.drop, MIGRATED)
        yield MIGRATED


def _exists(connection: psycopg.Connection, name: str) -> bool:
    found = connection.execute("SELECT FROM pg_database WHERE datname = %s", [name])
    return found.rowcount == 1
