"""The codec of stored bodies: the only module that knows how their bytes look.

Stored, a body is a zstd frame, most often a delta against the body before it, and
encrypted where its project encrypts (`sealing`). An old one may stand in an object
outside (`archives`), which is fetched here. No ORM. What does not decode to exactly
what was recorded is refused, never repaired.
"""

import hmac
import struct
import threading
import zlib
from dataclasses import dataclass, replace
from enum import IntEnum

from backports.zstd import (
    CompressionParameter,
    DecompressionParameter,
    ZstdCompressor,
    ZstdDecompressor,
    ZstdDict,
    ZstdError,
    compress,
    get_frame_info,
)

from apps.diffs.readers import reader
from apps.timeline.bodies.archives import Spans
from apps.timeline.bodies.bundles import MAX_BODY_BYTES, CorruptBody, unframe
from apps.timeline.bodies.sealing import SEALED, Place, Sealer, opened
from apps.timeline.words import ARCHIVED

KEY_FRAME_EVERY = 32

_LEVEL = 3
# The window covers base and body, so two bodies of the largest size just fit.
_MAX_WINDOW_LOG = 27
_MIN_WINDOW_LOG = 10
# zstd takes no shorter dictionary, and a delta against less saves nothing.
_MIN_BASE_BYTES = 8
# Level 3 does not shrink JSON this far, so a delta this small needs no comparison
# with the full frame, which for a large body takes five times as long to make.
_SURELY_SMALL = 64

# To make a compressor takes twice as long as a body of 1 KB does. Each thread keeps one
# for each small window; those for large ones take megabytes.
_KEPT_WINDOW_LOG = 16

_OPTIONS: dict[int, int] = {
    CompressionParameter.compression_level: _LEVEL,
    CompressionParameter.enable_long_distance_matching: 1,
    CompressionParameter.checksum_flag: 1,
}
_CHECKSUM = struct.Struct(">I")
_here = threading.local()


class Codec(IntEnum):
    """How a body's data is to be read; the numbers are stored and never reused."""

    PLAIN = 1  # the bytes and their CRC-32
    ZSTD = 2  # a zstd frame of its own
    ZSTD_DELTA = 3  # a zstd frame with the base as its prefix
    # The same, encrypted (`sealing`).
    SEALED_PLAIN = 17
    SEALED_ZSTD = 18
    SEALED_ZSTD_DELTA = 19
    # 33 to 35 and 49 to 51 are the same, archived (`archives`).


# In a codec's place, where what was stored is gone.
EMPTIED = 0


@dataclass(frozen=True, slots=True)
class Base:
    """The body that the next one may be stored against."""

    number: int
    raw: bytes
    depth: int


@dataclass(frozen=True, slots=True)
class Stored:
    """What is written for a body. `depth` counts the deltas since the key frame."""

    codec: Codec
    data: bytes
    size: int
    salt: bytes
    commitment: bytes
    base_number: int | None
    depth: int


def encode(raw: bytes, *, number: int, base: Base | None, salt: bytes) -> Stored:
    """Return how body `number` is stored: as a delta where that is worth reading one.

    A key frame starts at the latest every 32 bodies, and wherever the delta would
    exceed half of the full frame.

    Raises: ValueError for more bytes than a body may have, or a base that is later.
    """
    if len(raw) > MAX_BODY_BYTES:
        raise ValueError("This is larger than a body may be.")
    if base is not None and base.number >= number:
        raise ValueError("A body can only be stored against an earlier one.")
    if base is not None and not _MIN_BASE_BYTES <= len(base.raw) <= MAX_BODY_BYTES:
        base = None
    if base is not None and base.depth + 1 >= KEY_FRAME_EVERY:
        base = None
    delta = None if base is None else _compressed(raw, base.raw)
    if delta is not None and len(delta) * _SURELY_SMALL <= len(raw):
        codec, data = Codec.ZSTD_DELTA, delta
    else:
        codec, data = _full(raw)
        if delta is not None and 2 * len(delta) <= len(data):
            codec, data = Codec.ZSTD_DELTA, delta
    if codec is not Codec.ZSTD_DELTA:
        base = None
    return Stored(
        codec=codec,
        data=data,
        size=len(raw),
        salt=salt,
        commitment=commitment(raw, salt),
        base_number=base.number if base else None,
        depth=base.depth + 1 if base else 0,
    )


def sealed(stored: Stored, sealer: Sealer | None) -> Stored:
    """Return a body encrypted, where something encrypts it."""
    if sealer is None:
        return stored
    return replace(
        stored,
        codec=Codec(stored.codec + SEALED),
        data=sealer.sealed(bytes(stored.data), stored.salt),
    )


def decode(
    codec: int,
    data: bytes,
    size: int,
    base_raw: bytes | None,
    place: Place | None = None,
    spans: Spans | None = None,
) -> bytes:
    """Return the body that was stored, never more than its recorded size.

    An encrypted or archived one is read at its `place` alone; `spans` keeps what was
    fetched for the bodies beside it.

    Raises: CorruptBody, KeysUnavailable, ObjectsUnavailable.
    """
    if not 0 <= size <= MAX_BODY_BYTES:
        raise CorruptBody("The recorded size is out of range.")
    if codec > SEALED:
        codec, data = _as_written(codec, data, place, spans)
    if codec == Codec.PLAIN:
        raw, checksum = bytes(data[:-4]), bytes(data[-4:])
        if len(raw) != size or checksum != _CHECKSUM.pack(zlib.crc32(raw)):
            raise CorruptBody("The bytes do not match their checksum.")
        return raw
    if codec == Codec.ZSTD:
        return _decompressed(data, size, None)
    if codec == Codec.ZSTD_DELTA and base_raw is not None:
        return _decompressed(data, size, base_raw)
    raise CorruptBody("The codec is unknown, or its base is missing.")


def _as_written(
    codec: int, data: bytes, place: Place | None, spans: Spans | None
) -> tuple[int, bytes]:
    """Return codec and data as they were before they were sealed and archived."""
    if codec > ARCHIVED:
        if place is None:
            raise CorruptBody("An archived body is not read where it stands.")
        codec, data = (spans or Spans()).brought(codec, data, place.session_id)
    return opened(codec, data, place)


def turn_parts(
    codec: int, data: bytes, size: int, place: Place | None
) -> dict[str, bytes]:
    """Return what was stored with a turn, by name: input, output and more.

    Raises: CorruptBody, KeysUnavailable.
    """
    raw = decode(codec, data, size, None, place)
    parts = {part.name: part.data for part in unframe(raw)}
    if not {"input", "output"} <= parts.keys():
        raise CorruptBody("These are not the parts of a turn.")
    who = reader()
    return (
        parts
        if who is None
        else {name: who.turn_part(name, part) for name, part in parts.items()}
    )


def commitment(raw: bytes, salt: bytes) -> bytes:
    """Return the HMAC-SHA256 by which the chain knows the body in any encoding."""
    return hmac.digest(salt, raw, "sha256")


def verify(raw: bytes, salt: bytes, expected: bytes) -> None:
    """Accept the body if it is the one that was committed to.

    Raises: CorruptBody.
    """
    if not hmac.compare_digest(commitment(raw, salt), bytes(expected)):
        raise CorruptBody("The body is not the one that was committed to.")


def _full(raw: bytes) -> tuple[Codec, bytes]:
    """Return the key frame, or the bytes themselves where zstd does not pay."""
    compressed = _compressed(raw, None)
    if len(compressed) < len(raw) + _CHECKSUM.size:
        return Codec.ZSTD, compressed
    return Codec.PLAIN, raw + _CHECKSUM.pack(zlib.crc32(raw))


def _compressed(raw: bytes, base_raw: bytes | None) -> bytes:
    """Compress, against a base where one is given.

    Matches may reach over the whole input: without, deltas collapse above 1 MB.
    """
    reach = len(raw) + len(base_raw or b"")
    window_log = min(max(reach.bit_length(), _MIN_WINDOW_LOG), _MAX_WINDOW_LOG)
    options = _OPTIONS | {CompressionParameter.window_log: window_log}
    if base_raw is not None:
        prefix = ZstdDict(base_raw, is_raw=True).as_prefix
        return compress(raw, options=options, zstd_dict=prefix)
    if window_log > _KEPT_WINDOW_LOG:
        return compress(raw, options=options)
    kept: dict[str, ZstdCompressor] = vars(_here)
    compressor = kept.pop(f"window_{window_log}", None)
    if compressor is None:
        compressor = ZstdCompressor(options=options)
    data = compressor.compress(raw, ZstdCompressor.FLUSH_FRAME)
    # Only now: one that failed is in the middle of a frame.
    kept[f"window_{window_log}"] = compressor
    return data


def _decompressed(data: bytes, size: int, base_raw: bytes | None) -> bytes:
    """Decompress one frame: what it claims is checked before memory is spent on it."""
    prefix = None if base_raw is None else ZstdDict(base_raw, is_raw=True).as_prefix
    options: dict[int, int] = {DecompressionParameter.window_log_max: _MAX_WINDOW_LOG}
    try:
        if get_frame_info(data).decompressed_size != size:
            raise CorruptBody("The frame is of another size than was recorded.")
        decompressor = ZstdDecompressor(zstd_dict=prefix, options=options)
        raw = decompressor.decompress(data, max_length=size + 1)
    except (ZstdError, ValueError) as error:
        raise CorruptBody("The frame does not decompress.") from error
    if not decompressor.eof or decompressor.unused_data or len(raw) != size:
        raise CorruptBody("The frame does not end where it should.")
    return raw
