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
    sealed,
    turn_parts,
    verify,
)
from apps.timeline.bodies.sealing import (
    SEALED,
    Place,
    Sealer,
    is_at_hand,
    sealer_of,
)

__all__ = [
    "EMPTIED",
    "KEY_FRAME_EVERY",
    "MAX_BODY_BYTES",
    "SEALED",
    "Base",
    "Cache",
    "Codec",
    "CorruptBody",
    "Part",
    "Place",
    "Row",
    "Sealer",
    "Stored",
    "cache",
    "commitment",
    "decode",
    "encode",
    "frame",
    "is_at_hand",
    "part_view",
    "reconstruct",
    "sealed",
    "sealer_of",
    "state_view",
    "turn_parts",
    "unframe",
    "verify",
]
