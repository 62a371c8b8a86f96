"""`python -m tests.slow.cost`: what the front costs of a processor, per request.

The same small WSGI application is served by granian itself, set up as it was before
there was a front, and behind the front; one worker each. Both are asked in turn, so
that a busy machine is busy for both; what the worker took of a processor is the
kernel's account. Prints a table for `docs/slow-clients.md`.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from time import sleep
from typing import Any

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server import Server

from apps.server.front.asgi import Front
from apps.server.serving import BUFFER_BYTES, serve
from tests.faults.family import children
from tests.live import ROOT, free_port

LARGEST = 1024 * 1024
ROUNDS = 9
REQUESTS = 2_000
TICK_MICROSECONDS = 1_000_000 / os.sysconf("SC_CLK_TCK")
# As many as answered before there was a front.
THREADS = 8


def plain(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    body = environ["wsgi.input"].read()
    answer = b"%d" % len(body)
    start_response("200 OK", [("Content-Length", str(len(answer)))])
    return [answer]


fronted = Front(plain, largest=LARGEST)


class Worker:
    """A served application, and what its one worker took of a processor."""

    def __init__(self, port: int, process: subprocess.Popen[bytes]) -> None:
        self._netloc = f"127.0.0.1:{port}"
        (self._worker,) = children(process.pid)

    def cost(self, body: bytes, connections: int) -> float:
        """Ask so often by so many connections; return microseconds a request."""
        before = self._ticks()
        threads = [
            threading.Thread(target=self._ask, args=[body, REQUESTS // connections])
            for _ in range(connections)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        asked = REQUESTS // connections * connections
        return (self._ticks() - before) * TICK_MICROSECONDS / asked

    def _ask(self, body: bytes, times: int) -> None:
        method = "POST" if body else "GET"
        with closing(HTTPConnection(self._netloc)) as connection:
            for _ in range(times):
                connection.request(method, "/", body or None)
                assert connection.getresponse().read() == b"%d" % len(body)

    def _ticks(self) -> int:
        said = Path(f"/proc/{self._worker}/stat").read_text().rpartition(")")[2]
        user, system = said.split()[11:13]
        return int(user) + int(system)


def main() -> None:
    with ExitStack() as opened:
        alone = opened.enter_context(_served("plain"))
        behind = opened.enter_context(_served("fronted"))
        _say("request", "connections", "plain, µs", "behind the front, µs", "more, µs")
        _say(*["---"] * 5)
        for name, size in {
            "GET": 0,
            "POST of 1 KB": 1_000,
            "POST of 200 KB": 200_000,
        }.items():
            for connections in (1, 16):
                _say(name, connections, *_compared(alone, behind, size, connections))


def _compared(
    alone: Worker, behind: Worker, size: int, connections: int
) -> tuple[str, ...]:
    """Return the medians over all rounds, and how much more the front takes."""
    body = b"x" * size
    costs = [
        (alone.cost(body, connections), behind.cost(body, connections))
        for _ in range(ROUNDS)
    ]
    first, second = (median(each) for each in zip(*costs, strict=True))
    return f"{first:.0f}", f"{second:.0f}", f"{second - first:.0f}"


@contextmanager
def _served(name: str) -> Iterator[Worker]:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", __spec__.name, name, str(port)], cwd=ROOT
    )
    try:
        _wait_for(port)
        yield Worker(port, process)
    finally:
        process.terminate()
        process.wait(20)


def _wait_for(port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            sleep(0.05)
        else:
            return
    raise AssertionError("the server did not start")


def _serve(name: str, port: int) -> None:
    target = f"{__spec__.name}:{name}"
    if name == "fronted":
        serve(address="127.0.0.1", port=port, target=target, workers=1)
        return
    Server(
        target,
        address="127.0.0.1",
        port=port,
        interface=Interfaces.WSGI,
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(max_buffer_size=BUFFER_BYTES),
        blocking_threads=THREADS,
        websockets=False,
        log_level=LogLevels.error,
    ).serve()


def _say(*cells: object) -> None:
    sys.stdout.write(f"| {' | '.join(map(str, cells))} |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        _serve(sys.argv[1], int(sys.argv[2]))
    else:
        main()
