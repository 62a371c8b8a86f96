"""A body's bytes: named parts behind a table of their names, media types and sizes.

State comes first by custom, and is always JSON; other parts are opaque. Framing is
strict both ways: bytes that are not accounted for are corruption.
"""

import struct
from collections.abc import Iterable
from dataclasses import dataclass

from apps.core.errors import InvalidRequest, PayloadTooLarge

MAX_BODY_BYTES = 64 * 1024 * 1024

_MAGIC = b"SB\x01"
_COUNT = struct.Struct(">H")
_ENTRY = struct.Struct(">BBQ")


class CorruptBody(Exception):
    """Stored bytes are not what was written."""


@dataclass(frozen=True, slots=True)
class Part:
    """One named piece of a checkpoint; `state` is always JSON."""

    name: str
    media_type: str
    data: bytes


def frame(parts: Iterable[Part]) -> bytes:
    """Return the parts as one body: a table of names and sizes, then their bytes.

    Raises: InvalidRequest for names that repeat, are empty or exceed 255 bytes, and
    for a state that is not JSON; PayloadTooLarge.
    """
    parts = tuple(parts)
    names = [part.name for part in parts]
    if len(set(names)) != len(names):
        raise InvalidRequest("Two parts have the same name.")
    table = b"".join(_entry(part) for part in parts)
    raw = b"".join(
        [_MAGIC, _COUNT.pack(len(parts)), table, *(part.data for part in parts)]
    )
    if len(raw) > MAX_BODY_BYTES:
        raise PayloadTooLarge(
            f"The parts have {len(raw):,} bytes; at most {MAX_BODY_BYTES:,} are kept.",
            size=len(raw),
            limit=MAX_BODY_BYTES,
        )
    return raw


def unframe(raw: bytes) -> tuple[Part, ...]:
    """Return the parts of a body, in the order in which they were framed.

    Raises: CorruptBody unless every byte is accounted for.
    """
    return tuple(
        Part(name, media_type, raw[start:end])
        for name, media_type, start, end in _places(raw)
    )


def state_view(raw: bytes) -> memoryview:
    """Return the state where it stands in a body: copying 16 MB takes 10 ms.

    Raises: CorruptBody as `unframe` does, and for a body without a state.
    """
    for name, _, start, end in _places(raw):
        if name == "state":
            return memoryview(raw)[start:end]
    raise CorruptBody("There is no state in this body.")


def _places(raw: bytes) -> list[tuple[str, str, int, int]]:
    """Return names, media types, and where each part begins and ends."""
    try:
        entries, at = _entries(raw)
    except (struct.error, UnicodeDecodeError) as error:
        raise CorruptBody("The table of parts does not read.") from error
    if at + sum(size for _, _, size in entries) != len(raw):
        raise CorruptBody("The sizes of the parts do not add up.")
    places = []
    for name, media_type, size in entries:
        places.append((name, media_type, at, at + size))
        at += size
    if len({name for name, _, _ in entries}) != len(entries):
        raise CorruptBody("Two parts have the same name.")
    return places


def _entry(part: Part) -> bytes:
    name, media_type = part.name.encode(), part.media_type.encode()
    if not 0 < len(name) < 256 or not 0 < len(media_type) < 256:
        raise InvalidRequest("Names and media types have 1 to 255 bytes.")
    if part.name == "state" and part.media_type != "application/json":
        raise InvalidRequest("A state is always JSON.")
    return _ENTRY.pack(len(name), len(media_type), len(part.data)) + name + media_type


def _entries(raw: bytes) -> tuple[list[tuple[str, str, int]], int]:
    """Return names, media types and sizes, and where the parts begin."""
    if not raw.startswith(_MAGIC):
        raise CorruptBody("This is not a body.")
    at = len(_MAGIC) + _COUNT.size
    entries = []
    for _ in range(_COUNT.unpack_from(raw, len(_MAGIC))[0]):
        name_size, media_size, size = _ENTRY.unpack_from(raw, at)
        at += _ENTRY.size
        name = raw[at : at + name_size].decode()
        at += name_size
        entries.append((name, raw[at : at + media_size].decode(), size))
        at += media_size
    return entries, at
