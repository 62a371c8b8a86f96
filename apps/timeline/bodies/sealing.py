"""Encrypted bodies and texts, sealed with a key that their first bytes name.

A body is sealed after zstd compressed it, so commitments, deltas and sizes are those of
what it is decoded to. It opens only where it was written: in its project and session,
with its salt. A text column holds a sealed text in base64 behind a character that no
text may begin with, a list of changes one item in place of all.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from apps.core import json
from apps.core.keyring import MEMORY, Key, mark_of
from apps.timeline.bodies.bundles import CorruptBody
from apps.timeline.words import ARCHIVED

# How much more the codec of an encrypted body is; all above it are encrypted.
SEALED = 16
_CONTEXT = b"stepback body 1"
_TEXT = b"stepback text 1"
# The first character is one that Unicode keeps from being text.
SEALED_TEXT = "\ufdd0sealed:"
SEALED_CHANGES = "sealed"
# Of these alone a reasoning says nothing, and stays as it is: lists ask for it in SQL.
BLANK = " \t\n\r\x0b\x0c"


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

    def text(self, text: str | None) -> str | None:
        """Return what is to be written in place of a text; a blank one says nothing."""
        if not text or not text.strip(BLANK):
            return text
        return SEALED_TEXT + self._base64(text.encode(errors="surrogatepass"))

    def changes(self, changes: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return what is to be written in place of the changes shown with a version."""
        if not changes:
            return []
        return [{SEALED_CHANGES: self._base64(json.dumps(list(changes)))}]

    def _base64(self, data: bytes) -> str:
        sealed = self.key.seal(data, _TEXT, self.session_id.encode())
        return base64.b64encode(sealed).decode()


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


def opened_text(session_id: str, text: str | None) -> str | None:
    """Return a text as it was before it was sealed; None where its key is gone.

    Raises: KeysUnavailable.
    """
    if text is None or not text.startswith(SEALED_TEXT):
        return text
    found = _opened(session_id, text.removeprefix(SEALED_TEXT))
    return None if found is None else found.decode(errors="surrogatepass")


def opened_changes(
    session_id: str, changes: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return changes as they were before they were sealed; none where the key is gone.

    Raises: KeysUnavailable.
    """
    if not changes or SEALED_CHANGES not in changes[0]:
        return changes
    found = _opened(session_id, changes[0][SEALED_CHANGES])
    if found is None:
        return []
    shown: Any = json.parse_written(found)
    return list(shown)


def _opened(session_id: str, written: str) -> bytes | None:
    try:
        sealed = base64.b64decode(written, validate=True)
    except (ValueError, binascii.Error):
        return None
    key = MEMORY.key(mark_of(sealed))
    return None if key is None else key.open(sealed, _TEXT, session_id.encode())


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
    """Say whether this opens without asking anybody for its key or its bytes."""
    return codec <= SEALED or (
        codec < ARCHIVED and MEMORY.known(mark_of(data)) is not None
    )


def _context(place: Place) -> tuple[bytes, bytes, bytes]:
    return _CONTEXT, place.session_id.encode(), bytes(place.salt or b"")
