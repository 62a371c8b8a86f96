"""Makes and digests the secrets that let people and programs in.

All hold 256 random bits, so a plain SHA-256 is safe: there is nothing to guess, and
the lookup by digest is one index probe.
"""

import hashlib
import secrets
from dataclasses import dataclass, field

KEY_MARK = "sb_"
VISIBLE = len(KEY_MARK) + 8
BYTES = 32


@dataclass(frozen=True, kw_only=True, slots=True)
class KeySecret:
    """A new API key; `text` is shown once and kept nowhere."""

    text: str = field(repr=False)
    prefix: str
    digest: bytes


def new_key_secret() -> KeySecret:
    text = KEY_MARK + secrets.token_hex(BYTES)
    return KeySecret(text=text, prefix=text[:VISIBLE], digest=digest(text))


def new_token() -> str:
    return secrets.token_urlsafe(BYTES)


def new_index_key() -> bytes:
    return secrets.token_bytes(BYTES)


def digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).digest()
