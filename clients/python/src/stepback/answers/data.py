"""What is told of an agent's data and config, of checkpoints and of its audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from stepback.answers.base import Answer, Json


@dataclass(frozen=True, kw_only=True)
class DataWrite(Answer):
    """What became of a value: written, or blocked by a policy, which is no error.

    `exceptions` let it pass, or an administrator's `override`; `floor`: what blocks it
    is the project's, not the agent's config.
    """

    key: str
    allowed: bool
    audit_id: str
    created_at: str
    version: int | None = None
    number: int | None = None
    expires_at: str | None = None
    blocked_by: str | None = None
    reason: str | None = None
    message: str | None = None
    kind: str | None = None
    place: str | None = None
    masked: str | None = None
    exceptions: Sequence[str] = ()
    override: Mapping[str, Json] | None = None
    floor: bool = False


@dataclass(frozen=True, kw_only=True)
class DataBatch(Answer):
    """What became of each value of a batch, in their order."""

    results: Sequence[DataWrite]
    summary: Mapping[str, Json]

    @classmethod
    def of(cls, given: Json) -> Self:
        batch = super().of(given)
        return replace(batch, results=tuple(map(DataWrite.of, batch.results)))


@dataclass(frozen=True, kw_only=True)
class DataKey(Answer):
    """A key that stands; with its value where that was asked for."""

    key: str
    size: int
    version: int
    number: int
    created_at: str
    updated_at: str
    expires_at: str | None = None
    # None as well where a policy took what stood there then.
    value: str | None = None
    metadata: Mapping[str, Json] | None = None


@dataclass(frozen=True, kw_only=True)
class DataValue(DataKey):
    """What stands under a key."""

    value: str
    metadata: Mapping[str, Json]
    audit_id: str


@dataclass(frozen=True, kw_only=True)
class DataVersion(Answer):
    """One thing that was done to a key: set, removed, restored or expired."""

    key: str
    version: int
    number: int
    cause: str
    size: int
    actor: Mapping[str, Json]
    created_at: str
    created_by: str
    audit_id: str
    value: str | None = None
    metadata: Mapping[str, Json] | None = None
    reasoning: str | None = None
    restored_number: int | None = None
    expires_at: str | None = None
    # A policy took what it left; `value` is None then.
    contents_erased: bool = False


@dataclass(frozen=True, kw_only=True)
class DataMatches(Answer):
    """What a search found, the nearest first; `truncated`: not all was looked at.

    `method`: by what it was searched (`why`, if not by meaning). `pending` and `stale`
    count values without a vector as yet, which were searched by words.
    """

    results: Sequence[Mapping[str, Json]]
    method: str
    truncated: bool
    audit_id: str | None = None
    pending: int = 0
    stale: int = 0
    why: str | None = None


@dataclass(frozen=True, kw_only=True)
class DataRemoval(Answer):
    """How many keys were deleted; all of them stay in history."""

    deleted: int
    deleted_count: int
    number: int | None = None
    audit_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class AgentConfigVersion(Answer):
    """A version of an agent's config, without it; v0 is none."""

    version: str
    number: int
    created_at: str
    summary: str
    created_by: str | None = None
    audit_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class AgentConfig(AgentConfigVersion):
    """An agent's config."""

    agent_id: str
    config: Mapping[str, Json]
    previous_version: str | None = None


@dataclass(frozen=True, kw_only=True)
class AgentCheckpoint(Answer):
    """A version of an agent's config and data to go back to."""

    id: str
    checkpoint_id: str
    agent_id: str
    number: int
    config_version: str
    key_count: int
    entry_count: int
    total_size_bytes: int
    data_snapshot: Mapping[str, Json]
    metadata: Mapping[str, Json]
    created_at: str
    created_by: str
    audit_id: str
    label: str | None = None
    description: str | None = None


@dataclass(frozen=True, kw_only=True)
class NewAgentCheckpoint(AgentCheckpoint):
    """A checkpoint that was made; `hint` where its label says nothing."""

    hint: str | None = None


@dataclass(frozen=True, kw_only=True)
class AgentCheckpointDetail(AgentCheckpoint):
    """A checkpoint, and in `checkpoint` a page of its keys, as `data_snapshot`."""

    checkpoint: Mapping[str, Json]


@dataclass(frozen=True, kw_only=True)
class DeletedAgentCheckpoint(Answer):
    """What was deleted: the checkpoint; the history behind it stays."""

    id: str
    checkpoint_id: str
    deleted: bool
    audit_id: str


@dataclass(frozen=True, kw_only=True)
class CheckpointRestore(Answer):
    """What a restore did. `verified`: what stands is what the checkpoint had.

    That is None, with `verified_why`, where it was too much to look at. One of many
    keys made several `steps`; what others wrote between them was left.
    """

    agent_id: str
    checkpoint_id: str
    restored_from: str
    restored_at: str
    number: int
    config_restored: bool
    config_changed: bool
    config_version: str
    data_restored: bool
    data_keys_restored: int
    data_keys_changed: int
    data_keys_removed: int
    data_keys_expired: int
    entries_restored: int
    entries_removed: int
    audit_id: str
    verified: bool | None
    verified_why: str | None = None
    digest: str | None = None
    data_keys_skipped: int = 0
    steps: int = 1


@dataclass(frozen=True, kw_only=True)
class CheckpointRestorePreview(Answer):
    """What a restore would do; send `expected_version` with it."""

    agent_id: str
    checkpoint_id: str
    number: int
    expected_version: int
    config: Mapping[str, Json]
    data: Mapping[str, Json]
    recent_writers: Sequence[Mapping[str, Json]]


@dataclass(frozen=True, kw_only=True)
class CheckpointComparison(Answer):
    """What differs between two checkpoints: config, and a page of keys."""

    agent_id: str
    to: Mapping[str, Json]
    config: Mapping[str, Json]
    data: Sequence[Mapping[str, Json]]
    added: Sequence[str]
    removed: Sequence[str]
    changed: Sequence[str]
    has_more: bool
    next_cursor: str | None = None
    audit_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class AuditEvent(Answer):
    """One operation on an agent, linked to the one before it by its hash."""

    id: str
    agent_id: str
    number: int
    operation: str
    resource_type: str
    resource: str
    result: str
    actor: Mapping[str, Json]
    timestamp: str
    leaf: str
    hash: str
    metadata: Mapping[str, Json]
    resource_digest: str | None = None
    blocked_by: str | None = None
    version: int | None = None
    previous_hash: str | None = None


@dataclass(frozen=True, kw_only=True)
class AuditVerification(Answer):
    """Whether an agent's audit still proves itself.

    While `has_more`, go on with `start=next_start`.
    """

    valid: bool
    events_checked: int
    verified_at: str
    time_range: Mapping[str, Json]
    has_more: bool
    chain_start: str | None = None
    chain_end: str | None = None
    first_invalid: Mapping[str, Json] | None = None
    next_start: str | None = None


@dataclass(frozen=True, kw_only=True)
class AuditExport(Answer):
    """Events as a file: `download_url` opens without a key until `expires_at`.

    Where it `has_more`, ask for the rest with `start=next_start`.
    """

    id: str
    export_id: str
    agent_id: str
    format: str
    download_url: str
    created_at: str
    expires_at: str
    event_count: int
    from_number: int
    to_number: int
    chain_end: str
    has_more: bool
    next_start: str | None = None
    verification: Mapping[str, Json] | None = None


@dataclass(frozen=True, kw_only=True)
class CheckpointSchedule(Answer):
    """When an agent's checkpoints are made; None where they are on no schedule."""

    agent_id: str
    schedule: str | None = None
    next_at: str | None = None


@dataclass(frozen=True, kw_only=True)
class PolicyException(Answer):
    """What people let pass though a policy blocks it: a text, or keys by a prefix."""

    id: str
    rule: str
    reason: str
    active: bool
    actor: Mapping[str, Json]
    created_at: str
    expires_at: str
    kind: str = ""
    place: str = ""
    masked: str = ""
    prefix: str | None = None
    fingerprint: str | None = None
    ended_at: str | None = None
