"""Versions: as they are, compared, explained and proved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from stepback.answers.base import Answer, Json


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
    # Of a promotion, a revert and the like: whose version was merged.
    source_session_id: str | None = None
    source_version: int | None = None
    # Of a migration: the schema that the state was of before.
    migrated_from: str | None = None
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
    # Its header stands without what it held; `state` is None then.
    contents_erased: bool = False
    state: dict[str, Json] | None = None


@dataclass(frozen=True, kw_only=True)
class Checkpoint(Answer):
    """Everything to resume from; parts that were never written are None.

    `next_task` is the first that is neither completed nor skipped, `facts_to_check`
    those past their age.
    """

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
    facts: Sequence[Json] | None = None
    next_task: Json = None
    open_approvals: Sequence[Mapping[str, Json]] = ()
    unknown_effects: Sequence[Mapping[str, Json]] = ()
    facts_to_check: Sequence[Mapping[str, Json]] = ()
    # Onto which other release, model or schema this goes: `of`, `was`, `now`.
    moves: Sequence[Mapping[str, Json]] = ()
    migrated_from: str | None = None
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
    schema_version: str | None = None
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
    """Who set a value, newest first. `value` is missing if it was removed.

    With `not_before`, what came before that version is gone: who set it is not known.
    """

    session_id: str
    version: int
    pointer: str
    data: Sequence[Mapping[str, Json]]
    has_more: bool
    next: str | None = None
    value: Json = None
    not_before: Mapping[str, Json] | None = None


@dataclass(frozen=True, kw_only=True)
class Bisection(Answer):
    """Which versions turned a check, and how far that is known.

    `data` are the flips. Only if it is `exact` there are no others: otherwise not all
    was looked into, or some of it is gone. A version of `first_bad` and its like has
    `session_id`, `version`, `outcome` and `holds`, which is None for undecided.
    """

    session_id: str
    check: str
    data: Sequence[Mapping[str, Json]]
    flip_count: int
    first_bad: Mapping[str, Json] | None
    last_good: Mapping[str, Json] | None
    exact: bool
    covered: Mapping[str, Json] | None
    first: Mapping[str, Json]
    last: Mapping[str, Json]
    looked_into: int
    candidates: int
    has_more: bool
    next: str | None = None
    removed: Sequence[Mapping[str, Json]] = ()
    set_aside: int = 0


@dataclass(frozen=True, kw_only=True)
class Verification(Answer):
    """Whether what is stored still proves itself.

    While `has_more`, go on with `after=last_version, after_turn=last_turn`.
    """

    session_id: str
    valid: bool
    versions_checked: int
    has_more: bool
    chain_start: str
    chain_end: str
    findings: int
    last_version: int | None = None
    turns: Mapping[str, Json] | None = None
    first_invalid: Mapping[str, Json] | None = None
    signatures: Mapping[str, Json] | None = None

    @property
    def last_turn(self) -> int | None:
        """The last turn that was verified; 0 before the first."""
        last = (self.turns or {}).get("last_turn")
        return last if isinstance(last, int) else None


@dataclass(frozen=True, kw_only=True)
class History(Answer):
    """The newest versions, with the newest turns and traces beside them."""

    session_id: str
    current_version: int
    data: Sequence[Mapping[str, Json]]
    has_more: bool
    turns: Sequence[Mapping[str, Json]]
    traces: Sequence[Mapping[str, Json]] = ()
    removed: Sequence[Mapping[str, Json]] = ()


@dataclass(frozen=True, kw_only=True)
class Checked(Answer):
    """Whether a check holds for a version's state; `holds` is None if undecided."""

    session_id: str
    version: int
    check: str
    pointers: Sequence[str]
    outcome: str
    holds: bool | None
    looks: int


@dataclass(frozen=True, kw_only=True)
class FirstDifference(Answer):
    """The first step in which two sessions differ: in action, arguments or state."""

    kind: str
    pointer: str | None
    step: Mapping[str, Json] | None
    other_step: Mapping[str, Json] | None


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
    # In action, in arguments, in state: which step of either differs first.
    first_differences: Sequence[FirstDifference] = ()
    steps_read: Mapping[str, Json] | None = None
    other_steps_read: Mapping[str, Json] | None = None

    @classmethod
    def of(cls, given: Json) -> Divergence:
        """Read it with its first differences."""
        found = super().of(given)
        told = [
            FirstDifference.of(one) for one in found.raw.get("first_differences", ())
        ]
        return replace(found, first_differences=told)

    @property
    def read_all(self) -> bool:
        """Whether no step was left out: else others may differ as well."""
        read = (self.steps_read, self.other_steps_read)
        return all(one is not None and one["is_all"] for one in read)
