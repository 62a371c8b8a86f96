"""Bodies at the limits, through a real server: 16 MiB of state, 33 MiB of request."""

import gzip
import hashlib
import json
import socket
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import urlsplit

import httpx
import pytest

from tests.live import Server

MIB = 1024 * 1024
WRAPPER = len(b'{"s":""}')
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def client(live: Server) -> Iterator[httpx.Client]:
    with live.client(live.key("large-bodies")) as client:
        yield client


@pytest.fixture
def session(client: httpx.Client) -> str:
    made = client.post(
        "/v1/sessions", json={"agent_id": "big", "initial_state": {"small": True}}
    )
    return f"/v1/sessions/{made.json()['id']}"


def state_of(size: int) -> bytes:
    """Return a state of exactly this many bytes that does not compress to nothing."""
    filling = hashlib.shake_256(b"filling").hexdigest((size - WRAPPER) // 2 + 1)
    return b'{"s":"' + filling[: size - WRAPPER].encode() + b'"}'


def put(client: httpx.Client, session: str, state: bytes) -> httpx.Response:
    body = b'{"state":' + state + b"}"
    return client.put(f"{session}/state", content=body, headers=JSON)


def head(client: httpx.Client, session: str) -> int:
    return int(client.get(f"{session}/state").json()["version"])


def test_a_state_of_16_mib_is_stored_changed_and_restored(
    client: httpx.Client, session: str
) -> None:
    state = state_of(16 * MIB)

    stored = put(client, session, state)
    wiped = put(client, session, b"{}")
    restored = client.post(f"{session}/rollback", json={"version": 1})

    assert (stored.status_code, wiped.status_code) == (200, 200)
    assert b'"state":' + state in restored.content
    assert b'"state":' + state in client.get(f"{session}/versions/1").content


def test_one_byte_more_is_too_large(client: httpx.Client, session: str) -> None:
    answer = put(client, session, state_of(16 * MIB + 1))

    assert answer.status_code == 413
    error = answer.json()["error"]
    assert (error["code"], error["limit"]) == ("payload_too_large", 16 * MIB)
    assert head(client, session) == 0


def test_a_merge_cannot_grow_a_state_beyond_it(
    client: httpx.Client, session: str
) -> None:
    put(client, session, state_of(10 * MIB))
    more = b'{"state":{"t":"' + b"t" * 7 * MIB + b'"}}'

    answer = client.patch(f"{session}/state", content=more, headers=JSON)

    assert answer.status_code == 413
    assert head(client, session) == 1


def test_a_million_numbers_are_kept(client: httpx.Client, session: str) -> None:
    state = json.dumps({"n": list(range(1_000_000))}, separators=(",", ":")).encode()

    answer = put(client, session, state)

    assert answer.status_code == 200
    assert b'"state":' + state in answer.content


@pytest.mark.parametrize("encoding", ["gzip", "gzip, gzip", "br", "zstd"])
def test_a_compressed_body_is_not_taken(
    client: httpx.Client, session: str, encoding: str
) -> None:
    bomb = gzip.compress(b'{"state":{"s":"' + b"x" * 16 * MIB + b'"}}')

    answer = client.put(
        f"{session}/state", content=bomb, headers={**JSON, "Content-Encoding": encoding}
    )

    assert answer.status_code == 415
    assert head(client, session) == 0


def test_a_length_beyond_the_limit_is_refused_before_the_body(
    live: Server, client: httpx.Client, session: str
) -> None:
    length = f"Content-Length: {10 * 1024 * MIB}\r\n"

    status = status_of(live, client, f"PUT {session}/state", length, b"x" * 1024)

    assert status == 413
    assert head(client, session) == 0


def test_a_body_without_a_length_is_refused_once_it_exceeds_the_limit(
    live: Server, client: httpx.Client, session: str
) -> None:
    chunk = b"%x\r\n" % MIB + b"x" * MIB + b"\r\n"
    chunked = "Transfer-Encoding: chunked\r\n"

    status = status_of(live, client, f"PUT {session}/state", chunked, chunk * 34)

    assert status == 413
    assert head(client, session) == 0


def test_a_body_without_a_length_is_taken_below_the_limit(
    client: httpx.Client, session: str
) -> None:
    parts = iter([b'{"state":', b'{"a":1}', b"}"])

    answer = client.put(f"{session}/state", content=parts, headers=JSON)

    assert (answer.status_code, answer.json()["state"]) == (200, {"a": 1})


def test_a_large_body_without_a_length_arrives_whole(
    client: httpx.Client, session: str
) -> None:
    state = state_of(3 * MIB)
    body = b'{"state":' + state + b"}"
    parts = (body[at : at + 100_000] for at in range(0, len(body), 100_000))

    answer = client.put(f"{session}/state", content=parts, headers=JSON)

    assert answer.status_code == 200
    assert b'"state":' + state in answer.content


def status_of(
    live: Server, client: httpx.Client, request: str, header: str, body: bytes
) -> int:
    """Send a request by hand, whose body need not be taken; return the status."""
    address = urlsplit(live.url)
    text = (
        f"{request} HTTP/1.1\r\nHost: {address.netloc}\r\n{header}"
        f"X-API-Key: {client.headers['X-API-Key']}\r\n"
        "Content-Type: application/json\r\n\r\n"
    )
    with socket.create_connection((address.hostname, address.port), 20) as connection:
        connection.sendall(text.encode())
        with suppress(ConnectionError):  # It may be refused before all was sent.
            connection.sendall(body)
        return int(connection.recv(64).split()[1])
