"""The front behind granian, byte by byte: a small application, no database."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.live import ROOT, free_port
from tests.server import toy

SECONDS = 20
END = b"0\r\n\r\n"


@dataclass(frozen=True)
class Served:
    port: int
    process: subprocess.Popen[bytes]

    def connected(self, *, window: int | None = None) -> socket.socket:
        connection = socket.socket()
        if window is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
        connection.settimeout(SECONDS)
        try:
            connection.connect(("127.0.0.1", self.port))
        except OSError:
            connection.close()
            raise
        return connection

    def ask(self, text: str) -> bytes:
        """Send requests, the last of which ends the connection; return what came."""
        with self.connected() as connection:
            connection.sendall(text.encode())
            return everything(connection)


@contextmanager
def serving(folder: Path) -> Iterator[Served]:
    port = free_port()
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", toy.__name__, str(port)],
            cwd=ROOT,
            stdout=log,
            stderr=log,
        )
        served = Served(port, process)
        try:
            _wait_for(served)
            yield served
        finally:
            process.terminate()
            process.wait(SECONDS)


def _wait_for(served: Served) -> None:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline and served.process.poll() is None:
        try:
            served.connected().close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise AssertionError("the server did not start")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served")) as one:
        yield one


def request(path: str, *headers: str, body: str = "", ends: bool = True) -> str:
    method = "POST" if body else "GET"
    lines = [f"{method} {path} HTTP/1.1", "Host: x", *headers]
    lines += ["Connection: close"] if ends else []
    lines += [f"Content-Length: {len(body)}"] if body else []
    return "\r\n".join([*lines, "", body])


def everything(connection: socket.socket) -> bytes:
    """Read until the server ends the connection."""
    found = []
    with suppress(ConnectionResetError):
        while piece := connection.recv(1_000_000):
            found.append(piece)
    return b"".join(found)


def body_of(answer: bytes) -> bytes:
    return answer.partition(b"\r\n\r\n")[2]


def test_a_connection_serves_one_request_after_the_other(served: Served) -> None:
    """Sent all at once, too: each has its own body, and they are answered in order."""
    asked = request("/a", body="one", ends=False) + request("/b", ends=False)
    asked += request("/c", body="three")

    answer = served.ask(asked)

    assert [part in answer for part in (b"/a one", b"/b ", b"/c three")] == [True] * 3
    assert answer.index(b"/a one") < answer.index(b"/b ") < answer.index(b"/c three")


def test_a_body_may_come_in_any_pieces(served: Served) -> None:
    body = "x" * 3_000
    with served.connected() as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for letter in request("/p", body="").partition("\r\n\r\n")[0]:
            connection.sendall(letter.encode())
        connection.sendall(b"\r\nContent-Length: 3000\r\n\r\n")
        for at in range(0, len(body), 500):
            connection.sendall(body[at : at + 500].encode())
        answer = everything(connection)

    assert body_of(answer) == b"/p " + body.encode()


def test_who_asks_before_sending_a_body_is_told_to_go_on(served: Served) -> None:
    headers = ["POST /e HTTP/1.1", "Host: x", "Expect: 100-continue"]
    headers += ["Content-Length: 2", "Connection: close", "", ""]
    with served.connected() as connection:
        connection.sendall("\r\n".join(headers).encode())
        assert connection.recv(1_000).startswith(b"HTTP/1.1 100 Continue")
        connection.sendall(b"ok")

        assert body_of(everything(connection)) == b"/e ok"


def test_who_announces_too_much_is_refused_without_a_byte(served: Served) -> None:
    headers = ["POST /e HTTP/1.1", "Host: x", "Expect: 100-continue"]
    headers += [f"Content-Length: {toy.LARGEST + 1}", "", ""]

    answer = served.ask("\r\n".join(headers))

    assert answer.startswith(b"HTTP/1.1 503")
    assert body_of(answer) == b"payload_too_large"


def test_a_file_is_sent_whole(served: Served) -> None:
    answer = served.ask(request("/file"))

    assert toy.FILE.read_bytes() in answer


def test_head_has_no_body(served: Served) -> None:
    answer = served.ask(request("/large/1000000").replace("GET", "HEAD"))

    assert b"content-length: 999936" in answer
    assert body_of(answer) == b""


def test_a_large_answer_comes_whole_to_a_slow_reader(served: Served) -> None:
    with served.connected(window=65536) as connection:
        connection.sendall(request("/large/8000000").encode())
        time.sleep(0.2)
        answer = everything(connection)

    assert body_of(answer) == bytes(range(256)) * (8_000_000 // 256)


def test_a_stream_is_made_as_it_is_read(served: Served) -> None:
    with served.connected(window=65536) as connection:
        connection.sendall(request("/stream/300").encode())
        made = -1
        # Until no more is made, while nothing is read.
        while made != (made := int(body_of(served.ask(request("/made"))))):
            time.sleep(0.2)
        assert 0 < made < 200
        answer = everything(connection)

    assert answer.endswith(END)
    assert answer.count(toy.PART) == 300


def test_a_stream_that_breaks_does_not_end_as_if_it_were_whole(served: Served) -> None:
    answer = served.ask(request("/broken/3"))

    assert answer.count(toy.PART) <= 3
    assert not answer.endswith(END)


def test_made_up_headers_with_underscores_are_not_read(served: Served) -> None:
    answer = served.ask(request("/u", "Content_Length: 10"))

    assert body_of(answer) == b"/u "


def test_it_stops_after_what_was_asked_and_refuses_what_is_slow(tmp_path: Path) -> None:
    with serving(tmp_path) as served, ExitStack() as opened:
        slow = opened.enter_context(served.connected())
        slow.sendall(request("/s", body="x" * 10)[:-5].encode())
        dripping = opened.enter_context(served.connected())
        dripping.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nx")
        under_way = opened.enter_context(served.connected())
        under_way.sendall(request("/slow").encode())
        idle = opened.enter_context(served.connected())
        idle.sendall(request("/i", ends=False).encode())
        assert idle.recv(1_000)
        time.sleep(toy.SLOW_SECONDS / 2)

        began = time.monotonic()
        served.process.send_signal(signal.SIGTERM)

        assert everything(under_way).startswith(b"HTTP/1.1 200")
        for connection in (slow, dripping):
            answer = everything(connection)
            assert answer.startswith(b"HTTP/1.1 503")
            assert body_of(answer) == b"service_unavailable"
        assert everything(idle) == b""
        assert served.process.wait(SECONDS) == 0
        # Sooner than the ten seconds that slow ones have, and not by being killed.
        assert time.monotonic() - began < 5
