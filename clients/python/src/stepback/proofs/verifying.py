"""The proof that a root has signed a session's head: leaf, way up, note, key."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stepback.proofs.notes import Key, ProofRefused, decoded_base64, opened

LEAF = re.compile(
    r"session (?P<id>\S+) (?P<version>0|[1-9][0-9]*) (?P<chain>[A-Za-z0-9+/]{43}=)"
)
# What the answer repeats of what is proved, by its name there.
REPEATED = ("session_id", "signed_version", "note_number", "signed_at")

__all__ = ["ProofRefused", "Proven", "verify_proof"]


@dataclass(frozen=True)
class Proven:
    """What a note has signed. `chain` is that of the version, in hex."""

    session_id: str
    version: int
    chain: str
    note: int
    signed_at: str
    signed_by: str
    went_back: str | None


def verify_proof(answer: Mapping[str, Any], key: str) -> Proven:
    """Check what `/v1/sessions/{id}/proof` answered, with a key that you kept.

    What the answer says beside the proof, as whether the head has moved since, is the
    server's word and no part of it.

    Raises: ProofRefused.
    """
    proof = answer.get("proof")
    if not isinstance(proof, dict):
        said = answer.get("message")
        raise ProofRefused(f"There is no proof in it: {said or 'it is another file'}")
    leaf, path, note = (proof.get(name) for name in ("leaf", "path", "note"))
    if not isinstance(leaf, str) or not isinstance(note, str):
        raise ProofRefused("The proof has no leaf or no note.")
    signed = opened(note, Key.parse(key))
    if proof.get("leaf_count") != signed.leaves:
        raise ProofRefused("The note signed another number of leaves.")
    index = proof.get("index")
    if type(index) is not int or not 0 <= index < signed.leaves:
        raise ProofRefused("The leaf has no place among those of the note.")
    if _root(leaf, index, signed.leaves, _hashes(path)) != signed.root:
        raise ProofRefused("The leaf is none of those that the note signed.")
    said_so = LEAF.fullmatch(leaf)
    if said_so is None:
        raise ProofRefused("The leaf is not about a session.")
    proven = Proven(
        session_id=said_so["id"],
        version=int(said_so["version"]),
        chain=decoded_base64(said_so["chain"]).hex(),
        note=signed.number,
        signed_at=signed.at,
        signed_by=signed.origin,
        went_back=signed.went_back,
    )
    _compare(answer, proven)
    return proven


def _compare(answer: Mapping[str, Any], proven: Proven) -> None:
    """Hold what the answer repeats against what is proved."""
    values = (proven.session_id, proven.version, proven.note, proven.signed_at)
    for name, value in zip(REPEATED, values, strict=True):
        said = answer.get(name)
        if said != value or type(said) is not type(value):
            raise ProofRefused(f"Its {name} is not what was signed.")
    if answer.get("status") != "signed":
        raise ProofRefused("Its status is not what was signed.")


def _hashes(path: Any) -> Sequence[bytes]:
    if not isinstance(path, list) or not all(isinstance(one, str) for one in path):
        raise ProofRefused("The proof has no path.")
    hashes = [decoded_base64(one) for one in path]
    if any(len(one) != 32 for one in hashes):
        raise ProofRefused("The path is not made of hashes.")
    return hashes


def _root(leaf: str, index: int, count: int, path: Sequence[bytes]) -> bytes:
    """Return the root to which the path leads (RFC 9162, 2.1.3.2).

    Raises: ProofRefused where it is too long or too short.
    """
    found = hashlib.sha256(b"\x00" + leaf.encode(errors="surrogatepass")).digest()
    last = count - 1
    for beside in path:
        if last == 0:
            raise ProofRefused("The path is too long.")
        if index & 1 or index == last:
            found = _node(beside, found)
            while not index & 1 and index:
                index, last = index >> 1, last >> 1
        else:
            found = _node(found, beside)
        index, last = index >> 1, last >> 1
    if last:
        raise ProofRefused("The path is too short.")
    return found


def _node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()
