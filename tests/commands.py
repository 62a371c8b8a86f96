"""Management commands for tests, each in a fork of one process that has Django loaded.

A process of its own would take 3 seconds of a core for each, nearly all of it imports;
a run asks for more than a hundred. What is tested of a command as a process (its exit
code, its signals, what it reads from the environment) starts it as one.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from threading import Lock
from typing import Any, NoReturn

from apps.core.roles.names import VARIABLES, Role

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 120.0


class Commands:
    """The process that forks, started when the first command is asked for."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._lock = Lock()

    def run(
        self, environment: Mapping[str, str], arguments: tuple[str, ...], seconds: float
    ) -> tuple[int, str, str]:
        """Return the exit code, the output and the errors of one command.

        Raises: subprocess.TimeoutExpired.
        """
        with self._lock, tempfile.TemporaryDirectory(prefix="stepback-cmd-") as folder:
            out, err = Path(folder) / "out", Path(folder) / "err"
            asked = {
                "logins": {name: environment[name] for name in VARIABLES.values()},
                "arguments": arguments,
                "out": str(out),
                "err": str(err),
            }
            said = self._ask(environment, json.dumps(asked), seconds)
            return int(said), out.read_text(), err.read_text()

    def _ask(self, environment: Mapping[str, str], asked: str, seconds: float) -> str:
        if self._process is None or self._process.poll() is not None:
            self._process = _started(environment)
            atexit.register(self.stop)
            seconds += START_SECONDS
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(asked + "\n")
        process.stdin.flush()
        if not select.select([process.stdout], [], [], seconds)[0]:
            self.stop()
            raise subprocess.TimeoutExpired(asked, seconds)
        return process.stdout.readline()

    def stop(self) -> None:
        """End the process, and the command that it may be waiting for."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def _started(environment: Mapping[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.commands"],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def main() -> None:
    """Fork for each line that comes in; say with which code the command ended."""
    import django
    from django.core.management import call_command

    from apps.core.processes import memory

    memory.begin_loading()
    django.setup()
    # Loads what the checks of each command look at.
    call_command("check", stdout=StringIO())
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            _become(**json.loads(line))
        _, status = os.waitpid(pid, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


def _become(
    logins: dict[str, str], arguments: list[str], out: str, err: str
) -> NoReturn:
    """Be that command, on that database."""
    for number, path in ((0, os.devnull), (1, out), (2, err)):
        flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT
        os.dup2(os.open(path, flags, 0o600), number)
    code: Any = 0
    try:
        _go_to(logins)
        from django.core.management import execute_from_command_line

        execute_from_command_line(["manage.py", *arguments])
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

    os.environ.update(logins)
    settings.POOL_SIZE = 2
    for role, variable in VARIABLES.items():
        settings.DATABASE_URLS[role] = logins[variable]
    log_in_as(Role.WEB)


if __name__ == "__main__":
    main()
