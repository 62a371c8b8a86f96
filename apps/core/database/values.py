"""Values as PostgreSQL takes them: of few types, each in one form.

psycopg chooses by the size of a number and by what a list begins with, so one
statement becomes several plans, and looks every choice up anew: 0.4 ms of an append.
Here a whole number is a bigint, whatever it is. What is not among these types is
`Unusual`, and goes the driver's own way.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from psycopg.pq import Format

# Text that PostgreSQL finds the type of, as psycopg sends it.
UNKNOWN = 0
BOOL, BYTES, NUMBER, TEXT, MOMENT = 16, 17, 20, 1043, 1184
LISTS = {
    bool: (1000, BOOL),
    bytes: (1001, BYTES),
    int: (1016, NUMBER),
    str: (1009, 25),
}

Bound = tuple[int, Format, bytes | None]

_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_LIST = struct.Struct(">iiIii")
_SIZE = struct.Struct(">i")
_NULL = _SIZE.pack(-1)


class Unusual(Exception):
    """This value takes the driver to write it."""


def bound(value: Any) -> Bound:
    """Return type, form and bytes of a parameter.

    Raises: Unusual.
    """
    write = _WRITERS.get(type(value))
    if write is not None:
        return write(value)
    if isinstance(value, str):
        return _text(value)
    raise Unusual


def from_number(value: int) -> bytes:
    """Raises: Unusual beyond 64 bits."""
    try:
        return value.to_bytes(8, "big", signed=True)
    except OverflowError as error:
        raise Unusual from error


def to_number(value: bytes) -> int:
    return int.from_bytes(value, "big", signed=True)


def from_moment(value: datetime) -> bytes:
    """Raises: Unusual for a time without its zone."""
    if value.tzinfo is None:
        raise Unusual
    return from_number((value - _EPOCH) // _MICROSECOND)


def to_moment(value: bytes) -> datetime:
    return _EPOCH + timedelta(microseconds=to_number(value))


def _text(value: str) -> Bound:
    if "\0" in value:  # it would end there
        raise Unusual
    return UNKNOWN, Format.TEXT, _utf8(value)


def _utf8(value: str) -> bytes:
    try:
        return value.encode()
    except UnicodeEncodeError as error:
        raise Unusual from error


def _list(values: Sequence[Any]) -> Bound:
    kinds = {str if issubclass(kind, str) else kind for kind in set(map(type, values))}
    kinds.discard(type(None))
    if not kinds:
        return UNKNOWN, Format.TEXT, f"{{{','.join(['NULL'] * len(values))}}}".encode()
    kind = kinds.pop()
    if kinds or kind not in LISTS:
        raise Unusual
    oid, item_oid = LISTS[kind]
    write = _ITEMS[kind]
    written = [_LIST.pack(1, None in values, item_oid, len(values), 1)]
    for value in values:
        if value is None:
            written.append(_NULL)
            continue
        data = write(value)
        written += (_SIZE.pack(len(data)), data)
    return oid, Format.BINARY, b"".join(written)


_ITEMS: dict[type, Callable[[Any], bytes]] = {
    bool: lambda value: b"\1" if value else b"\0",
    bytes: bytes,
    int: from_number,
    str: _utf8,
}
_WRITERS: dict[type, Callable[[Any], Bound]] = {
    type(None): lambda _: (UNKNOWN, Format.TEXT, None),
    bool: lambda value: (BOOL, Format.BINARY, b"\1" if value else b"\0"),
    bytes: lambda value: (BYTES, Format.BINARY, value),
    datetime: lambda value: (MOMENT, Format.BINARY, from_moment(value)),
    int: lambda value: (NUMBER, Format.BINARY, from_number(value)),
    list: _list,
    str: _text,
}
