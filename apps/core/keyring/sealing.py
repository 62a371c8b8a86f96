"""Seals bytes with AES-256-GCM, each time with a fresh nonce, and opens them.

Sealed bytes begin with the mark of their key, by which it is found again: 36 bytes
more than what is sealed.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from apps.core.keyring.outer import KEY_BYTES, NONCE_BYTES

MARK_BYTES = 8
_TAG_BYTES = 16


@dataclass(frozen=True, slots=True)
class Key:
    """An unwrapped key of a project, by whose mark what it sealed is known."""

    mark: bytes
    project_id: str
    bytes_: bytes = field(repr=False)
    _cipher: AESGCM = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_cipher", AESGCM(self.bytes_))

    def seal(self, data: bytes, *context: bytes) -> bytes:
        """Return the data as only this key opens it, in the same context."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        return self.mark + nonce + self._cipher.encrypt(nonce, data, self._of(context))

    def open(self, sealed: bytes, *context: bytes) -> bytes | None:
        """Return what was sealed; None for what was changed, or of another context."""
        nonce_end = MARK_BYTES + NONCE_BYTES
        if len(sealed) < nonce_end + _TAG_BYTES or mark_of(sealed) != self.mark:
            return None
        nonce, data = sealed[MARK_BYTES:nonce_end], sealed[nonce_end:]
        try:
            return self._cipher.decrypt(nonce, data, self._of(context))
        except InvalidTag:
            return None

    def _of(self, context: tuple[bytes, ...]) -> bytes:
        """Return the associated data, each part framed by its length."""
        parts = (self.project_id.encode(), *context)
        return b"".join(len(part).to_bytes(4) + part for part in parts)


def mark_of(sealed: bytes) -> bytes:
    """Return the mark of the key that sealed this."""
    return bytes(sealed[:MARK_BYTES])


def new_key(project_id: str) -> Key:
    """Return a key that nothing was sealed with yet."""
    return Key(
        secrets.token_bytes(MARK_BYTES), project_id, secrets.token_bytes(KEY_BYTES)
    )
