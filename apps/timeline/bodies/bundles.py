"""The named parts of a checkpoint: how callers give them, and how they are framed.

`state` is always there. The others are JSON, each with the shape its name promises;
a write names the parts it changes, all others are carried over from the head. Opaque
parts are bytes with a media type, such as another system's own serialisation: they are
kept as they are, and never read.

A body is these parts behind a table of their names, media types and sizes. Framing is
strict both ways: bytes that are not accounted for are corruption.
"""

from __future__ import annotations

import base64
import binascii
import re
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.utils import timezone

from apps.core import json
from apps.core.errors import InvalidRequest, PayloadTooLarge
from apps.core.json import Json, State
from apps.timeline.bodies import facts, files

JSON = "application/json"
PART_SHAPES: dict[str, type[list[Json]] | type[dict[str, Json]]] = {
    "messages": list,
    "tool_results": dict,
    "model_params": dict,
    "tasks": list,
    "artifacts": list,
    "facts": list,
}
MAX_BUNDLE_BYTES = 32 * 1024 * 1024
MOST_OPAQUE = 16
_OPAQUE_NAME = re.compile(r"[a-z][a-z0-9_.-]{0,63}", re.ASCII)
_MEDIA_TYPE = re.compile(r"[!-~]{1,100}", re.ASCII)

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


def named_parts(given: Mapping[str, Json]) -> tuple[Part, ...]:
    """Return the parts among `given` that are named and not null.

    Raises: InvalidRequest for a wrong shape; UnacceptableJson, UnacceptableFact,
    PayloadTooLarge.
    """
    found = []
    for name, shape in PART_SHAPES.items():
        value = given.get(name)
        if value is None:
            continue
        if not isinstance(value, shape):
            raise InvalidRequest(
                f"{name} must be {'a list' if shape is list else 'an object'}.",
                param=name,
            )
        # Checked as a state is: the wrapper makes a list an object, one level deep.
        json.check({name: value})
        if name == "artifacts" and isinstance(value, list):
            files.check(value)
        if name == facts.PART and isinstance(value, list):
            facts.check(value, timezone.now())
        found.append(Part(name, JSON, json.dumps(value)))
    opaque = given.get("opaque")
    return (*found, *_opaque(opaque)) if opaque else tuple(found)


def opaque_object(parts: tuple[Part, ...]) -> dict[str, dict[str, str]]:
    """Return the opaque parts as they are sent: media type and base64, by name."""
    return {
        part.name: {
            "media_type": part.media_type,
            "base64": base64.b64encode(part.data).decode(),
        }
        for part in parts
        if part.name != "state" and part.name not in PART_SHAPES
    }


def decoded(text: Json, param: str) -> bytes:
    """Return what a base64 text says.

    Raises: InvalidRequest.
    """
    try:
        return base64.b64decode(text, validate=True)
    except (TypeError, ValueError, binascii.Error):
        raise InvalidRequest(f"{param} must be base64.", param=param) from None


def _opaque(given: Mapping[str, Json]) -> list[Part]:
    if len(given) > MOST_OPAQUE:
        raise InvalidRequest(f"opaque takes at most {MOST_OPAQUE}.", param="opaque")
    return [_opaque_part(name, value) for name, value in given.items()]


def _opaque_part(name: str, value: Json) -> Part:
    where = f"opaque.{name[:64]}"
    if not _OPAQUE_NAME.fullmatch(name) or name == "state" or name in PART_SHAPES:
        raise InvalidRequest(
            "The name of an opaque part has 1 to 64 of a-z, 0-9, _, . and -, begins "
            "with a letter and is not the name of another part.",
            param="opaque",
        )
    if not isinstance(value, dict):
        raise InvalidRequest(
            f"{where} must be an object with media_type and base64.", param=where
        )
    media_type = value.get("media_type")
    if not isinstance(media_type, str) or not _MEDIA_TYPE.fullmatch(media_type):
        raise InvalidRequest(
            f"{where} takes a media_type of 1 to 100 visible characters.", param=where
        )
    return Part(name, media_type, decoded(value.get("base64"), f"{where}.base64"))


def assembled(
    state: State,
    *,
    before: State | None = None,
    carried: tuple[Part, ...] = (),
    given: tuple[Part, ...] = (),
) -> tuple[Part, ...]:
    """Return the whole bundle: this state, the given parts, the rest as it was.

    `before` is a stored state that this one may share members with.

    Raises: UnacceptableJson, PayloadTooLarge.
    """
    parts = {part.name: part for part in carried}
    parts["state"] = Part(
        "state", JSON, json.state_bytes(state, at="/state", accepted=before)
    )
    parts.update({part.name: part for part in given})
    if sum(len(part.data) for part in parts.values()) > MAX_BUNDLE_BYTES:
        raise PayloadTooLarge(
            f"All parts together may have {MAX_BUNDLE_BYTES} bytes.",
            limit=MAX_BUNDLE_BYTES,
        )
    return tuple(parts.values())


def frame(parts: Iterable[Part]) -> bytes:
    """Return the parts as one body: a table of names and sizes, then their bytes.

    Raises: InvalidRequest for names that repeat, are empty or exceed 255 bytes, and
    for a state that is not JSON; PayloadTooLarge.
    """
    parts = tuple(parts)
    if len({part.name for part in parts}) != len(parts):
        raise InvalidRequest("Two parts have the same name.")
    written = [_MAGIC, _COUNT.pack(len(parts))]
    for part in parts:
        name, media_type = part.name.encode(), part.media_type.encode()
        if not 0 < len(name) < 256 or not 0 < len(media_type) < 256:
            raise InvalidRequest("Names and media types have 1 to 255 bytes.")
        if part.name == "state" and part.media_type != JSON:
            raise InvalidRequest("A state is always JSON.")
        sizes = _ENTRY.pack(len(name), len(media_type), len(part.data))
        written += (sizes, name, media_type)
    raw = b"".join([*written, *(part.data for part in parts)])
    if len(raw) > MAX_BODY_BYTES:
        raise PayloadTooLarge(
            f"The parts have {len(raw):,} bytes; at most {MAX_BODY_BYTES:,} are kept.",
            size=len(raw),
            limit=MAX_BODY_BYTES,
        )
    return raw


def unframe(raw: bytes, *, without: str | None = None) -> tuple[Part, ...]:
    """Return the parts of a body, in the order in which they were framed.

    Raises: CorruptBody unless every byte is accounted for.
    """
    return tuple(
        Part(name, media_type, raw[start:end])
        for name, media_type, start, end in _places(raw)
        if name != without
    )


def is_framed(raw: bytes, parts: tuple[Part, ...]) -> bool:
    """Say whether a body is made of these parts, in this order; none is copied.

    Raises: CorruptBody as `unframe` does.
    """
    places = _places(raw)
    return [(p.name, p.media_type, len(p.data)) for p in parts] == [
        (name, media_type, end - start) for name, media_type, start, end in places
    ] and all(
        raw.startswith(part.data, start)
        for part, (_, _, start, _) in zip(parts, places, strict=True)
    )


def names_in(raw: bytes) -> list[str]:
    """Return the names of a body's parts, in their order.

    Raises: CorruptBody as `unframe` does.
    """
    return [name for name, *_ in _places(raw)]


def state_view(raw: bytes) -> memoryview:
    """Return the state where it stands in a body: copying 16 MB takes 10 ms.

    Raises: CorruptBody as `unframe` does, and for a body without a state.
    """
    for name, _, start, end in _places(raw):
        if name == "state":
            return memoryview(raw)[start:end]
    raise CorruptBody("There is no state in this body.")


def part_view(raw: bytes, wanted: str) -> memoryview | None:
    """Return a part where it stands in a body, None for a body without it.

    Raises: CorruptBody as `unframe` does.
    """
    for name, _, start, end in _places(raw):
        if name == wanted:
            return memoryview(raw)[start:end]
    return None


def _places(raw: bytes) -> list[tuple[str, str, int, int]]:
    """Return names, media types, and where each part begins and ends."""
    if not raw.startswith(_MAGIC):
        raise CorruptBody("This is not a body.")
    entries = []
    at = len(_MAGIC) + _COUNT.size
    try:
        for _ in range(_COUNT.unpack_from(raw, len(_MAGIC))[0]):
            name_size, media_size, size = _ENTRY.unpack_from(raw, at)
            middle = at + _ENTRY.size + name_size
            end = middle + media_size
            name = raw[at + _ENTRY.size : middle].decode()
            entries.append((name, raw[middle:end].decode(), size))
            at = end
    except (struct.error, UnicodeDecodeError) as error:
        raise CorruptBody("The table of parts does not read.") from error
    places = []
    for name, media_type, size in entries:
        places.append((name, media_type, at, at + size))
        at += size
    if at != len(raw):
        raise CorruptBody("The sizes of the parts do not add up.")
    if len({name for name, _, _ in entries}) != len(entries):
        raise CorruptBody("Two parts have the same name.")
    return places
