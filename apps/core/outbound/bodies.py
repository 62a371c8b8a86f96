"""Read the body of an HTTP/1.1 answer: by its length, in chunks, or up to the end."""

from __future__ import annotations

import re
from collections.abc import Callable

_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d{1,15})[ \t]*\r\n", re.I)
_CHUNKED = re.compile(rb"\r\ntransfer-encoding:[ \t]*chunked[ \t]*\r\n", re.I)
_TRANSFER = re.compile(rb"\r\ntransfer-encoding:", re.I)
# Nobody was asked to compress: a few bytes of it may be any number of bytes.
_ENCODING = re.compile(rb"\r\ncontent-encoding:[ \t]*([^\r\n]*?)[ \t]*\r\n", re.I)
_SIZE = re.compile(rb"([0-9a-fA-F]{1,8})[ \t]*(?:;[^\r\n]*)?")
# A chunk's size with what may stand behind it.
_LONGEST_LINE = 256

# Returns the next bytes, none at the end.
Read = Callable[[], bytes]


class Unreadable(Exception):
    """The body is not what it says, or too much; the text says why."""


def read_body(headers: bytes, rest: bytes, read: Read, *, most: int) -> bytes:
    """Return the whole body, of which `rest` came along with the headers.

    Raises: Unreadable, also for more than `most` bytes; what `read` raises.
    """
    encoding = _ENCODING.search(headers)
    if encoding and encoding[1].lower() not in (b"", b"identity"):
        raise Unreadable("The answer is compressed.")
    if _CHUNKED.search(headers):
        return _Chunks(rest, read, most).read()
    if _TRANSFER.search(headers):
        raise Unreadable("The answer comes in an encoding that is not known.")
    length = _LENGTH.search(headers)
    return _read_to(rest, read, most, int(length[1]) if length else None)


def _read_to(rest: bytes, read: Read, most: int, length: int | None) -> bytes:
    """Read so many bytes, without a length up to the end."""
    if length is not None and length > most:
        raise _too_long(most)
    body = bytearray(rest)
    while length is None or len(body) < length:
        if len(body) > most:
            raise _too_long(most)
        piece = read()
        if not piece:
            break
        body += piece
    if length is not None and len(body) < length:
        raise Unreadable("The answer was cut off.")
    if length is None and len(body) > most:
        raise _too_long(most)
    return bytes(body[:length])


class _Chunks:
    """A body in chunks, each with its size in front; the last one has none."""

    def __init__(self, rest: bytes, read: Read, most: int) -> None:
        self._left = bytearray(rest)
        self._read = read
        self._most = most

    def read(self) -> bytes:
        body = bytearray()
        while size := self._size():
            if len(body) + size > self._most:
                raise _too_long(self._most)
            body += self._taken(size)
            if self._taken(2) != b"\r\n":
                raise Unreadable("The answer's chunks are broken.")
        return bytes(body)

    def _size(self) -> int:
        while (end := self._left.find(b"\r\n")) < 0:
            if len(self._left) > _LONGEST_LINE:
                raise Unreadable("The answer's chunks are broken.")
            self._more()
        found = _SIZE.fullmatch(self._left, 0, end)
        if found is None:
            raise Unreadable("The answer's chunks are broken.")
        size = int(found[1], 16)
        del self._left[: end + 2]
        return size

    def _taken(self, size: int) -> bytes:
        while len(self._left) < size:
            self._more()
        taken = bytes(self._left[:size])
        del self._left[:size]
        return taken

    def _more(self) -> None:
        piece = self._read()
        if not piece:
            raise Unreadable("The answer was cut off.")
        self._left += piece


def _too_long(most: int) -> Unreadable:
    return Unreadable(f"The answer is longer than {most:,} bytes.")
