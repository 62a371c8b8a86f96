"""Roots and proofs as answers and files have them."""

from __future__ import annotations

import base64
from typing import Any

from apps.core.notes.proving import Inclusion
from apps.core.notes.signed import VerifierKey
from apps.core.time.moments import utc_text
from apps.witness.reading.queries import ReadRoot, SessionProof


def listed_root(read: ReadRoot) -> dict[str, Any]:
    root = read.root
    tree = root.tree
    return {
        "object": "root",
        "id": str(root.number),
        "number": root.number,
        "root": tree and tree.root.hex(),
        "leaf_count": tree.count if tree else len(root.heads),
        "previous": root.previous and root.previous.hex(),
        "signed_at": utc_text(root.at),
        "went_back": root.went_back,
        "note": read.note.decode() if tree else None,
    }


def root_object(read: ReadRoot, seen: set[str]) -> dict[str, Any]:
    """Return a note with its leaves, in clear those of the streams that are `seen`."""
    both = enumerate(zip(read.root.heads, read.hashes, strict=True))
    return listed_root(read) | {
        "leaves": [
            {
                "index": index,
                "leaf": head.line if head.stream in seen else None,
                "hash": hashed.hex(),
            }
            for index, (head, hashed) in both
        ]
    }


def key_object(key: VerifierKey) -> dict[str, Any]:
    return {
        "name": key.name,
        "verifier_key": str(key),
        "fingerprint": key.fingerprint,
    }


def proof_object(session_id: str, found: SessionProof) -> dict[str, Any]:
    signed = found.signed
    number = signed.head.number if signed else None
    moved = None
    if number is not None and found.head is not None:
        moved = found.head > number
    return {
        "object": "session_proof",
        "session_id": session_id,
        "status": found.status,
        "message": found.message,
        "head_version": found.head,
        "signed_version": number,
        "moved": moved,
        "note_number": signed.note if signed else None,
        "signed_at": utc_text(signed.at) if signed else None,
        "proof": found.included and _inclusion(found.included),
        "verifier_keys": list(found.keys),
    }


def _inclusion(found: Inclusion) -> dict[str, Any]:
    return {
        "leaf": found.leaf,
        "index": found.index,
        "leaf_count": found.leaves,
        "path": [base64.b64encode(one).decode() for one in found.path],
        "note": found.note.decode(),
    }
