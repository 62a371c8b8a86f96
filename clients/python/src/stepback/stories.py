"""What can be told of a version beside its state, as typed keyword arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Required, TypedDict

Json = Any
Order = Literal["asc", "desc"]
OnConflict = Literal["refuse", "fork"]


class Story(TypedDict, total=False):
    """In which step of the agent a version was made."""

    trace_id: str | None
    step_number: int | None
    parent_id: str | None
    objective_status: str | None
    schema_version: str | None
    release: str | None
    model: str | None


class Checkpointed(Story, total=False):
    """The other parts of a checkpoint; parts that are not named stay as they were."""

    messages: Sequence[Json] | None
    tool_results: Mapping[str, Json] | None
    model_params: Mapping[str, Json] | None
    tasks: Sequence[Json] | None
    artifacts: Sequence[Json] | None
    facts: Sequence[Json] | None
    opaque: Mapping[str, Mapping[str, str]] | None


class Noted(Story, total=False):
    """What a write takes that leaves the state and other parts as they are."""

    external_id: str | None
    expected_version: int | None
    idempotency_key: str | None


class Written(Checkpointed, total=False):
    """What every write of a state takes.

    `expected_version` is the head it builds on: if that has moved, the write raises
    `Conflict` and stores nothing. `idempotency_key` is made unless one is given; give
    the same to repeat a write whose outcome is unknown.
    """

    external_id: str | None
    expected_version: int | None
    idempotency_key: str | None


class Merged(Story, total=False):
    """What promoting, reverting, applying again and restoring take beside the head."""

    reasoning: str | None
    external_id: str | None
    idempotency_key: str | None


class Migrated(TypedDict, total=False):
    """What migrating takes beside the schema, which it names itself."""

    trace_id: str | None
    step_number: int | None
    parent_id: str | None
    objective_status: str | None
    release: str | None
    model: str | None
    external_id: str | None
    expected_version: int | None
    idempotency_key: str | None


class Held(Story, total=False):
    """What pausing, resuming and closing take."""

    reasoning: str | None
    expected_version: int | None
    idempotency_key: str | None


class Remembered(TypedDict, total=False):
    """What else can be said of a memory: whose it is, and where it came from.

    A `confidence` below 0.7 makes it a proposal. `version` and `turn_id` are of the
    session that it was learnt in.
    """

    user_id: str | None
    agent_id: str | None
    scope: str | None
    embed: bool | None
    confidence: float | None
    version: int | None
    turn_id: str | None
    expires_at: str | None
    reasoning: str | None


class MemoryChanged(TypedDict, total=False):
    """What else a change of a memory takes."""

    confidence: float | None
    embed: bool | None
    expires_at: str | None
    expected_version: int | None
    reasoning: str | None


class Repeatable(TypedDict, total=False):
    """A write that is done once under its key; one is made unless it is given."""

    idempotency_key: str | None


class Item(Checkpointed, total=False):
    """One version of a batch: keys to merge, or with `op` replace the whole state."""

    op: str
    reasoning: str | None
    state: Mapping[str, Json]
    remove: Sequence[str]
    operations: Sequence[Mapping[str, Json]]
    external_id: str | None


PlanKind = Literal["hold", "resume", "label", "review", "export", "migrate", "rollback"]


class RollbackTarget(TypedDict, total=False):
    """Which version each session goes back to: one of these rules."""

    before: str
    check: str
    release: str
    label: str
    versions: Mapping[str, int]


class IncidentChanges(Repeatable, total=False):
    """What can be changed of an incident; None says that there is to be none."""

    title: str
    status: Literal["open", "watching", "resolved"]
    owner: str | None
    check: str | None


class Described(Repeatable, total=False):
    """What can be said of an agent."""

    description: str | None
    owner: str | None
    team: str | None
    tags: Sequence[str] | None
    metadata: Mapping[str, Json] | None


class Mapped(Repeatable, total=False):
    """What is mapped of an agent's states: JSON pointers, and rules of what waits."""

    title: str | None
    user: str | None
    waiting: Sequence[str] | None
    noise: Sequence[str]


class Asked(TypedDict, total=False):
    """Of when: a `window` up to now, such as 24h or 7d, or from and to; of whom."""

    window: str | None
    start: str | None
    end: str | None
    agent_id: str | None


class Ruled(Repeatable, total=False):
    """An alert rule: what of whom is looked at, over which window, and who is told.

    Without `agent_id` it is the whole project, unless it is for `each` agent or
    release; `silenced_until` is ISO 8601, and `quiet_from` a time of day as 22:00.
    """

    agent_id: str | None
    release: str | None
    each: str | None
    metric: str | None
    window: str | None
    minimum_sample: int | None
    for_minutes: int | None
    email: str | None
    is_active: bool | None
    silenced_until: str | None
    quiet_from: str | None
    quiet_to: str | None
    quiet_zone: str | None


class Valued(TypedDict, total=False):
    """A value of a batch. `expected_version` is the key's; 0: the key is absent."""

    key: Required[str]
    value: Required[str]
    metadata: Mapping[str, Json] | None
    expected_version: int | None


class Restorable(TypedDict, total=False):
    """Which parts a restore brings back: both, unless it is said otherwise."""

    restore_config: bool | None
    restore_data: bool | None
