"""Close TCP connections whose peers have stopped reading (Linux).

granian waits for ever for a peer that does not read, and keeps the response meanwhile.
The kernel knows the size of each send queue and how many bytes were acknowledged; it is
asked every few seconds, not per request. Other systems do not report acknowledged
bytes; no connection is closed there.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from fcntl import ioctl
from pathlib import Path
from termios import TIOCOUTQ
from threading import Thread
from time import monotonic, sleep

import structlog

log = structlog.get_logger(__name__)

Address = tuple[str, int]

DESCRIPTORS = Path("/proc/self/fd")
SWEEP_SECONDS = 5.0
# A reader has to take so many bytes in so many seconds, or everything unsent.
STALL_SECONDS = 30.0
STALL_BYTES = 64 * 1024
# `tcpi_bytes_acked` of Linux' `struct tcp_info`.
_ACKED = struct.Struct("=120xQ")


def cut(peer: Address) -> None:
    """Cut the connection with this client, if there still is one."""
    for connection in _connections():
        if connection.getpeername()[:2] == peer:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


@dataclass(slots=True)
class _Unread:
    """Since when a connection has had something to send, and what was taken then."""

    since: float
    taken: int


class StalledReaders:
    """Cuts the connections whose readers do not take what is there for them."""

    def __init__(self) -> None:
        self._unread: dict[int, _Unread] = {}

    def sweep(self, now: float) -> None:
        seen: dict[int, _Unread] = {}
        for connection in _connections():
            if not _unsent(connection):
                continue
            inode = os.fstat(connection.fileno()).st_ino
            taken = _taken(connection)
            before = self._unread.get(inode)
            if before is None or taken - before.taken >= STALL_BYTES:
                before = _Unread(now, taken)
            if now - before.since >= STALL_SECONDS:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
                continue
            seen[inode] = before
        self._unread = seen

    def sweep_always(self) -> None:
        while True:
            sleep(SWEEP_SECONDS)
            try:
                self.sweep(monotonic())
            except Exception:
                # Nobody else would look after them from now on.
                log.exception("stalled readers were not looked after")


def cut_stalled_readers() -> None:
    """Look after the connections of this process from now on, on Linux."""
    if hasattr(socket, "TCP_INFO") and DESCRIPTORS.is_dir():
        readers = StalledReaders()
        Thread(target=readers.sweep_always, name="stalled-readers", daemon=True).start()


def _connections() -> Iterator[socket.socket]:
    """Give each connection that was accepted by this process.

    It is a duplicate, closed again afterwards: whatever happens meanwhile to the
    descriptor that it was made of, it stays this connection.
    """
    ports = {
        each.getsockname()[1]
        for each in _sockets()
        if each.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    }
    for each in _sockets():
        with suppress(OSError):
            if each.getsockname()[1] in ports and each.getpeername():
                yield each


def _sockets() -> Iterator[socket.socket]:
    for descriptor in os.listdir(DESCRIPTORS):
        try:
            if not os.readlink(DESCRIPTORS / descriptor).startswith("socket:"):
                continue
            duplicate = os.dup(int(descriptor))
        except OSError:  # It was closed meanwhile.
            continue
        try:
            found = socket.socket(fileno=duplicate)
        except OSError:  # Something else has its number by now: a file, a pipe.
            os.close(duplicate)
            continue
        with closing(found):
            if found.family in (socket.AF_INET, socket.AF_INET6):
                yield found


def _unsent(connection: socket.socket) -> int:
    """Return how many bytes its reader has not confirmed."""
    size: bytes = ioctl(connection, TIOCOUTQ, bytes(4))
    return int.from_bytes(size, sys.byteorder)


def _taken(connection: socket.socket) -> int:
    """Return how many bytes its reader ever took; always 0 before Linux 4.1."""
    found = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _ACKED.size)
    return int(_ACKED.unpack(found)[0]) if len(found) == _ACKED.size else 0
