"""What the API of roots answers."""

from __future__ import annotations

import base64
from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from apps.core.notes.proving import Inclusion
from apps.core.notes.signed import VerifierKey
from apps.core.time.moments import utc_text
from apps.timeline.api.outputs.common import (
    ListEnvelope,
    Output,
    maybe_number,
    maybe_text,
    text,
)
from apps.witness.queries import ReadRoot, SessionProof


@extend_schema_serializer(component_name="ListedRoot")
class ListedRootOutput(Output):
    """A signed note: of the whole installation, it names nobody."""

    object = text()
    id = text("The number, as a text.")
    number = serializers.IntegerField()
    root = maybe_text(  # type: ignore[assignment]
        "The RFC 6962 root over the leaves, hex; null in notes from before there were "
        "trees, which name sessions of others."
    )
    leaf_count = serializers.IntegerField()
    previous = maybe_text("SHA-256 of the note before, hex.")
    signed_at = serializers.DateTimeField()
    went_back = maybe_text("Why the database was put back, if the note says so.")
    note = maybe_text("The C2SP signed note, byte for byte; null without a tree.")


@extend_schema_serializer(component_name="RootLeaf")
class LeafOutput(Output):
    """One leaf of the tree: what is not yours is its hash alone."""

    index = serializers.IntegerField()
    leaf = maybe_text("What is hashed; null where it is not about what you may read.")
    hash = text("SHA-256 of the byte 00 and the leaf, hex.")


@extend_schema_serializer(component_name="Root")
class RootOutput(ListedRootOutput):
    """A signed note with its leaves."""

    leaves = LeafOutput(many=True)


@extend_schema_serializer(component_name="RootList")
class RootListOutput(ListEnvelope):
    """A page of notes, the newest first."""

    data = ListedRootOutput(many=True)  # type: ignore[assignment]


@extend_schema_serializer(component_name="RootKey")
class KeyOutput(Output):
    """A public key that notes are signed with, or were."""

    name = text()
    verifier_key = text("As `stepback verify --key` and Go's sumdb/note take it.")
    fingerprint = text("SHA-256 of the 32 bytes of the key, hex.")


@extend_schema_serializer(component_name="RootKeys")
class KeysOutput(Output):
    """The keys that this installation believes."""

    object = text()
    keys = KeyOutput(many=True)


@extend_schema_serializer(component_name="Inclusion")
class InclusionOutput(Output):
    """What proves the leaf to whoever has the public key."""

    leaf = text()
    index = serializers.IntegerField()
    leaf_count = serializers.IntegerField()
    path = serializers.ListField(
        child=text(), help_text="Hashes beside the way up to the root, in base64."
    )
    note = text("The C2SP signed note, byte for byte.")


@extend_schema_serializer(component_name="SessionProof")
class ProofOutput(Output):
    """How far a session is signed, and what proves it without this server."""

    object = text()
    session_id = text()
    status = serializers.ChoiceField(
        choices=["none", "unsigned", "signed", "before_trees", "unread", "broken"],
        help_text="none: this installation signs nothing; before_trees: the newest "
        "signature of it is a note without a tree, which the whole note proves.",
    )
    message = text()
    head_version = maybe_number("The newest version.")
    signed_version = maybe_number("The newest one that is signed.")
    moved = serializers.BooleanField(
        allow_null=True,
        help_text="Whether there are versions behind the signed one; null where none "
        "is signed.",
    )
    note_number = maybe_number()
    signed_at = serializers.DateTimeField(allow_null=True)
    proof = InclusionOutput(allow_null=True)
    verifier_keys = serializers.ListField(child=text())


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
