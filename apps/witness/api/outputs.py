"""What the API of roots answers."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from apps.timeline.api.outputs.common import (
    ListEnvelope,
    Output,
    maybe_number,
    maybe_text,
    text,
)


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
