"""A checkpoint on its way into a thread, and one that was read from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stepback.answers import NamedCheckpoint
from stepback.calls import given
from stepback.langgraph.known import Thread

MOST_AT_ONCE = 50
BYTES_AT_ONCE = 4 * 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class Saved:
    """A checkpoint that is to become a version."""

    checkpoint_id: str
    parent_id: str | None
    state: Mapping[str, Any]
    opaque: Mapping[str, Mapping[str, str]]
    # The head that was there when the run behind it read its checkpoint.
    seen: int | None = None
    begins: bool = False
    step_number: int | None = None
    trace_id: str | None = None
    reasoning: str | None = None
    schema_version: str | None = None

    def body(self) -> dict[str, Any]:
        """Return it as a version that replaces the state."""
        return given(
            state=self.state,
            opaque=self.opaque,
            external_id=self.checkpoint_id,
            parent_id=self.parent_id,
            step_number=self.step_number,
            trace_id=self.trace_id,
            reasoning=self.reasoning,
            schema_version=self.schema_version,
        )


@dataclass(frozen=True, kw_only=True)
class Schema:
    """Which schema threads are read and written under.

    `before` is what checkpoints are taken to be of that name none.
    """

    version: str
    before: str | None = None


@dataclass(frozen=True, kw_only=True)
class Read:
    """A checkpoint as it was read, and the head at that moment."""

    thread: Thread
    item: NamedCheckpoint
    head: int
    parent_id: str | None
    # Its readable state as the schema has it that was asked for, where that is another.
    migrated: Mapping[str, Any] | None = None


def batches(items: Sequence[Saved]) -> Iterator[list[Saved]]:
    """Cut the items into requests of at most 50 and a few megabytes."""
    batch: list[Saved] = []
    size = 0
    for item in items:
        weight = sum(len(part["base64"]) for part in item.opaque.values())
        if batch and (len(batch) == MOST_AT_ONCE or size + weight > BYTES_AT_ONCE):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += weight
    yield batch
