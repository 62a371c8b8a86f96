"""HTTP to user-supplied URLs with SSRF protection.

A name is resolved once and the connection goes to the very address that was checked,
so that a name server cannot answer differently in between. Redirects are not followed:
they would be another address. Proxies of the environment are not asked. An attempt
ends by its deadline, however slowly the other side drips.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import ssl
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from typing import TypeVar

from apps.core.outbound.addresses import Target, require_outside
from apps.core.outbound.bodies import Unreadable, read_body

T = TypeVar("T")
HEAD_BYTES = 65_536
# Where its status alone counts, and when to come again, the rest is thrown away.
REST_BYTES = 65_536
REST_SECONDS = 1.0
_STATUS = re.compile(rb"HTTP/1\.[01] ([1-5]\d\d)[ \r]")
_RETRY_AFTER = re.compile(rb"\r\nretry-after:[ \t]*([ -~]{1,40}?)[ \t]*\r\n", re.I)


@dataclass(frozen=True, slots=True)
class Answered:
    """What came back; `retry_after` is the header as it was sent, or empty."""

    status: int
    retry_after: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back, with its body, as it was sent."""

    answered: Answered
    body: bytes


class Failed(Exception):
    """Nothing came back that says whether it was received; the text says why."""


@dataclass(frozen=True, slots=True)
class _Head:
    """An answer up to its headers' end, and what was read behind that."""

    answered: Answered
    headers: bytes
    rest: bytes


def resolve(target: Target, *, into_the_house: bool) -> list[str]:
    """Return the addresses behind the name, all of them outside the house.

    One address inside refuses them all: it is not by accident among them.

    Raises: Refused, Failed.
    """
    try:
        found = socket.getaddrinfo(
            target.host, target.port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP
        )
    except (OSError, UnicodeError):
        raise Failed("The host's name does not resolve.") from None
    addresses = list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))
    if not into_the_house:
        for address in addresses:
            require_outside(ipaddress.ip_address(address))
    return addresses


def post(
    target: Target,
    body: bytes,
    headers: Mapping[str, str],
    *,
    seconds: float,
    into_the_house: bool,
) -> Answered:
    """Send a body once and return what was answered, whatever it is.

    Raises: Refused where the name leads into the house, Failed where no answer came.
    """
    return _exchanged(
        target,
        _request(target, body, headers),
        _status_alone,
        seconds=seconds,
        into_the_house=into_the_house,
    )


def post_for_body(
    target: Target,
    body: bytes,
    headers: Mapping[str, str],
    *,
    seconds: float,
    into_the_house: bool,
    most: int,
) -> Reply:
    """Send a body once and return what was answered, with up to `most` bytes of body.

    Raises: as `post`; Failed also where the body is longer, cut off or compressed.
    """
    return _exchanged(
        target,
        _request(target, body, headers),
        partial(_with_body, most=most),
        seconds=seconds,
        into_the_house=into_the_house,
    )


def _exchanged(
    target: Target,
    request: bytes,
    receive: Callable[[socket.socket, float], T],
    *,
    seconds: float,
    into_the_house: bool,
) -> T:
    deadline = time.monotonic() + seconds
    addresses = resolve(target, into_the_house=into_the_house)
    try:
        with _connected(target, addresses, deadline) as connection:
            _write(connection, request, deadline)
            return receive(connection, deadline)
    except TimeoutError:
        raise Failed(f"No answer within {seconds:g} seconds.") from None
    except ssl.SSLCertVerificationError as error:
        raise Failed(
            f"The host's certificate is not valid: {error.verify_message}"
        ) from None
    except ssl.SSLError:
        raise Failed("No TLS connection could be made.") from None
    except ConnectionRefusedError:
        raise Failed("The host refused the connection.") from None
    except OSError:
        raise Failed("The connection broke before an answer came.") from None


def _status_alone(connection: socket.socket, deadline: float) -> Answered:
    head = _head(connection, deadline)
    _drain(connection, min(deadline, time.monotonic() + REST_SECONDS))
    return head.answered


def _with_body(connection: socket.socket, deadline: float, *, most: int) -> Reply:
    head = _head(connection, deadline)
    read = partial(_read, connection, deadline)
    try:
        return Reply(head.answered, read_body(head.headers, head.rest, read, most=most))
    except Unreadable as error:
        raise Failed(str(error)) from None


def _connected(target: Target, addresses: list[str], deadline: float) -> socket.socket:
    """Return a connection to the first address that takes one."""
    failure: OSError = OSError("no address")
    for address in addresses:
        try:
            plain = socket.create_connection((address, target.port), _left(deadline))
        except OSError as error:
            failure = error
            continue
        if not target.is_tls:
            return plain
        try:
            plain.settimeout(_left(deadline))
            return _tls().wrap_socket(plain, server_hostname=target.host.rstrip("."))
        except BaseException:
            plain.close()
            raise
    raise failure


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


def _request(target: Target, body: bytes, headers: Mapping[str, str]) -> bytes:
    lines = [f"POST {target.path} HTTP/1.1", f"Host: {target.authority}"]
    told = {**headers, "Content-Length": str(len(body)), "Connection": "close"}
    for name, value in told.items():
        if not value.isascii() or not value.isprintable():
            raise ValueError(f"{name} is no header that can be sent")
        lines.append(f"{name}: {value}")
    return "\r\n".join([*lines, "", ""]).encode("ascii") + body


def _write(connection: socket.socket, data: bytes, deadline: float) -> None:
    view = memoryview(data)
    while view:
        connection.settimeout(_left(deadline))
        view = view[connection.send(view) :]


def _head(connection: socket.socket, deadline: float) -> _Head:
    """Read up to the end of the final answer's headers."""
    head = b""
    while len(head) <= HEAD_BYTES:
        piece = _read(connection, deadline)
        if not piece:
            raise OSError("closed")
        head += piece
        # Interim answers (1xx) come before the one that counts.
        while (end := head.find(b"\r\n\r\n")) >= 0:
            found = _STATUS.match(head)
            if not found:
                raise Failed("The answer is no HTTP.")
            if not found[1].startswith(b"1"):
                headers, rest = head[: end + 2], head[end + 4 :]
                again = _RETRY_AFTER.search(headers)
                answered = Answered(int(found[1]), again[1].decode() if again else "")
                return _Head(answered, headers, rest)
            head = head[end + 4 :]
    raise Failed("The answer's headers are too long.")


def _drain(connection: socket.socket, deadline: float) -> None:
    """Let the other side finish, for a moment: it may mind being cut off."""
    size = 0
    with suppress(OSError):
        while size < REST_BYTES:
            piece = _read(connection, deadline)
            if not piece:
                return
            size += len(piece)


def _read(connection: socket.socket, deadline: float) -> bytes:
    connection.settimeout(_left(deadline))
    return connection.recv(16_384)


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
