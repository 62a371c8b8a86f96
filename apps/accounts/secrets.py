"""Makes and digests the secrets that let people and programs in.

All hold 256 random bits, so a plain SHA-256 is safe: there is nothing to guess, and
the lookup by digest is one index probe.
"""

import base64
import hashlib
import hmac
import secrets
from dataclasses import dataclass, field

from cryptography.fernet import Fernet, InvalidToken

# Of a key, behind its mark.
VISIBLE = 8
BYTES = 32


@dataclass(frozen=True, kw_only=True, slots=True)
class KeySecret:
    """A new API key; `text` is shown once and kept nowhere."""

    text: str = field(repr=False)
    prefix: str
    digest: bytes


def new_key_secret(mark: str) -> KeySecret:
    """Return a secret that begins with a mark, which opens nothing by itself."""
    text = mark + secrets.token_hex(BYTES)
    prefix = text[: len(mark) + VISIBLE]
    return KeySecret(text=text, prefix=prefix, digest=digest(text))


def new_token() -> str:
    return secrets.token_urlsafe(BYTES)


def new_index_key() -> bytes:
    return secrets.token_bytes(BYTES)


def digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).digest()


def seal(text: str, *, under: str) -> str:
    """Return the text so that only who has the other secret can read it.

    We keep a digest of that secret and not itself, so we cannot.
    """
    return _box(under).encrypt(text.encode()).decode()


def unseal(sealed: str, *, under: str) -> str | None:
    """Return what was sealed; None for another secret."""
    try:
        return _box(under).decrypt(sealed.encode()).decode()
    except InvalidToken:
        return None


def _box(secret: str) -> Fernet:
    # Another digest than the one that is kept. 256 random bits need no slow one.
    said = secret.encode("utf-8", "surrogateescape")
    key = hmac.digest(said, b"stepback: what this key was answered", "sha256")
    return Fernet(base64.urlsafe_b64encode(key))
