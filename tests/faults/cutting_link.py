"""A link to PostgreSQL that is cut before an append reaches it, or after its commit.

It stands on a socket of its own before the server's and reads the protocol: the
statement of an append is known by its text, the request by the idempotency key among
its parameters. A key says where it is cut, and is cut once.
"""

from __future__ import annotations

import re
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

SOCKET = ".s.PGSQL.5432"
APPEND = b"timeline_append"
KEY = re.compile(rb"cut-(before|after)-[A-Za-z0-9-]+")
# Ready for the next query, with no transaction open: what was done is committed.
IDLE = b"I"
# The first column of an append's row: another writer may have come first.
STORED = struct.pack("!I", 6) + b"stored"


class CuttingLink:
    """Listens in `folder`; `cuts` maps each cut key to where it was cut.

    That is before, after, or elsewhere: the statement failed, or stored nothing, or did
    so in a transaction that was still open.
    """

    def __init__(self, folder: Path, upstream: Path) -> None:
        self.folder = folder
        self.upstream = upstream
        self.cuts: dict[str, str] = {}
        self.lock = threading.Lock()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(folder / SOCKET))
        self.listener.listen(64)

    def serve(self) -> None:
        """Take connections until the listener is shut down."""
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(str(self.upstream / SOCKET))
            _Connection(self, client, server).start()

    def where(self, message: bytes) -> tuple[str, str] | None:
        """Return key and place of a request that is cut, when it is first seen."""
        found = KEY.search(message)
        if found is None:
            return None
        key, place = found[0].decode(), found[1].decode()
        with self.lock:
            if key in self.cuts:
                return None
            self.cuts[key] = place
            return key, place

    def counted(self) -> Counter[str]:
        with self.lock:
            return Counter(self.cuts.values())


@contextmanager
def cutting(folder: Path, upstream: Path) -> Iterator[CuttingLink]:
    """Run the link in threads; `folder` is where clients find its socket."""
    link = CuttingLink(folder, upstream)
    thread = threading.Thread(target=link.serve, daemon=True)
    thread.start()
    try:
        yield link
    finally:
        link.listener.shutdown(socket.SHUT_RDWR)
        link.listener.close()
        thread.join()


class _Connection:
    """One connection of the web to PostgreSQL, in two threads."""

    def __init__(
        self, link: CuttingLink, client: socket.socket, server: socket.socket
    ) -> None:
        self.link = link
        self.client = client
        self.server = server
        self.appends: set[bytes] = set()  # names of prepared statements
        self.lock = threading.Lock()
        self.threads = 2
        self.swallowed: str | None = None  # the key whose answer nobody gets

    def start(self) -> None:
        for act in (self._forwards, self._backwards):
            threading.Thread(target=self._guarded, args=(act,), daemon=True).start()

    def _guarded(self, act: Callable[[], None]) -> None:
        with suppress(OSError):
            act()
        self._end()

    def _end(self) -> None:
        """Shut both sides down, which wakes the other thread; the last one closes."""
        for side in (self.client, self.server):
            with suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)
        with self.lock:
            self.threads -= 1
            is_last = not self.threads
        if is_last:
            self.client.close()
            self.server.close()

    def _forwards(self) -> None:
        """Pass on what the web asks, unless this is where it is cut."""
        self.server.sendall(_startup(self.client))
        while message := _message(self.client):
            key, place = self._cut(message) or (None, None)
            if place == "before":
                return
            if place == "after":
                self.swallowed = key
            self.server.sendall(message)

    def _cut(self, message: bytes) -> tuple[str, str] | None:
        kind, body = message[:1], message[5:]
        if kind == b"P":
            name, query = body.split(b"\0", 2)[:2]
            (self.appends.add if APPEND in query else self.appends.discard)(name)
        if kind != b"B":
            return None
        _, statement, parameters = body.split(b"\0", 2)
        return self.link.where(parameters) if statement in self.appends else None

    def _backwards(self) -> None:
        """Pass on what PostgreSQL answers; once it swallows, only until it is done.

        An append is a statement of its own: when the server says that it is ready for
        the next query, the transaction is committed.
        """
        is_stored = False
        while message := _message(self.server):
            if self.swallowed is None:
                self.client.sendall(message)
                continue
            if message[:1] == b"D":
                is_stored = message[7:].startswith(STORED)
            elif message[:1] == b"Z":
                if not is_stored or message[5:6] != IDLE:
                    self.link.cuts[self.swallowed] = "elsewhere"
                return


def _startup(side: socket.socket) -> bytes:
    """Read the first message, which has no type."""
    head = _exactly(side, 4)
    if not head:
        raise ConnectionError
    return head + _exactly(side, struct.unpack("!I", head)[0] - 4)


def _message(side: socket.socket) -> bytes:
    """Read one message whole; nothing when the other side is gone."""
    head = _exactly(side, 5)
    if not head:
        return b""
    return head + _exactly(side, struct.unpack("!I", head[1:])[0] - 4)


def _exactly(side: socket.socket, count: int) -> bytes:
    parts = []
    while count:
        part = side.recv(min(count, 1 << 20))
        if not part:
            return b""
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
