"""What is told of signed roots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stepback.answers.base import Answer, Json


@dataclass(frozen=True, kw_only=True)
class ListedRoot(Answer):
    """A signed note; without a tree, its `root` and `note` are None."""

    id: str
    number: int
    leaf_count: int
    signed_at: str
    root: str | None = None
    previous: str | None = None
    went_back: str | None = None
    note: str | None = None


@dataclass(frozen=True, kw_only=True)
class Root(ListedRoot):
    """A note with its leaves: `leaf` is None where it is of others."""

    leaves: Sequence[Mapping[str, Json]]


@dataclass(frozen=True, kw_only=True)
class RootKeys(Answer):
    """The public keys of an installation. The one that you kept counts."""

    keys: Sequence[Mapping[str, Json]]


@dataclass(frozen=True, kw_only=True)
class SessionProof(Answer):
    """How far a session is signed; `raw` is what `verify_proof` takes."""

    session_id: str
    status: str
    message: str
    head_version: int | None = None
    signed_version: int | None = None
    moved: bool | None = None
    note_number: int | None = None
    signed_at: str | None = None
    proof: Mapping[str, Json] | None = None
    verifier_keys: Sequence[str] = ()
