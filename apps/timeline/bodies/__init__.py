"""Stored bodies: their codec, their named parts, the cache of decoded ones."""

from apps.timeline.bodies.bundles import (
    MAX_BODY_BYTES,
    CorruptBody,
    Part,
    frame,
    part_view,
    state_view,
    unframe,
)
from apps.timeline.bodies.caching import Cache, cache
from apps.timeline.bodies.codec import (
    EMPTIED,
    KEY_FRAME_EVERY,
    Base,
    Codec,
    Row,
    Stored,
    commitment,
    decode,
    encode,
    reconstruct,
    turn_parts,
    verify,
)

__all__ = [
    "EMPTIED",
    "KEY_FRAME_EVERY",
    "MAX_BODY_BYTES",
    "Base",
    "Cache",
    "Codec",
    "CorruptBody",
    "Part",
    "Row",
    "Stored",
    "cache",
    "commitment",
    "decode",
    "encode",
    "frame",
    "part_view",
    "reconstruct",
    "state_view",
    "turn_parts",
    "unframe",
    "verify",
]
