"""The named parts of a checkpoint, as callers give them and get them back.

`state` is always there. The others are JSON, each with the shape its name promises;
a write names the parts it changes, all others are carried over from the head. Opaque
parts are bytes with a media type, such as another system's own serialisation: they are
kept as they are, and never read.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping

from apps.core import json
from apps.core.errors import InvalidRequest, PayloadTooLarge
from apps.core.json import Json, State
from apps.timeline.bodies import Part

JSON = "application/json"
PART_SHAPES: dict[str, type[list[Json]] | type[dict[str, Json]]] = {
    "messages": list,
    "tool_results": dict,
    "model_params": dict,
    "tasks": list,
    "artifacts": list,
}
MAX_BUNDLE_BYTES = 32 * 1024 * 1024
MOST_OPAQUE = 16
_OPAQUE_NAME = re.compile(r"[a-z][a-z0-9_.-]{0,63}", re.ASCII)
_MEDIA_TYPE = re.compile(r"[!-~]{1,100}", re.ASCII)


def named_parts(given: Mapping[str, Json]) -> tuple[Part, ...]:
    """Return the parts among `given` that are named and not null.

    Raises: InvalidRequest for a wrong shape; UnacceptableJson, PayloadTooLarge.
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
