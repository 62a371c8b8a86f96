"""The connections that the kernel says nobody reads from."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from apps.server.front import connections
from apps.server.front.connections import (
    STALL_BYTES,
    STALL_SECONDS,
    StalledReaders,
    cut,
)

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux says what a reader has taken"
)


class Pair:
    """A connection that was accepted in this process, and its client."""

    def __init__(self, listener: socket.socket, opened: ExitStack) -> None:
        self.client = opened.enter_context(socket.socket())
        self.client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.client.connect(listener.getsockname())
        self.client.settimeout(10)
        self.server = opened.enter_context(listener.accept()[0])
        self.server.setblocking(False)

    @property
    def peer(self) -> tuple[str, int]:
        host, port = self.client.getsockname()
        return host, port

    def fill(self) -> None:
        """Send until nothing more is taken."""
        try:
            while True:
                self.server.send(bytes(65536))
        except (BlockingIOError, BrokenPipeError):
            pass

    def read(self, size: int) -> None:
        """Read so much of what is sent meanwhile."""
        while size > 0:
            self.fill()
            size -= len(self.client.recv(min(size, 65536)))

    @property
    def is_cut(self) -> bool:
        try:
            self.server.send(b"x")
        except BlockingIOError:
            return False
        except BrokenPipeError:
            return True
        return False


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def listener(opened: ExitStack) -> socket.socket:
    made = opened.enter_context(socket.create_server(("127.0.0.1", 0)))
    # Inherited by what it accepts: a small buffer is full at once.
    made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
    return made


def test_a_reader_who_takes_nothing_is_cut_off(
    listener: socket.socket, opened: ExitStack
) -> None:
    pair, readers = Pair(listener, opened), StalledReaders()
    pair.fill()

    readers.sweep(0.0)
    readers.sweep(STALL_SECONDS - 1)
    assert not pair.is_cut
    readers.sweep(STALL_SECONDS)

    assert pair.is_cut


def test_a_reader_who_takes_some_is_waited_for(
    listener: socket.socket, opened: ExitStack
) -> None:
    pair, readers = Pair(listener, opened), StalledReaders()
    for at in range(4):
        pair.fill()
        readers.sweep(at * (STALL_SECONDS - 1))
        pair.read(2 * STALL_BYTES)

    assert not pair.is_cut


def test_drips_are_not_reading(listener: socket.socket, opened: ExitStack) -> None:
    pair, readers = Pair(listener, opened), StalledReaders()
    pair.fill()
    for at in range(4):
        readers.sweep(at * (STALL_SECONDS / 2))
        pair.client.recv(100)

    assert pair.is_cut


def test_a_connection_with_nothing_to_send_may_be_idle(
    listener: socket.socket, opened: ExitStack
) -> None:
    pair, readers = Pair(listener, opened), StalledReaders()

    for at in range(3):
        readers.sweep(at * STALL_SECONDS)

    assert not pair.is_cut


def test_connections_to_others_are_left_alone(
    listener: socket.socket, opened: ExitStack
) -> None:
    """A client of ours may wait long: for a database, for whoever is told of events."""
    pair, readers = Pair(listener, opened), StalledReaders()
    listener.close()
    pair.fill()

    readers.sweep(0.0)
    readers.sweep(2 * STALL_SECONDS)

    assert not pair.is_cut


def test_one_connection_is_cut_by_the_name_of_its_client(
    listener: socket.socket, opened: ExitStack
) -> None:
    one, other = Pair(listener, opened), Pair(listener, opened)

    cut(one.peer)

    assert (one.is_cut, other.is_cut) == (True, False)


def test_looking_leaves_no_descriptor_behind(
    listener: socket.socket, opened: ExitStack
) -> None:
    Pair(listener, opened)
    before = len(list(connections.DESCRIPTORS.iterdir()))

    for _ in range(5):
        StalledReaders().sweep(0.0)

    assert len(list(connections.DESCRIPTORS.iterdir())) == before


def test_a_number_that_something_else_has_taken_meanwhile_is_passed_by(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reading, writing = os.pipe()
    open_before = set(os.listdir(connections.DESCRIPTORS))
    # Whatever it looks at is called a socket, as it was a moment ago.
    monkeypatch.setattr(connections.os, "readlink", lambda _: "socket:[1]")

    found = list(connections._sockets())

    monkeypatch.undo()
    assert reading not in [one.fileno() for one in found]
    assert set(os.listdir(connections.DESCRIPTORS)) <= open_before
    for descriptor in (reading, writing):
        os.close(descriptor)


def test_a_sweep_that_fails_is_followed_by_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Enough(BaseException):
        """Ends the loop of the thread."""

    swept: list[float] = []

    def fail(readers: connections.StalledReaders, now: float) -> None:
        swept.append(now)
        if len(swept) == 2:
            raise Enough
        raise OSError

    monkeypatch.setattr(connections.StalledReaders, "sweep", fail)
    monkeypatch.setattr(connections, "sleep", lambda _: None)

    with pytest.raises(Enough):
        connections.StalledReaders().sweep_always()
    assert len(swept) == 2
