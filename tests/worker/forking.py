"""Workers for tests, each a fork of one process that has loaded what a worker does.

A process of its own would take 2 seconds of a core for each, nearly all of it imports.
It is a process all the same: it is killed and told to end as one, and reads its login
from the environment that it is given. `tests/server` starts those of `up`.
"""

from __future__ import annotations

import atexit
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, NoReturn

from apps.core.roles.names import VARIABLES, Role
from tests.commands import ROOT

PAUSE_SECONDS = 0.02


@dataclass(frozen=True)
class Forked:
    """A worker that was forked elsewhere; what it ended with stands in a file."""

    pid: int
    ended: Path

    def poll(self) -> int | None:
        """Return its exit code, negative for a signal; None while it lives."""
        return int(self.ended.read_text()) if self.ended.exists() else None

    def wait(self, timeout: float) -> int:
        """Raises: subprocess.TimeoutExpired."""
        deadline = time.monotonic() + timeout
        while (code := self.poll()) is None:
            if time.monotonic() > deadline:
                raise subprocess.TimeoutExpired("manage.py", timeout)
            time.sleep(PAUSE_SECONDS)
        return code

    def terminate(self) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)


class Workers:
    """The process that forks: another one where settings are others."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._settings: dict[str, str] = {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._count = 0

    def start(self, environment: Mapping[str, str], log: Path, *command: str) -> Forked:
        """Start a worker with this environment, which writes to the end of a log.

        Or another command that is killed as a process.
        """
        logins = {name: environment.get(name, "") for name in VARIABLES.values()}
        # Which test it is pytest says there too, and no setting goes by it.
        others = {*logins, "PYTEST_CURRENT_TEST"}
        settings = {k: v for k, v in environment.items() if k not in others}
        if self._process is None or self._settings != settings:
            self._begin(settings, logins)
        process, folder = self._process, self._folder
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        assert folder is not None
        self._count += 1
        ended = Path(folder.name) / str(self._count)
        asked = {
            "logins": logins,
            "log": str(log),
            "ended": str(ended),
            "command": command or ["worker"],
        }
        process.stdin.write(json.dumps(asked) + "\n")
        process.stdin.flush()
        return Forked(int(process.stdout.readline()), ended)

    def _begin(self, settings: dict[str, str], logins: dict[str, str]) -> None:
        self.stop()
        self._folder = tempfile.TemporaryDirectory(prefix="stepback-workers-")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.worker.forking"],
            cwd=ROOT,
            env=settings | logins,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._settings = settings

    def stop(self) -> None:
        """End the process that forks; a worker that is left is not its affair."""
        process, folder = self._process, self._folder
        self._process = self._folder = None
        if process is not None:
            process.kill()
            process.communicate()
        if folder is not None:
            folder.cleanup()


WORKERS = Workers()
atexit.register(WORKERS.stop)


def main() -> None:
    """Fork a worker, and who waits for it, for each line that comes in."""
    from importlib import import_module

    import django
    from django.conf import settings
    from django.core.management import call_command

    from apps.core.processes import memory, unasked

    unasked.keep_out()
    memory.begin_loading()
    django.setup()
    call_command("check", stdout=StringIO())
    for name in settings.PROCRASTINATE_IMPORT_PATHS:
        import_module(name)
    # Who waits is nobody's child that anybody asks for.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        if os.fork() == 0:
            _wait_for_one(**json.loads(line))


def _wait_for_one(
    logins: dict[str, str], log: str, ended: str, command: list[str]
) -> NoReturn:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    pid = os.fork()
    if pid == 0:
        _become(logins, log, command)
    sys.stdout.write(f"{pid}\n")
    sys.stdout.flush()
    _, status = os.waitpid(pid, 0)
    written = Path(f"{ended}.new")
    with suppress(FileNotFoundError):  # the run is over
        written.write_text(str(os.waitstatus_to_exitcode(status)))
        written.replace(ended)
    os._exit(0)


def _become(logins: dict[str, str], log: str, command: list[str]) -> NoReturn:
    """Be that command, on that database."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for number in (1, 2):
        os.dup2(output, number)
    code: Any = 0
    try:
        _go_to(logins)
        from django.core.management import execute_from_command_line

        execute_from_command_line(["manage.py", *command])
    except SystemExit as end:
        code = end.code
    except BaseException:  # noqa: BLE001 - a fork must not go on as its parent
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else code is not None)


def _go_to(logins: dict[str, str]) -> None:
    from django.conf import settings

    from apps.core.roles.logins import log_in_as

    # Two of them draw other numbers.
    random.seed()
    os.environ.update(logins)
    settings.DATABASE_URL = logins[VARIABLES[Role.WEB]]
    for role, variable in VARIABLES.items():
        settings.DATABASE_URLS[role] = logins[variable]
    log_in_as(Role.WEB)


if __name__ == "__main__":
    main()
