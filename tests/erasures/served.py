"""A server of its own, whose people leave data over HTTP, and who sweeps for it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

import httpx
import psycopg

from apps.core.roles.names import Role
from tests.conftest import Answer, Api, bytes_of
from tests.erasures.leaving import TABLES
from tests.live import ROOT, Server, process_environment


class Caller(Api):
    """As `Api`, over HTTP."""

    def __init__(self, client: httpx.Client) -> None:
        self.over = client

    def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: dict[str, str] | None = None,
        query: dict[str, Any] | None = None,
    ) -> Answer:
        named = {name.replace("_", "-"): text for name, text in (headers or {}).items()}
        if body is not None:
            named["Content-Type"] = "application/json"
        content = None if body is None else bytes_of(body)
        answer = self.over.request(
            method, path, content=content, headers=named, params=query
        )
        return Answer(answer.status_code, answer.headers, answer.content)


class Sweepers:
    """Sweeping processes with the login of retention."""

    def __init__(self, dsn: str, log: Path) -> None:
        self._output = log.open("ab")
        self._parent = subprocess.Popen(
            [sys.executable, "-m", "tests.erasures.sweepers"],
            cwd=ROOT,
            env=process_environment(Role.RETENTION, dsn),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._output,
            text=True,
        )
        self._running: set[int] = set()

    def start(self) -> int:
        """Start one more; return the number of its process."""
        parent = self._parent
        assert parent.stdin is not None
        assert parent.stdout is not None
        parent.stdin.write("start\n")
        parent.stdin.flush()
        child = int(parent.stdout.readline())
        self._running.add(child)
        return child

    def kill(self, child: int) -> None:
        self._running.discard(child)
        os.kill(child, signal.SIGKILL)

    def stop(self) -> None:
        for child in [*self._running]:
            with suppress(ProcessLookupError):
                self.kill(child)
        self._parent.kill()
        self._parent.communicate()
        self._output.close()


@contextmanager
def sweepers(server: Server) -> Iterator[Sweepers]:
    started = Sweepers(server.dsn, Path(f"{server.log}.sweepers"))
    try:
        yield started
    finally:
        started.stop()


def canaries(dsn: str, canary: str) -> dict[str, int]:
    """Return in how many rows of each table a text is, also as bytes."""
    found = {}
    with psycopg.connect(dsn, autocommit=True) as connection:
        for (table,) in connection.execute(TABLES).fetchall():
            query = (
                f'SELECT count(*) FROM "{table}" r WHERE r::text LIKE %s'
                " OR r::text LIKE %s"
            )
            values = [f"%{canary}%", f"%{canary.encode().hex()}%"]
            row = connection.execute(cast(Any, query), values).fetchone()
            if row and row[0]:
                found[table] = row[0]
    return found
