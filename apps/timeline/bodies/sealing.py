"""Encrypted bodies: what zstd made, sealed with a key that its first bytes name.

Sealed after it is compressed, so commitments, deltas and sizes are those of what it is
decoded to. It opens only where it was written: in its project and session, with its
salt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from apps.core.keyring import MEMORY, Key, mark_of
from apps.timeline.bodies.bundles import CorruptBody

# How much more the codec of an encrypted body is; all above it are encrypted.
SEALED = 16
_CONTEXT = b"stepback body 1"


class Place(NamedTuple):
    """Where a stored body stands: without it, it does not open."""

    session_id: str
    salt: bytes


@dataclass(frozen=True, slots=True)
class Sealer:
    """What seals all that is written to a session."""

    key: Key
    session_id: str

    def sealed(self, data: bytes, salt: bytes) -> bytes:
        """Return what is to be written in place of a body's data."""
        return self.key.seal(data, *_context(Place(self.session_id, salt)))


def opened(codec: int, data: bytes, place: Place | None) -> tuple[int, bytes]:
    """Return codec and data as they were before they were sealed, if they were.

    Raises: CorruptBody, KeysUnavailable.
    """
    if codec <= SEALED:
        return codec, data
    if place is None:
        raise CorruptBody("A sealed body is not read where it stands.")
    data = bytes(data)
    key = MEMORY.key(mark_of(data))
    if key is None:
        raise CorruptBody("The key that it was sealed with is gone.")
    plain = key.open(data, *_context(place))
    if plain is None:
        raise CorruptBody("It does not open: it was changed, or stood elsewhere.")
    return codec - SEALED, plain


def sealer_of(session_id: str, codec: int, data: bytes) -> Sealer | None:
    """Return what seals as this was sealed; None for what stands in clear.

    Raises: CorruptBody, KeysUnavailable.
    """
    if codec <= SEALED:
        return None
    key = MEMORY.key(mark_of(bytes(data)))
    if key is None:
        raise CorruptBody("The key that it was sealed with is gone.")
    return Sealer(key, session_id)


def is_at_hand(codec: int, data: bytes) -> bool:
    """Say whether this opens without asking anybody for its key."""
    return codec <= SEALED or MEMORY.known(mark_of(data)) is not None


def _context(place: Place) -> tuple[bytes, bytes, bytes]:
    return _CONTEXT, place.session_id.encode(), bytes(place.salt or b"")
