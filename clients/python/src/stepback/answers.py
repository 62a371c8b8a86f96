"""What calls return: frozen objects with the fields that the contract names.

Each keeps the whole answer in `raw`, so that what a newer server tells can be read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Generic, Self, TypeVar

from stepback.errors import UnexpectedAnswer

Json = Any
Item = TypeVar("Item")


@dataclass(frozen=True, kw_only=True)
class Answer:
    """An object of an answer."""

    raw: Mapping[str, Json] = field(repr=False, compare=False)

    @classmethod
    def of(cls, given: Json) -> Self:
        """Read an object.

        Raises: UnexpectedAnswer unless every required field is there.
        """
        if not isinstance(given, dict):
            raise UnexpectedAnswer(f"{cls.__name__} is not an object.")
        known = {one.name for one in fields(cls)} - {"raw"}
        found = {name: given[name] for name in known & given.keys()}
        try:
            return cls(raw=given, **found)
        except TypeError as error:
            raise UnexpectedAnswer(f"{cls.__name__} is not complete: {error}") from None


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
    turn_count: int = 0
    rollback_count: int = 0
    memory_count: int = 0
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
class Rollback(State):
    """The version that a rollback made; its `state` is the one restored."""

    restored_from_version: int
    rolled_back_from_version: int
    reason: str | None = None
    reason_code: str | None = None


@dataclass(frozen=True, kw_only=True)
class Version(Answer):
    """One immutable version: what it changed, who made it and why."""

    session_id: str
    version: int
    op: str
    created_at: str
    updated_by: str
    actor: Mapping[str, Json]
    trace_id: str
    hold: str
    chain: str
    changes: Sequence[Mapping[str, Json]]
    change_count: int
    changes_truncated: bool
    reasoning: str | None = None
    reason_code: str | None = None
    external_id: str | None = None
    parent_version: int | None = None
    restored_version: int | None = None
    undo_of: int | None = None
    step_number: int | None = None
    parent_id: str | None = None
    objective_status: str | None = None
    schema_version: str | None = None
    release: str | None = None
    model: str | None = None
    size: int = 0
    flags: Sequence[str] = ()
    labels: Sequence[str] = ()
    set_aside_by: int | None = None
    state: dict[str, Json] | None = None


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


@dataclass(frozen=True, kw_only=True)
class Context(Answer):
    """State, memories and recent turns (newest first) for the next call of a model."""

    session_id: str
    version: int
    state: dict[str, Json]
    memories: Sequence[Mapping[str, Json]]
    recent_turns: Sequence[Mapping[str, Json]]
    last_rollback: Mapping[str, Json] | None = None


@dataclass(frozen=True, kw_only=True)
class Checkpoint(Answer):
    """Everything to resume from; parts that were never written are None."""

    session_id: str
    version: int
    created_at: str
    trace_id: str
    hold: str
    state: dict[str, Json]
    messages: Sequence[Json] | None = None
    tool_results: Mapping[str, Json] | None = None
    model_params: Mapping[str, Json] | None = None
    tasks: Sequence[Json] | None = None
    artifacts: Sequence[Json] | None = None
    opaque: Mapping[str, Mapping[str, str]] | None = None
    reasoning: str | None = None
    step_number: int | None = None
    parent_id: str | None = None
    objective_status: str | None = None
    schema_version: str | None = None
    release: str | None = None
    model: str | None = None


@dataclass(frozen=True, kw_only=True)
class NamedCheckpoint(Answer):
    """A version as a checkpointer sees it, with its own bytes and pending writes."""

    session_id: str
    version: int
    checkpoint_id: str
    op: str
    created_at: str
    trace_id: str
    hold: str
    opaque: Mapping[str, Mapping[str, str]]
    writes: Sequence[Mapping[str, Json]]
    size: int
    chain: str
    reasoning: str | None = None
    parent_id: str | None = None
    parent_version: int | None = None
    restored_version: int | None = None
    step_number: int | None = None
    state: dict[str, Json] | None = None


@dataclass(frozen=True, kw_only=True)
class Changes(Answer):
    """What differs between two versions, and a sentence about it."""

    session_id: str
    from_version: int
    to_session_id: str
    to_version: int
    changes: Sequence[Mapping[str, Json]]
    change_count: int
    truncated: bool
    summary: str


@dataclass(frozen=True, kw_only=True)
class Patch(Answer):
    """The operations of RFC 6902 that make one state the other."""

    session_id: str
    from_version: int
    to_session_id: str
    to_version: int
    patch: Sequence[Mapping[str, Json]]


@dataclass(frozen=True, kw_only=True)
class Blame(Answer):
    """Who set a value, newest first. `value` is missing if it was removed."""

    session_id: str
    version: int
    pointer: str
    data: Sequence[Mapping[str, Json]]
    has_more: bool
    next: str | None = None
    value: Json = None


@dataclass(frozen=True, kw_only=True)
class RollbackPreview(Answer):
    """What a rollback would do; `head` is the `expected_version` to roll back with."""

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


@dataclass(frozen=True, kw_only=True)
class Verification(Answer):
    """Whether what is stored still proves itself; while `has_more`, go on."""

    session_id: str
    valid: bool
    versions_checked: int
    has_more: bool
    chain_start: str
    chain_end: str
    findings: int
    last_version: int | None = None
    first_invalid: Mapping[str, Json] | None = None


@dataclass(frozen=True, kw_only=True)
class History(Answer):
    """The newest versions, with the newest turns and traces beside them."""

    session_id: str
    current_version: int
    data: Sequence[Mapping[str, Json]]
    has_more: bool
    turns: Sequence[Mapping[str, Json]]
    traces: Sequence[Mapping[str, Json]] = ()


@dataclass(frozen=True, kw_only=True)
class Divergence(Answer):
    """The last version that two sessions share, and how far each has gone since."""

    session_id: str
    other_session_id: str | None
    common_session_id: str | None
    common_version: int | None
    versions_since: int | None
    other_versions_since: int | None
    reason: str | None


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
class Agent(Answer):
    """An agent as the server knows it."""

    id: str
    status: str
    external_id: str | None = None
    name: str | None = None
    metadata: Mapping[str, Json] | None = None


@dataclass(frozen=True, kw_only=True)
class Trace(Answer):
    """One act, as it was recorded."""

    id: str
    action: str
    event: str
    resource_type: str
    resource_id: str
    actor: str
    created_at: str
    details: Mapping[str, Json]
    session_id: str | None = None
    version: int | None = None


@dataclass(frozen=True, kw_only=True)
class MetricsSummary(Answer):
    """The rollback rate and all other figures of a time, and how they are spread."""

    figures: Mapping[str, Json]
    depth: Json
    seconds_to_rollback: Json


@dataclass(frozen=True, kw_only=True)
class MetricsList(Answer):
    """Figures over time, or of agents or other groups."""

    data: Sequence[Mapping[str, Json]]


@dataclass(frozen=True, kw_only=True)
class Found(Answer):
    """A session, or a version of one, and why a search found it."""

    session_id: str
    session: Mapping[str, Json]
    matches: Sequence[Mapping[str, Json]]
    version: int | None = None


@dataclass(frozen=True, kw_only=True)
class Page(Answer, Generic[Item]):
    """One page of a list. While `has_more`, ask on after `last_id` (or `next`)."""

    data: Sequence[Item]
    has_more: bool
    last_id: str | None = None
    next: str | None = None
    notices: Sequence[str] = ()
    current_version: int | None = None


def page_of(read: Callable[[Json], Item]) -> Callable[[Json], Page[Item]]:
    """Return what reads a page of such items."""

    def of(given: Json) -> Page[Item]:
        page: Page[Item] = Page.of(given)
        items = tuple(read(one) for one in page.data)
        named = {one.name: getattr(page, one.name) for one in fields(page)}
        return Page(**{**named, "data": items})

    return of


def anything(given: Json) -> Json:
    """Return the answer as it is."""
    return given


def described(given: Json) -> Mapping[str, Json]:
    """Return an answer whose fields are not ours to read.

    Raises: UnexpectedAnswer unless it is an object.
    """
    if not isinstance(given, dict):
        raise UnexpectedAnswer("The answer is not an object.")
    return given
