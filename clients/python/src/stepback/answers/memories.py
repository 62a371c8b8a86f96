"""What is told of memories, and of stepping them back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stepback.answers.base import Answer, Json


@dataclass(frozen=True, kw_only=True)
class Memory(Answer):
    """Something that is remembered.

    `near` names memories that nearly say the same: nothing was merged. `status` is
    believed, proposed, replaced or dropped; of a patch that an agent has proposed
    `taken`, with the version of its session that it was written as.
    """

    id: str
    session_id: str
    scope: str
    content: str
    type: str
    tags: Sequence[str]
    metadata: Mapping[str, Json]
    confidence: float
    status: str
    reinforced: int
    near: Sequence[Mapping[str, Json]]
    source: Mapping[str, Json]
    vector_available: bool
    version: int
    number: int
    created_at: str
    updated_at: str
    user_id: str | None = None
    agent_id: str | None = None
    replaced_by: str | None = None
    taken_version: int | None = None
    external_id: str | None = None
    embedding_id: str | None = None
    expires_at: str | None = None


@dataclass(frozen=True, kw_only=True)
class FoundMemory(Memory):
    """A memory that a search found, and how near it is, from 0 to 1."""

    score: float


@dataclass(frozen=True, kw_only=True)
class MemoryMatches(Answer):
    """What a search found, the nearest first, and how it was looked for.

    `method` is `words` where there was no model, for the reason in `why`.
    """

    data: Sequence[Mapping[str, Json]]
    query: str | None = None
    method: str | None = None
    candidates: int | None = None
    pending: int | None = None
    stale: int | None = None
    truncated: bool | None = None
    why: str | None = None

    @property
    def memories(self) -> Sequence[FoundMemory]:
        """The memories, each with its score."""
        return tuple(FoundMemory.of(one) for one in self.data)


@dataclass(frozen=True, kw_only=True)
class MemoryVersion(Answer):
    """One thing that was done to a memory: set, removed, restored or expired."""

    version: int
    number: int
    cause: str
    actor: Mapping[str, Json]
    trace_id: str
    created_at: str
    memory: Mapping[str, Json] | None = None
    reasoning: str | None = None
    restored_number: int | None = None
    # A policy took what it left; `memory` is None then.
    contents_erased: bool = False


@dataclass(frozen=True, kw_only=True)
class MemoriesResolved(Answer):
    """The memories that a decision was about, as they stand since."""

    data: Sequence[Mapping[str, Json]]

    @property
    def memories(self) -> Sequence[Memory]:
        return tuple(Memory.of(one) for one in self.data)


@dataclass(frozen=True, kw_only=True)
class MemoriesSteppedBack(Answer):
    """What stepping back did, or would do, owner by owner.

    `has_more` says that the session taught more than one call forgets.
    """

    dry_run: bool
    count: int
    has_more: bool
    owners: Sequence[Mapping[str, Json]]


@dataclass(frozen=True, kw_only=True)
class MemoriesImported(Answer):
    """What became of an import, item by item."""

    imported: int
    known: int
    same: int
    refused: int
    results: Sequence[Mapping[str, Json]]


@dataclass(frozen=True, kw_only=True)
class Formation(Answer):
    """How an agent's turns form memories: off, tags or llm.

    Of `given_up` turns nothing was formed; `reason` says why, of the last failure.
    """

    agent_id: str
    mode: str
    endpoint: bool | None = None
    given_up: int = 0
    failed_at: str | None = None
    reason: str | None = None
