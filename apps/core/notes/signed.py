"""Signed notes as C2SP specifies them (https://c2sp.org/signed-note), with Ed25519.

A text that ends in a newline, an empty line, then one signature per line:
`— <key name> base64(key ID || signature)`. Keys are written as the Go package
`sumdb/note` writes them, so that its tools read them.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)

from apps.core.notes.errors import KeyRefused, NoteError

ED25519 = b"\x01"
PRIVATE = "PRIVATE+KEY+"
SEPARATOR = b"\n\n"
DASH = "\u2014 "
# The specification asks for 16 at least.
MOST_SIGNATURES = 64


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A public key with its name, written `name+key ID+base64(type || key)`."""

    name: str
    public: bytes

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a verifier key.

        Raises: KeyRefused.
        """
        name, _, rest = text.strip().partition("+")
        identity, _, encoded = rest.partition("+")
        key = cls(name, _key_bytes(encoded))
        if not _is_name(name) or identity != key.identity.hex():
            raise KeyRefused("It is no verifier key: name+hash+key.")
        return key

    @property
    def identity(self) -> bytes:
        """The four bytes by which a signature names its key."""
        encoded = self.name.encode() + b"\n" + ED25519 + self.public
        return hashlib.sha256(encoded).digest()[:4]

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the key's bytes, for people to compare."""
        return hashlib.sha256(self.public).hexdigest()

    def verify(self, text: bytes, signature: bytes) -> bool:
        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, text)
        except (InvalidSignature, ValueError):
            return False
        return True

    def __str__(self) -> str:
        encoded = base64.b64encode(ED25519 + self.public).decode()
        return f"{self.name}+{self.identity.hex()}+{encoded}"


class SigningKey:
    """A private key with its name; what it prints as never shows it."""

    def __init__(self, name: str, seed: bytes) -> None:
        self._seed = seed
        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        self.verifier = VerifierKey(name, self._private.public_key().public_bytes_raw())

    @classmethod
    def made(cls, name: str) -> SigningKey:
        """Make a new key."""
        return cls(name, Ed25519PrivateKey.generate().private_bytes_raw())

    @classmethod
    def parse(cls, text: str) -> SigningKey:
        """Read a key that `secret` wrote.

        Raises: KeyRefused, without what it was given.
        """
        refused = "It is no signing key: PRIVATE+KEY+name+hash+key."
        stripped = text.strip()
        name, _, rest = stripped.removeprefix(PRIVATE).partition("+")
        identity, _, encoded = rest.partition("+")
        if not stripped.startswith(PRIVATE) or not _is_name(name):
            raise KeyRefused(refused)
        key = cls(name, _key_bytes(encoded))
        if key.verifier.identity.hex() != identity:
            raise KeyRefused(refused)
        return key

    def secret(self) -> str:
        """Return the key as its file and the worker's environment hold it."""
        encoded = base64.b64encode(ED25519 + self._seed).decode()
        known = self.verifier
        return f"{PRIVATE}{known.name}+{known.identity.hex()}+{encoded}"

    def sign(self, text: bytes) -> bytes:
        """Return the note: the text with the signature line."""
        signature = self.verifier.identity + self._private.sign(text)
        encoded = base64.b64encode(signature).decode()
        return text + f"\n{DASH}{self.verifier.name} {encoded}\n".encode()


def opened(note: bytes, keys: Iterable[VerifierKey]) -> bytes:
    """Return the text of a note that one of the keys has signed.

    Signatures by other keys are passed over; one by a known key that does not hold
    refuses the note.

    Raises: NoteError.
    """
    text, separator, lines = note.rpartition(SEPARATOR)
    if not separator or not lines.endswith(b"\n"):
        raise NoteError("it is no signed note")
    text += b"\n"
    known = {(key.name, key.identity): key for key in keys}
    held = False
    for name, identity, signature in _signatures(lines):
        key = known.get((name, identity))
        if key is None:
            continue
        if not key.verify(text, signature):
            raise NoteError("its signature does not hold: it was altered")
        held = True
    if not held:
        raise NoteError("it is not signed by a known key")
    return text


def _signatures(lines: bytes) -> list[tuple[str, bytes, bytes]]:
    found = []
    try:
        for line in lines.decode().split("\n")[:-1]:
            name, _, encoded = line.removeprefix(DASH).partition(" ")
            decoded = base64.b64decode(encoded, validate=True)
            # There is one way to write it, or a note could be altered and hold.
            again = base64.b64encode(decoded).decode()
            if not line.startswith(DASH) or not name or len(decoded) < 5:
                raise NoteError("a line of its signatures is none")
            if again != encoded:
                raise NoteError("a line of its signatures is none")
            found.append((name, decoded[:4], decoded[4:]))
    except (UnicodeDecodeError, binascii.Error) as error:
        raise NoteError("a line of its signatures is none") from error
    if len(found) > MOST_SIGNATURES:
        raise NoteError("it has too many signatures")
    return found


def _key_bytes(encoded: str) -> bytes:
    try:
        decoded = base64.b64decode(encoded, validate=True)
    except (ValueError, binascii.Error):
        decoded = b""
    if len(decoded) != 33 or decoded[:1] != ED25519:
        raise KeyRefused("It is no Ed25519 key: name+hash+key.")
    return decoded[1:]


def _is_name(name: str) -> bool:
    return bool(name) and name.isprintable() and not any(c.isspace() for c in name)
