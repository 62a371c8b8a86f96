"""A host of PostgreSQL that falls silent, as one does whose machine is lost.

Between the web and PostgreSQL's socket stands a relay over TCP. Of what is connected
when the host falls silent the kernel drops every packet: nothing is answered, refused
or acknowledged, and nobody is told. PostgreSQL itself sees the end of its connections.
"""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ctypes import addressof, create_string_buffer
from pathlib import Path

from tests.faults.cutting_link import SOCKET

HOST = "127.0.0.1"
CHUNK = 65_536
# <asm-generic/socket.h>, which Python does not name.
SO_ATTACH_FILTER, SO_DETACH_FILTER = 26, 27
# <linux/filter.h>: a program of one instruction, BPF_RET with nothing let through.
DROP = create_string_buffer(struct.pack("=HBBI", 0x06, 0, 0, 0), 8)
PROGRAM = struct.pack("@HP", 1, addressof(DROP))


class SilentLink:
    """Relays from `port` to the socket in `upstream`, until it falls silent."""

    def __init__(self, upstream: Path) -> None:
        self.upstream = upstream
        self.lock = threading.Lock()
        self.connections: list[_Connection] = []
        self.listener = socket.create_server((HOST, 0), backlog=64)

    @property
    def port(self) -> int:
        return int(self.listener.getsockname()[1])

    def serve(self) -> None:
        """Take connections until the listener is shut down."""
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(str(self.upstream / SOCKET))
            except OSError:
                # A PostgreSQL that is not there refuses, as it would without the link.
                client.close()
                server.close()
                continue
            with self.lock:
                self.connections.append(_Connection(client, server))

    def fall_silent(self) -> int:
        """Lose the machine; return how many connections nobody answers any more."""
        with self.lock:
            _deafen(self.listener)
            return sum(one.lose() for one in self.connections)

    def be_replaced(self) -> None:
        """Let another machine listen at the address; what was lost stays lost."""
        self.listener.setsockopt(socket.SOL_SOCKET, SO_DETACH_FILTER, 0)

    def refuse(self) -> None:
        """Take no more connections."""
        _shut(self.listener)

    def close(self) -> None:
        self.listener.close()
        for one in self.connections:
            one.close()


class _Connection:
    """One connection to PostgreSQL, in two threads."""

    def __init__(self, client: socket.socket, server: socket.socket) -> None:
        self.client = client
        self.server = server
        self.is_lost = False
        self.lock = threading.Lock()
        self.threads = [
            threading.Thread(target=self._relay, args=ends, daemon=True)
            for ends in ((client, server), (server, client))
        ]
        for thread in self.threads:
            thread.start()

    def lose(self) -> bool:
        """Let its client wait for ever; say whether it was there until now."""
        with self.lock:
            if self.is_lost or not any(one.is_alive() for one in self.threads):
                return False
            self.is_lost = True
            _deafen(self.client)
        _shut(self.server)
        return True

    def close(self) -> None:
        for one in (self.client, self.server):
            _shut(one)
        for thread in self.threads:
            thread.join()
        # Only now: it would have told whoever waited.
        self.client.close()
        self.server.close()

    def _relay(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(CHUNK):
                target.sendall(data)
        with self.lock:
            if not self.is_lost:
                for one in (source, target):
                    _shut(one)


def _deafen(one: socket.socket) -> None:
    one.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, PROGRAM)


def _shut(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)


@contextmanager
def silent_link(upstream: Path) -> Iterator[SilentLink]:
    """Run the link in threads."""
    link = SilentLink(upstream)
    thread = threading.Thread(target=link.serve, daemon=True)
    thread.start()
    try:
        yield link
    finally:
        link.refuse()
        thread.join()
        link.close()
