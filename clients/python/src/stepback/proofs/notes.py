"""Opens a C2SP signed note with one public key, and reads what a root says."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass

from stepback.proofs import ed25519

ED25519 = b"\x01"
DASH = "\u2014 "
# The specification asks for 16 at least.
MOST_SIGNATURES = 64
TEXT = re.compile(
    r"(?P<origin>\S+)\nstepback-roots/2\nnumber (?P<number>[1-9][0-9]*)\n"
    r"previous (?P<previous>-|[A-Za-z0-9+/]{43}=)\nat (?P<at>\S+)\n"
    r"(?:went-back (?P<went_back>.+)\n)?"
    r"leaves (?P<leaves>0|[1-9][0-9]*)\nroot (?P<root>[A-Za-z0-9+/]{43}=)\n"
)


class ProofRefused(ValueError):
    """It does not prove what it says."""


@dataclass(frozen=True)
class Key:
    """A public key with its name."""

    name: str
    public: bytes

    @classmethod
    def parse(cls, text: str) -> Key:
        """Read `name+hash+key`.

        Raises: ProofRefused.
        """
        name, _, rest = text.strip().partition("+")
        identity, _, encoded = rest.partition("+")
        try:
            decoded = decoded_base64(encoded)
        except ProofRefused:
            decoded = b""
        key = cls(name, decoded[1:])
        if len(decoded) != 33 or decoded[:1] != ED25519:
            raise ProofRefused("The key is none: it is name+hash+key.")
        if not name or key.identity.hex() != identity:
            raise ProofRefused("The key is none: name and hash do not belong to it.")
        return key

    @property
    def identity(self) -> bytes:
        named = self.name.encode() + b"\n" + ED25519 + self.public
        return hashlib.sha256(named).digest()[:4]


@dataclass(frozen=True)
class Note:
    """What a note says, whose signature holds."""

    origin: str
    number: int
    at: str
    leaves: int
    root: bytes
    went_back: str | None


def opened(note: str, key: Key) -> Note:
    """Return what a note says, once this key has signed it.

    Raises: ProofRefused.
    """
    text, separator, lines = note.rpartition("\n\n")
    if not separator or not lines.endswith("\n"):
        raise ProofRefused("The note is no signed note.")
    text += "\n"
    mine = [
        signature
        for name, identity, signature in _signatures(lines)
        if (name, identity) == (key.name, key.identity)
    ]
    if not mine:
        raise ProofRefused("The note is not signed by this key.")
    signed = text.encode(errors="surrogatepass")
    if not all(ed25519.verify(key.public, signed, one) for one in mine):
        raise ProofRefused("The note's signature does not hold: it was altered.")
    said = TEXT.fullmatch(text)
    if said is None or said["origin"] != key.name:
        raise ProofRefused("The note does not say what a root says.")
    return Note(
        origin=said["origin"],
        number=int(said["number"]),
        at=said["at"],
        leaves=int(said["leaves"]),
        root=decoded_base64(said["root"]),
        went_back=said["went_back"],
    )


def decoded_base64(text: str) -> bytes:
    """Return what is encoded, if there is no other way to write it.

    Raises: ProofRefused.
    """
    try:
        decoded = base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error) as error:
        raise ProofRefused("Something of it is no base64.") from error
    if base64.b64encode(decoded).decode() != text:
        raise ProofRefused("Something of it is no base64.")
    return decoded


def _signatures(lines: str) -> list[tuple[str, bytes, bytes]]:
    found = []
    for line in lines.split("\n")[:-1]:
        name, _, encoded = line.removeprefix(DASH).partition(" ")
        decoded = decoded_base64(encoded)
        if not line.startswith(DASH) or not name or len(decoded) < 5:
            raise ProofRefused("A line of the note's signatures is none.")
        found.append((name, decoded[:4], decoded[4:]))
    if len(found) > MOST_SIGNATURES:
        raise ProofRefused("The note has too many signatures.")
    return found
