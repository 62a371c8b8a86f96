"""Sessions, and what was said and written in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from stepback.answers.base import Answer, Json


@dataclass(frozen=True, kw_only=True)
class Session(Answer):
    """A session with the state of its head; `version` is the head's number."""

    id: str
    agent_id: str
    version: int
    state: dict[str, Json]
    status: str
    created_at: str
    updated_at: str
    metadata: dict[str, Json]
    user_id: str | None = None
    external_id: str | None = None
    title: str | None = None
    turn_count: int = 0
    rollback_count: int = 0
    memory_count: int = 0
    review: str | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    ttl_expires_at: str | None = None
    forked_from: str | None = None
    forked_version: int | None = None
    last_rollback: Mapping[str, Json] | None = None


@dataclass(frozen=True, kw_only=True)
class SessionMetadata(Answer):
    """What of a session can change without a version."""

    id: str
    agent_id: str
    updated_at: str
    metadata: dict[str, Json]
    ttl_expires_at: str | None
    title: str | None = None


@dataclass(frozen=True, kw_only=True)
class State(Answer):
    """The state of one version. `last_rollback` tells a running agent of one."""

    session_id: str
    version: int
    state: dict[str, Json]
    updated_at: str
    trace_id: str
    hold: str
    last_rollback: Mapping[str, Json] | None = None


@dataclass(frozen=True, kw_only=True)
class StateWrite(State):
    """The state that a write made.

    Where it has become a fork, `forked_from` and `forked_version` say of what; the
    `session_id` is the fork's then.
    """

    forked_from: str | None = None
    forked_version: int | None = None


@dataclass(frozen=True, kw_only=True)
class ShownState(State):
    """The state of the head, or what it is under the schema that was asked for.

    `migrated_from` is the head's own schema, where that is another.
    """

    schema_version: str | None = None
    migrated_from: str | None = None


@dataclass(frozen=True, kw_only=True)
class Rollback(State):
    """The version that a rollback made; its `state` is the one restored.

    `verified`: what is stored of it was recomputed, and is what was committed to.
    `effects_crossed` are owed for now: see `compensations`.
    """

    restored_from_version: int
    rolled_back_from_version: int
    reason: str | None = None
    reason_code: str | None = None
    verified: bool = False
    effects_crossed: int = 0


@dataclass(frozen=True, kw_only=True)
class RollbackPreview(Answer):
    """What a rollback would do; `head` is the `expected_version` to roll back with.

    Calls are those since `tool_calls_since`, which made the state to restore; with
    `tool_calls_truncated` there may be others, also where none is listed.
    """

    session_id: str
    version: int
    head: int
    changes: Sequence[Mapping[str, Json]]
    change_count: int
    truncated: bool
    summary: str
    versions_set_aside: int
    turns_set_aside: int
    tool_calls: Sequence[Mapping[str, Json]]
    outside: str
    hold: str
    forks: Sequence[Mapping[str, Json]] = ()
    labels: Sequence[Mapping[str, Json]] = ()
    hold_recommended: bool = False
    versions_brought_back: int = 0
    tool_calls_since: int | None = None
    tool_calls_truncated: bool = False
    effects: Sequence[Mapping[str, Json]] = ()
    effects_crossed: int = 0
    effects_truncated: bool = False
    # Where the state to restore is of another schema than the head: `head`,
    # `restored`, and whether it `migrates`.
    schema: Mapping[str, Json] | None = None
    # Onto which other release, model or schema the state would go.
    moves: Sequence[Mapping[str, Json]] = ()


@dataclass(frozen=True, kw_only=True)
class MergePreview(Answer):
    """What a merge would do; `head` is the `expected_version` to do it with.

    Each of the `conflicts` has an `id` to choose by. `result` is None while one is
    without a choice; turns and effects that are left do not come along.
    """

    op: str
    session_id: str
    head: int
    hold: str
    base: Mapping[str, Json]
    source: Mapping[str, Json]
    nothing_to_merge: bool
    conflicts: Sequence[Mapping[str, Json]]
    conflict_count: int
    unchosen: int
    changes_taken: Sequence[Mapping[str, Json]]
    changes_taken_count: int
    changes_kept_count: int
    changes_alike_count: int
    takes_opaque: bool
    turns_left: int
    effects_left: Sequence[Mapping[str, Json]]
    effects_left_count: int
    outside: str
    result: Mapping[str, Json] | None = None


@dataclass(frozen=True, kw_only=True)
class Batch(Answer):
    """What a batch made, and the state it left."""

    session_id: str
    first_version: int
    last_version: int
    version: int
    versions: Sequence[Mapping[str, Json]]
    state: dict[str, Json]
    hold: str


@dataclass(frozen=True, kw_only=True)
class Turn(Answer):
    """One exchange with the agent, and the state it left."""

    id: str
    session_id: str
    turn_number: int
    version: int
    made_version: bool
    created_at: str
    input: Mapping[str, Json]
    output: Mapping[str, Json]
    trace_id: str
    metadata: Mapping[str, Json] | None = None
    reasoning: str | None = None
    state_before: dict[str, Json] | None = None
    state_after: dict[str, Json] | None = None
    # What was said is gone; of `states_erased`, a state that was shown with it.
    contents_erased: bool = False
    states_erased: bool = False
    # What it said it used, and the totals of the session's turns up to it.
    usage: Mapping[str, Json] | None = None
    spent: Mapping[str, Json] | None = None


@dataclass(frozen=True, kw_only=True)
class Context(Answer):
    """State, memories and recent turns (newest first) for the next call of a model."""

    session_id: str
    version: int
    state: dict[str, Json]
    memories: Sequence[Mapping[str, Json]]
    recent_turns: Sequence[Mapping[str, Json]]
    summary: Mapping[str, Json] | None = None
    older_summaries: Sequence[Mapping[str, Json]] = ()
    last_rollback: Mapping[str, Json] | None = None
    average_relevance: float = 0.0
    drift_warning: bool = False
    # Tombstones of turns that are gone, or empty, as far back as turns are shown.
    removed: Sequence[Mapping[str, Json]] = ()


@dataclass(frozen=True, kw_only=True)
class Label(Answer):
    """A name that somebody gave a version."""

    session_id: str
    version: int
    label: str
    created_at: str
    created_by: str


@dataclass(frozen=True, kw_only=True)
class Note(Answer):
    """What somebody wrote down beside a session."""

    id: str
    session_id: str
    text: str
    created_at: str
    created_by: str
    version: int | None = None


@dataclass(frozen=True, kw_only=True)
class Summary(Answer):
    """What was said in successive turns, told shortly.

    `set_aside_by`: the rollback that stepped behind these turns; None: it counts.
    """

    id: str
    session_id: str
    first_turn: int
    last_turn: int
    version: int
    text: str
    created_at: str
    created_by: str
    set_aside_by: int | None = None


@dataclass(frozen=True, kw_only=True)
class Review(Answer):
    """How a session went, as somebody says who has looked at it."""

    session_id: str
    outcome: str
    created_at: str
    created_by: str
    why: str | None = None


@dataclass(frozen=True, kw_only=True)
class Score(Answer):
    """A number that an agent or evaluator gave a session."""

    session_id: str
    name: str
    value: float
    created_at: str
    created_by: str
