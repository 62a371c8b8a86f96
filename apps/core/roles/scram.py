"""Passwords as PostgreSQL keeps them, so that no statement has one in clear."""

import hashlib
import hmac
import os
from base64 import b64encode

# PostgreSQL's own default, and what RFC 7677 asks for at least.
ITERATIONS = 4096
SALT_BYTES = 16


def verifier(password: str) -> str:
    """Return the SCRAM-SHA-256 verifier of a password of ASCII characters.

    Raises: UnicodeEncodeError for others, which would have to be normalized first.
    """
    salt = os.urandom(SALT_BYTES)
    salted = hashlib.pbkdf2_hmac("sha256", password.encode("ascii"), salt, ITERATIONS)
    stored = hashlib.sha256(_keyed(salted, b"Client Key")).digest()
    return (
        f"SCRAM-SHA-256${ITERATIONS}:{_text(salt)}"
        f"${_text(stored)}:{_text(_keyed(salted, b'Server Key'))}"
    )


def _keyed(key: bytes, text: bytes) -> bytes:
    return hmac.digest(key, text, "sha256")


def _text(data: bytes) -> str:
    return b64encode(data).decode()
