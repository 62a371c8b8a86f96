"""Clients that are slow on purpose: two hundred of a kind, each from its own address.

They come from 127.0.0.2 to 127.0.0.201, so that a limit for each address would not
hold them back. One thread drives all of them. As a program it prints, as JSON, how
they were answered: `python -m tests.slow.clients URL KEY SESSION SECONDS KIND`.
"""

from __future__ import annotations

import json
import selectors
import socket
import sys
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

ADDRESSES = 200
DRIP_SECONDS = 0.5
# A window so small that an answer has to wait in the server.
WINDOW = 4096
FILE = "/static/drf_spectacular_sidecar/swagger-ui-dist/swagger-ui-bundle.js"
# More than the sockets hold for one that does not read.
MANY = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """Whom to be slow with; `key` may write to the session, whose state is large."""

    url: str
    key: str
    session: str

    @property
    def address(self) -> tuple[str, int]:
        parts = urlsplit(self.url)
        assert parts.hostname
        assert parts.port
        return parts.hostname, parts.port


@dataclass(frozen=True, kw_only=True, slots=True)
class Kind:
    """What is sent first, and then again and again.

    `expected` is how a connection fares within the time that a body has.
    """

    first: bytes
    expected: str
    drip: bytes = b""
    reads: bool = True
    # Whether it also has the server do much.
    is_large: bool = False


def kinds(target: Target) -> Mapping[str, Kind]:
    """Return every kind there is, by its name."""
    host = f"Host: {urlsplit(target.url).netloc}\r\n".encode()
    key = f"X-API-Key: {target.key}\r\n".encode()
    made_up = b"X-API-Key: sb_" + b"0" * 64 + b"\r\n"
    state = f"/v1/sessions/{target.session}/state HTTP/1.1\r\n".encode()
    form = b"POST /signin HTTP/1.1\r\n" + host
    form += b"Content-Type: application/x-www-form-urlencoded\r\n"
    write = b"PATCH " + state + host + b"Content-Type: application/json\r\n"
    known = write + key
    measured = b"Content-Length: 1000\r\n\r\n"
    large = b"Content-Length: 30000000\r\n\r\n"
    chunked = b"Transfer-Encoding: chunked\r\n\r\n"
    file = f"GET {FILE} HTTP/1.1\r\n".encode() + host + b"\r\n"
    read = b"GET " + state + host + key + b"\r\n"
    return {
        "form, no body": Kind(first=form + measured, expected="408"),
        "form, a byte at a time": Kind(
            first=form + measured, drip=b"a", expected="408"
        ),
        "form in chunks, none": Kind(first=form + chunked, expected="408"),
        "write, no body": Kind(first=known + measured, expected="408"),
        "write, a byte at a time": Kind(
            first=known + measured, drip=b" ", expected="408"
        ),
        "write in chunks, none": Kind(first=known + chunked, expected="408"),
        "write in chunks of a byte": Kind(
            first=known + chunked, drip=b"1\r\n \r\n", expected="408"
        ),
        "write of 30 MB, a byte at a time": Kind(
            first=known + large, drip=b" ", expected="open", is_large=True
        ),
        "made-up key, no body": Kind(first=write + made_up + measured, expected="401"),
        "no request": Kind(first=b"", expected="open"),
        "headers, one at a time": Kind(first=form, drip=b"X-A: b\r\n", expected="open"),
        "a file, not read": Kind(
            first=file * MANY, reads=False, expected="open", is_large=True
        ),
        "a large state, not read": Kind(
            first=read * MANY, reads=False, expected="open", is_large=True
        ),
    }


@dataclass
class Crowd:
    """The connections of one kind, and what was answered on each."""

    kind: Kind
    target: Target
    connections: list[socket.socket] = field(default_factory=list)
    answers: dict[socket.socket, bytes] = field(default_factory=dict)
    ended: set[socket.socket] = field(default_factory=set)
    # When each was begun, and for how long the first of them waited for its answer.
    began: dict[socket.socket, float] = field(default_factory=dict)
    shortest_wait: float = float("inf")

    def open(self, selector: selectors.BaseSelector) -> None:
        for at in range(ADDRESSES):
            connection = socket.socket()
            if not self.kind.reads:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, WINDOW)
            connection.bind((f"127.0.0.{2 + at}", 0))
            self.began[connection] = time.monotonic()
            connection.connect(self.target.address)
            connection.sendall(self.kind.first)
            connection.setblocking(False)
            self.connections.append(connection)
            self.answers[connection] = b""
            if self.kind.reads:
                selector.register(connection, selectors.EVENT_READ, self)

    def hear(self, connection: socket.socket) -> bool:
        """Take what came; return whether more can come."""
        try:
            heard = connection.recv(65536)
        except ConnectionError:
            heard = b""
        if not heard:
            self.ended.add(connection)
            return False
        waited = time.monotonic() - self.began[connection]
        self.shortest_wait = min(waited, self.shortest_wait)
        self.answers[connection] += heard
        return True

    def drip(self) -> None:
        for connection in self.connections if self.kind.drip else ():
            try:
                connection.send(self.kind.drip)
            except OSError:
                self.ended.add(connection)

    @property
    def one_answer(self) -> bytes:
        return next(filter(None, self.answers.values()), b"")

    @property
    def outcomes(self) -> Counter[str]:
        """How many were answered with what; of the others, how many are still open."""
        return Counter(map(self._outcome, self.connections))

    def _outcome(self, connection: socket.socket) -> str:
        if answer := self.answers[connection]:
            return answer.split(b" ", 2)[1].decode()
        return "closed" if connection in self.ended else "open"


class Slowness:
    """Crowds of some kinds at once; use as a context."""

    def __init__(self, target: Target, *names: str) -> None:
        known = kinds(target)
        self.crowds = {name: Crowd(known[name], target) for name in names}
        self._selector = selectors.DefaultSelector()

    def __enter__(self) -> Slowness:
        for crowd in self.crowds.values():
            crowd.open(self._selector)
        return self

    def __exit__(self, *_: object) -> None:
        for crowd in self.crowds.values():
            for connection in crowd.connections:
                connection.close()
        self._selector.close()

    def go_on(self, seconds: float) -> None:
        """Send a little now and then, and hear what is answered, for so long."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            for crowd in self.crowds.values():
                crowd.drip()
            self._hear(min(left, DRIP_SECONDS))

    def _hear(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            for ready, _ in self._selector.select(left):
                if not ready.data.hear(ready.fileobj):
                    self._selector.unregister(ready.fileobj)

    @property
    def outcomes(self) -> dict[str, Counter[str]]:
        return {name: crowd.outcomes for name, crowd in self.crowds.items()}


def main() -> None:
    url, key, session, seconds, name = sys.argv[1:]
    target = Target(url=url, key=key, session=session)
    with Slowness(target, name) as slowness:
        slowness.go_on(float(seconds))
        sys.stdout.write(json.dumps(slowness.outcomes[name]))


if __name__ == "__main__":
    main()
