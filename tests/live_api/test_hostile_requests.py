"""Requests that no client library sends, written byte by byte to a real server.

Each is refused with a status that the API describes or, where the server before it
cannot make a request of it, by closing the connection. None of them stores anything,
and the server answers the next one.
"""

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest

from tests.live import Server
from tests.timeline.doors import counting

STATE = b'{"state":{"hostile":true}}'
JSON = b"Content-Type: application/json\r\n"
CLOSED = None
SECONDS = 60


@dataclass(frozen=True)
class Target:
    """A session of a live server, and a socket to write to."""

    live: Server
    client: httpx.Client
    path: str

    @property
    def host(self) -> bytes:
        return urlsplit(self.live.url).netloc.encode()

    @property
    def head(self) -> int:
        return int(self.client.get(f"{self.path}/state").json()["version"])

    def connected(self) -> socket.socket:
        address = urlsplit(self.live.url)
        assert address.hostname is not None
        assert address.port is not None
        return socket.create_connection((address.hostname, address.port), SECONDS)

    def written(
        self,
        headers: bytes,
        body: bytes = b"",
        *,
        line: bytes = b"",
        protocol: bytes = b"HTTP/1.1",
    ) -> bytes:
        """Return a request with the key; by default it writes the session's state."""
        line = line or b"PUT " + self.path.encode() + b"/state"
        key = b"X-API-Key: " + self.client.headers["X-API-Key"].encode() + b"\r\n"
        common = b"Host: " + self.host + b"\r\nConnection: close\r\n" + key
        return line + b" " + protocol + b"\r\n" + common + headers + b"\r\n" + body

    def verb(self, path: bytes, method: bytes = b"POST") -> bytes:
        return method + b" " + self.path.encode() + path

    def status(self, request: bytes, *, ends: bool = False) -> int | None:
        """Send this; return the status, None if the connection was just closed."""
        with self.connected() as connection:
            with suppress(OSError):  # It may be refused before all was sent.
                connection.sendall(request)
                if ends:
                    connection.shutdown(socket.SHUT_WR)
            return status_of(connection)

    def stored(self) -> str:
        with psycopg.connect(self.live.dsn) as connection:
            return str(connection.execute(counting()).fetchone())


def status_of(connection: socket.socket) -> int | None:
    answer = b""
    with suppress(ConnectionError):
        while len(answer) < 12 and (more := connection.recv(4_096)):
            answer += more
    return int(answer.split()[1]) if answer else CLOSED


def length(body: bytes = STATE) -> bytes:
    return b"Content-Length: %d\r\n" % len(body)


def chunk(data: bytes) -> bytes:
    return b"%x\r\n" % len(data) + data + b"\r\n"


@pytest.fixture(scope="module")
def client(live: Server) -> Iterator[httpx.Client]:
    with live.client(live.key("hostile-requests")) as client:
        yield client


@pytest.fixture
def target(live: Server, client: httpx.Client) -> Iterator[Target]:
    """A session to write to; afterwards nothing is stored, and the server answers."""
    begun = {"agent_id": "calm", "initial_state": {"kept": True}}
    made = client.post("/v1/sessions", json=begun).json()
    target = Target(live, client, f"/v1/sessions/{made['id']}")
    before = target.stored()
    yield target
    assert target.stored() == before
    answer = client.put(f"{target.path}/state", json={"state": {"after": 1}})
    assert (answer.status_code, answer.json()["version"]) == (200, 1)


HEADERS = {
    "64 KiB": b"X-Filler: " + b"x" * 65_536 + b"\r\n",
    "200 of them": b"".join(b"X-Filler-%d: x\r\n" % n for n in range(200)),
    "cookies": b"Cookie: " + b"a=b; " * 20_000 + b"\r\n",
    "a line that never ends": b"X-Filler: " + b"x" * 1_000_000,
}
# No two readers agree on where these requests end: none may be read at all.
FRAMES = {
    "two lengths": length() + b"Content-Length: 5\r\n",
    "two lengths in one": b"Content-Length: 26, 5\r\n",
    "a negative length": b"Content-Length: -1\r\n",
    "a signed length": b"Content-Length: +26\r\n",
    "a hexadecimal length": b"Content-Length: 0x1a\r\n",
    "a length beyond 64 bits": b"Content-Length: 99999999999999999999999\r\n",
    "a length and chunks": length() + b"Transfer-Encoding: chunked\r\n",
    "chunks and a length": b"Transfer-Encoding: chunked\r\n" + length(),
    "an unknown coding": b"Transfer-Encoding: xchunked\r\n",
    "chunks inside a coding": b"Transfer-Encoding: chunked, gzip\r\n",
    "a folded header": b"X-Filler: a\r\n b\r\n" + length(),
    "a space before the colon": b"Content-Length : 26\r\n",
    "a header without a colon": b"nothing\r\n" + length(),
    "a NUL in a header": b"X-Filler: a\0b\r\n" + length(),
}
CHUNKED = b"Transfer-Encoding: chunked\r\n"
# Bodies that end before they should: the client closes its half of the connection.
CUT = {
    "before its length": (b"Content-Length: 100\r\n", STATE),
    "before its first byte": (b"Content-Length: 100\r\n", b""),
    "before the first chunk": (CHUNKED, b""),
    "between two chunks": (CHUNKED, chunk(STATE[:-2])),
    "within a chunk": (CHUNKED, b"ff\r\n" + STATE[:-2]),
    "within a chunk's size": (CHUNKED, chunk(STATE[:-2]) + b"f"),
    "at a size that is none": (CHUNKED, b"zz\r\n" + STATE),
    "at a size beyond 64 bits": (CHUNKED, b"f" * 18 + b"\r\n" + STATE),
}
ENCODINGS = [
    b"gzip",
    b"GZIP",
    b"identity, gzip",
    b"identity\r\nContent-Encoding: gzip",
    b"br",
    b"utf-8",
    b"",
]
TWICE = {
    "Idempotency-Key": (b"a", b"b", 400),
    "the same Idempotency-Key": (b"a", b"a", 400),
    "If-Match": (b'"v0"', b'"v1"', 400),
    "Authorization": (b"Bearer a", b"Bearer b", 401),
}
# `%s` is the session's address. A server decodes an address once, before its routes
# are looked up: an escaped slash is one, a slash escaped twice is none.
ADDRESSES = {
    "NUL": (b"/v1/sessions/%%00", 404),
    "NUL at the end": (b"%s%%00", 404),
    "no UTF-8": (b"/v1/sessions/%%ff", 404),
    "a slash escaped": (b"%s%%2Fstate", 200),
    "a slash escaped twice": (b"%s%%252Fstate", 404),
    "a slash escaped at the end": (b"%s/state%%2F", 404),
    "an underscore escaped twice": (b"/v1/sessions/sess%%255F0", 404),
    "two slashes": (b"/v1//sessions", 404),
    "slashes before it": (b"//%s", 404),
    "dots": (b"%s/../../agents", 404),
    "dots escaped": (b"%s/%%2e%%2e/agents", 404),
    "a raw NUL": (b"%s\0", 400),
    "a raw blank": (b"%s x", 400),
    "raw bytes": (b"/v1/sessions/\xc3\xa9\xff", (400, 404)),
    "an asterisk": (b"*", 404),
    "70 kB": (b"/" + b"x" * 70_000, (414, 431)),
    "a query of 70 kB": (b"%s?q=" + b"x" * 70_000, (414, 431)),
    "a query of 5,000 names": (b"/v1/sessions?" + b"a=1&" * 5_000, 400),
    "a number of 6,000 digits": (b"/v1/sessions?limit=" + b"9" * 6_000, 400),
    "NUL in a query": (b"/v1/sessions?agent_id=%%00", 400),
}


@pytest.mark.parametrize("case", HEADERS)
def test_headers_have_a_limit(target: Target, case: str) -> None:
    request = target.written(JSON + length() + HEADERS[case], STATE)

    assert target.status(request) in (431, CLOSED)


@pytest.mark.parametrize("case", FRAMES)
@pytest.mark.parametrize("ends", [False, True], ids=["open", "ended"])
def test_a_body_whose_end_is_disputed_is_not_read(
    target: Target, case: str, ends: bool
) -> None:
    request = target.written(JSON + FRAMES[case], STATE)

    assert target.status(request, ends=ends) in (400, 411, 413, CLOSED)


def test_a_request_hidden_in_a_body_is_not_run(target: Target) -> None:
    hidden = target.written(JSON + length(), STATE)
    for headers in (
        b"Transfer-Encoding: chunked\r\n" + length(),
        b"Content-Length: 5\r\nContent-Length: %d\r\n" % (len(hidden) + 5),
    ):
        request = target.written(JSON + headers, b"0\r\n\r\n" + hidden)
        kept = request.replace(b"Connection: close\r\n", b"", 1)

        assert target.status(kept) in (400, CLOSED)


@pytest.mark.parametrize("case", CUT)
def test_a_body_that_is_cut_short_is_not_taken(target: Target, case: str) -> None:
    headers, body = CUT[case]

    for verb in (b"PUT " + target.path.encode() + b"/state", target.verb(b"/fork")):
        request = target.written(JSON + headers, body, line=verb)
        assert target.status(request, ends=True) in (400, CLOSED), verb


def test_a_body_of_chunks_without_end_is_not_waited_for(target: Target) -> None:
    """One byte a chunk until the client gives up: nothing is made of what came."""
    request = target.written(JSON + CHUNKED, chunk(b'{"state":{"a":"'))

    assert target.status(request + chunk(b"x") * 10_000, ends=True) in (400, CLOSED)


def test_a_slow_body_keeps_nobody_else_waiting(target: Target) -> None:
    halves = [STATE[:-1], STATE[-1:]]
    request = target.written(JSON + length(), halves[0])
    with target.connected() as slow:
        slow.sendall(request)
        for _ in range(4):
            assert target.head == 0
        slow.sendall(b"x" * len(halves[1]))

        assert status_of(slow) == 400


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_an_encoding_that_is_not_asked_for_is_not_undone(
    target: Target, encoding: bytes
) -> None:
    header = b"Content-Encoding: " + encoding + b"\r\n"

    assert target.status(target.written(JSON + header + length(), STATE)) == 415


@pytest.mark.parametrize("case", TWICE)
def test_a_header_that_stands_once_is_refused_twice(target: Target, case: str) -> None:
    one, other, status = TWICE[case]
    name = case.split()[-1].encode()
    twice = b"".join(name + b": " + value + b"\r\n" for value in (one, other))
    request = target.written(JSON + twice + length(), STATE)
    if status == 401:
        request = request.replace(b"X-API-Key", b"X-Filler")

    assert target.status(request) == status


@pytest.mark.parametrize("case", ADDRESSES)
def test_an_address_is_read_once_and_as_it_stands(target: Target, case: str) -> None:
    address, expected = ADDRESSES[case]
    pieces = [piece.replace(b"%%", b"%") for piece in address.split(b"%s")]
    line = b"GET " + target.path.encode().join(pieces)

    status = target.status(target.written(b"", line=line))

    assert status in (expected if isinstance(expected, tuple) else (expected,))


PROTOCOLS = [b"HTTP/0.9", b"HTTP/2.0", b"HTTP/9.9", b"HTTP/1.1 x", b"GARBAGE", b""]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_another_protocol_is_not_spoken(target: Target, protocol: bytes) -> None:
    request = target.written(JSON + length(), STATE, protocol=protocol)

    assert target.status(request, ends=True) in (400, CLOSED)


def test_http_1_0_is_spoken_where_a_body_has_a_length(target: Target) -> None:
    read = target.written(
        b"", line=target.verb(b"/state", b"GET"), protocol=b"HTTP/1.0"
    )
    chunks = chunk(STATE) + b"0\r\n\r\n"
    without = target.written(JSON, STATE, protocol=b"HTTP/1.0")
    chunked = target.written(JSON + CHUNKED, chunks, protocol=b"HTTP/1.0")

    assert target.status(read) == 200
    assert target.status(without, ends=True) in (400, 411, CLOSED)
    assert target.status(chunked, ends=True) in (400, 411, CLOSED)


def test_what_is_no_request_at_all_is_refused(target: Target) -> None:
    for request in (b"\x16\x03\x01\x02\x00\x01", b"\0" * 1_000, b"\r\n" * 100, b"GET"):
        assert target.status(request, ends=True) in (400, CLOSED)


def test_many_hostile_requests_at_once_leave_the_server_whole(target: Target) -> None:
    requests = [
        target.written(JSON + headers, STATE)
        for headers in (*HEADERS.values(), *FRAMES.values())
    ]
    statuses: list[int | None] = []
    threads = [
        threading.Thread(
            target=lambda one: statuses.append(target.status(one, ends=True)),
            args=[request],
        )
        for request in requests
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(statuses) == len(requests)
    assert {status for status in statuses if status} <= {400, 411, 413, 431}
