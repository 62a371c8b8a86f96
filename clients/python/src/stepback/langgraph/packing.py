"""A checkpoint as one opaque part: LangGraph's own serialisation, byte for byte.

A msgpack map of typed values, each the pair that LangGraph's serialiser made of it.
Channels come first and by name: what two checkpoints share stands at the same place,
which lets the server keep little more than the difference.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import ormsgpack

PART = "langgraph"
MEDIA_TYPE = "application/vnd.stepback.langgraph+msgpack"
Typed = tuple[str, bytes]


@dataclass(frozen=True, kw_only=True)
class Packed:
    """A checkpoint, its values still as LangGraph wrote them.

    `restored` is the checkpoint that a rollback brought back.
    """

    id: str
    checkpoint: Typed
    metadata: Typed
    channels: Mapping[str, Typed]
    restored: str | None = None


def pack(packed: Packed) -> dict[str, dict[str, str]]:
    """Return the checkpoint as the opaque part of a version."""
    data = ormsgpack.packb(
        {
            "channels": {
                name: packed.channels[name] for name in sorted(packed.channels)
            },
            "checkpoint": packed.checkpoint,
            "metadata": packed.metadata,
            "id": packed.id,
            "restored": packed.restored,
        }
    )
    text = base64.b64encode(data).decode()
    return {PART: {"media_type": MEDIA_TYPE, "base64": text}}


def unpack(opaque: Mapping[str, Mapping[str, str]]) -> Packed:
    """Return the checkpoint in the parts of a version.

    Raises: KeyError if there is none.
    """
    found: dict[str, Any] = ormsgpack.unpackb(base64.b64decode(opaque[PART]["base64"]))
    return Packed(
        id=found["id"],
        checkpoint=_typed(found["checkpoint"]),
        metadata=_typed(found["metadata"]),
        channels={name: _typed(one) for name, one in found["channels"].items()},
        restored=found["restored"],
    )


def shown_as(packed: Packed, name: str) -> Packed:
    """Return it under another name: a rollback or a fork shows the same body."""
    if name == packed.id:
        return packed
    return replace(packed, id=name, restored=packed.id)


def _typed(pair: Any) -> Typed:
    kind, data = pair
    return kind, data
