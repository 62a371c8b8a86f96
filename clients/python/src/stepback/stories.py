"""What can be told of a version beside its state, as typed keyword arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

Json = Any


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
    opaque: Mapping[str, Mapping[str, str]] | None


class Written(Checkpointed, total=False):
    """What every write of a state takes.

    `expected_version` is the head it builds on: if that has moved, the write raises
    `Conflict` and stores nothing. `idempotency_key` is made unless one is given; give
    the same to repeat a write whose outcome is unknown.
    """

    external_id: str | None
    expected_version: int | None
    idempotency_key: str | None


class Repeatable(TypedDict, total=False):
    """A write that is done once under its key; one is made unless it is given."""

    idempotency_key: str | None


class Item(Checkpointed, total=False):
    """One version of a batch: keys to merge, or with `op` replace the whole state."""

    op: str
    reasoning: str | None
    state: Mapping[str, Json]
    remove: Sequence[str]
    external_id: str | None
