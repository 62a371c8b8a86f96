"""Stored bodies: their codec, their named parts, the cache of decoded ones."""

from apps.timeline.bodies.archives import Spans
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
    SEALED_TEXT,
    Place,
    Sealer,
    is_at_hand,
    opened_changes,
    opened_text,
    sealer_of,
)
from apps.timeline.words import ARCHIVED

__all__ = [
    "ARCHIVED",
    "EMPTIED",
    "KEY_FRAME_EVERY",
    "MAX_BODY_BYTES",
    "SEALED",
    "SEALED_TEXT",
    "Base",
    "Cache",
    "Codec",
    "CorruptBody",
    "Part",
    "Place",
    "Row",
    "Sealer",
    "Spans",
    "Stored",
    "cache",
    "commitment",
    "decode",
    "encode",
    "frame",
    "is_at_hand",
    "opened_changes",
    "opened_text",
    "part_view",
    "reconstruct",
    "sealed",
    "sealer_of",
    "state_view",
    "turn_parts",
    "unframe",
    "verify",
]
