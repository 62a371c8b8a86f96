"""Turns LangGraph's objects into what a thread keeps, and back."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
    get_serializable_checkpoint_metadata,
)
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.types import Interrupt

from stepback.answers import Rollback
from stepback.langgraph.kept import Read, Saved
from stepback.langgraph.known import Thread
from stepback.langgraph.migrated import migrate
from stepback.langgraph.packing import Packed, pack, shown_as, unpack
from stepback.langgraph.readable import INNER, readable_state, text

__all__ = ["Read", "Saved"]

Hide = TypeVar("Hide", bound=Callable[..., Any])
# Configuration keys that begin so stay out of LangGraph's metadata.
SEEN = "__stepback_head"
# The channel of what a task asks people.
ASKS = "__interrupt__"
LONGEST_WORD = 255
HIDDEN_VIEW = {"$opaque": "The checkpoint is kept beside this state, unread."}


def thread_in(config: RunnableConfig) -> Thread:
    """Return the thread and namespace that a config names."""
    told = config["configurable"]
    return str(told["thread_id"]), str(told.get("checkpoint_ns") or "")


def config_of(
    thread: Thread, checkpoint_id: str | None = None, head: int | None = None
) -> RunnableConfig:
    """Return the config of a checkpoint; `head` is what a run sees that reads it."""
    told: dict[str, Any] = {"thread_id": thread[0], "checkpoint_ns": thread[1]}
    if checkpoint_id is not None:
        told["checkpoint_id"] = checkpoint_id
    if head is not None:
        told[SEEN] = head
    return {"configurable": told}


def saved_of(
    serde: SerializerProtocol,
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    *,
    readable: bool,
) -> Saved:
    """Return a checkpoint as it is to be kept."""
    told = cast(dict[str, Any], get_serializable_checkpoint_metadata(config, metadata))
    values = checkpoint["channel_values"]
    rest = {name: one for name, one in checkpoint.items() if name != "channel_values"}
    packed = Packed(
        id=checkpoint["id"],
        checkpoint=serde.dumps_typed(rest),
        metadata=serde.dumps_typed(told),
        channels={name: serde.dumps_typed(one) for name, one in values.items()},
    )
    step, parent_id = told.get("step"), get_checkpoint_id(config)
    return Saved(
        checkpoint_id=checkpoint["id"],
        parent_id=parent_id,
        state=readable_state(values) if readable else HIDDEN_VIEW,
        opaque=pack(packed),
        seen=config["configurable"].get(SEEN),
        begins=parent_id is None and told.get("source") == "input" and step == -1,
        step_number=step if isinstance(step, int) and step >= 0 else None,
        trace_id=_word(told.get("run_id")),
        reasoning=_reasoning(told, checkpoint),
    )


def merged_of(
    serde: SerializerProtocol,
    packed: Packed,
    taken: Sequence[str],
    *,
    readable: bool,
) -> Saved:
    """Return a checkpoint that was merged as it is to be kept; `taken` are told."""
    channels = packed.channels
    values = {name: serde.loads_typed(typed) for name, typed in channels.items()}
    step = serde.loads_typed(packed.metadata).get("step")
    return Saved(
        checkpoint_id=packed.id,
        parent_id=None,
        state=readable_state(values) if readable else HIDDEN_VIEW,
        opaque=pack(packed),
        step_number=step if isinstance(step, int) and step >= 0 else None,
        reasoning=text(f"promote: {', '.join(taken)}")[:1_000],
    )


def tuple_of(serde: SerializerProtocol, read: Read) -> CheckpointTuple:
    """Return a checkpoint as LangGraph knows it."""
    item = read.item
    packed = shown_as(unpack(item.opaque), item.checkpoint_id)
    checkpoint = serde.loads_typed(packed.checkpoint)
    checkpoint["id"] = packed.id
    checkpoint["channel_values"] = {
        name: serde.loads_typed(typed) for name, typed in packed.channels.items()
    }
    if read.migrated is not None:
        migrate(checkpoint, read.migrated)
    metadata = serde.loads_typed(packed.metadata)
    if packed.restored is not None and item.op == "rollback":
        metadata |= {"source": "rollback", "rolled_back_from": packed.restored}
    if packed.restored is not None and item.op == "fork":
        metadata |= {"source": "fork", "forked_from": packed.restored}
    return CheckpointTuple(
        config_of(read.thread, item.checkpoint_id, read.head),
        cast(Checkpoint, checkpoint),
        cast(CheckpointMetadata, metadata),
        config_of(read.thread, read.parent_id) if read.parent_id else None,
        [(one["task_id"], one["channel"], _loaded(serde, one)) for one in item.writes],
    )


def written(
    serde: SerializerProtocol,
    config: RunnableConfig,
    writes: Sequence[tuple[str, Any]],
    task_id: str,
    task_path: str,
) -> dict[str, Any]:
    """Return what a task wrote, as it is kept beside its checkpoint."""
    return {
        "checkpoint_id": config["configurable"]["checkpoint_id"],
        "task_id": task_id,
        "task_path": task_path,
        "writes": writes_of(serde, writes),
        "replace": all(channel in WRITES_IDX_MAP for channel, _ in writes),
    }


def writes_of(
    serde: SerializerProtocol, writes: Sequence[tuple[str, Any]]
) -> list[dict[str, Any]]:
    """Return what a task wrote, each under its index."""
    found = {}
    for position, (channel, value) in enumerate(writes):
        kind, data = serde.dumps_typed(value)
        index = WRITES_IDX_MAP.get(channel, position)
        found[index] = {
            "index": index,
            "channel": channel,
            "type": kind,
            "base64": base64.b64encode(data).decode(),
        }
    return list(found.values())


def asked(
    config: RunnableConfig, writes: Sequence[tuple[str, Any]]
) -> tuple[Thread, str, list[Interrupt[Any]]]:
    """Return what a task asks people, of what it wrote, and on which checkpoint."""
    found: list[Interrupt[Any]] = []
    for channel, value in writes:
        if channel == ASKS:
            found += value if isinstance(value, list | tuple) else [value]
    return thread_in(config), str(config["configurable"]["checkpoint_id"]), found


def pruning(strategy: str, keep_latest: Hide, delete: Hide) -> Hide:
    """Return how to prune one thread.

    Raises: ValueError for a strategy that there is not.
    """
    known = {"keep_latest": keep_latest, "delete": delete, "delete_all": delete}
    if strategy not in known:
        raise ValueError(f"There is no strategy {strategy!r}.")
    return known[strategy]


def threads_of(thread_ids: str | Iterable[Any]) -> list[str]:
    """Return ids of threads as the texts they are kept under; a text alone is one."""
    some = [thread_ids] if isinstance(thread_ids, str) else thread_ids
    return [str(one) for one in some]


def runs_of(run_ids: str | Iterable[Any]) -> list[str]:
    """Return ids of runs as the texts they are kept under; a text alone is one.

    Raises: ValueError for an empty one, which no run has.
    """
    found = threads_of(run_ids)
    if not all(found):
        raise ValueError("A run has an id: an empty one names none.")
    return found


def rolled_back(
    thread_id: str, checkpoint_id: str, name: str, done: Rollback
) -> dict[str, Any]:
    """Return what a rollback tells: the new head, and what it restored."""
    return {
        "thread_id": thread_id,
        "checkpoint_id": name,
        "restored_from": checkpoint_id,
        "rolled_back_from": checkpoint_id,
        "verified": done.verified,
    }


class Wanted:
    """What a list asks for, and how much of it was found."""

    def __init__(
        self,
        config: RunnableConfig | None,
        filter: Mapping[str, Any] | None,
        before: RunnableConfig | None,
        limit: int | None,
    ) -> None:
        self._told = dict(config["configurable"]) if config else {}
        self._filter = dict(filter or {})
        self._before = get_checkpoint_id(before) if before else None
        self._left = limit

    @property
    def threads(self) -> tuple[str | None, str | None]:
        """Return the thread and the namespace; None asks for all."""
        thread_id, namespace = self._told.get("thread_id"), None
        if thread_id is not None and self._told.get("checkpoint_ns") is not None:
            namespace = str(self._told["checkpoint_ns"])
        return None if thread_id is None else str(thread_id), namespace

    @property
    def asked(self) -> dict[str, Any]:
        """Return what to ask each thread for; what a filter drops is not counted."""
        page = None if self._filter else self._left
        return {
            "named": self._told.get("checkpoint_id"),
            "before": self._before,
            "limit": page,
        }

    @property
    def is_full(self) -> bool:
        return self._left is not None and self._left <= 0

    def takes(self, found: CheckpointTuple) -> bool:
        """Say whether it meets the filter; if so, it counts."""
        metadata = cast(dict[str, Any], found.metadata)
        if any(metadata.get(name) != one for name, one in self._filter.items()):
            return False
        if self._left is not None:
            self._left -= 1
        return True


def _reasoning(metadata: Mapping[str, Any], checkpoint: Checkpoint) -> str:
    """Return what the step did, in words: its source and the channels it touched."""
    touched = [
        name
        for name in checkpoint.get("updated_channels") or []
        if not name.startswith(INNER)
    ]
    what = f": {', '.join(touched)}" if touched else ""
    return text(f"{metadata.get('source')}, step {metadata.get('step')}{what}")[:1_000]


def _loaded(serde: SerializerProtocol, write: Mapping[str, Any]) -> Any:
    return serde.loads_typed((write["type"], base64.b64decode(write["base64"])))


def _word(value: Any) -> str | None:
    """Return a run's id as a trace id, if it can be one."""
    if value is None or not 0 < len(str(value)) <= LONGEST_WORD:
        return None
    return text(str(value)).replace("\x00", "")
