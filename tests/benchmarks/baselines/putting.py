"""Checkpoints put by a saver of LangGraph's, whoever keeps them.

`PostgresSaver` does so in its process, in the baselines' venv, ours over HTTP: the
same states, threads and seconds. Imports nothing of ours.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver, empty_checkpoint

Saver = BaseCheckpointSaver[Any]


class Thread:
    """One thread of LangGraph's; a channel gets a new version when its value changed,
    as in a run of a graph."""

    def __init__(self, saver: Saver, name: str) -> None:
        self.saver = saver
        self.config: Any = {"configurable": {"thread_id": name, "checkpoint_ns": ""}}
        self.version: Any = None
        self.versions: dict[str, Any] = {}
        self.values: dict[str, Any] = {}
        self.step = 0

    def put(self, values: dict[str, Any]) -> None:
        self.step += 1
        self.version = self.saver.get_next_version(self.version, None)
        changed = {
            name: self.version
            for name, value in values.items()
            if name not in self.values or self.values[name] != value
        }
        self.versions |= changed
        self.values = values
        checkpoint: Any = empty_checkpoint() | {
            "channel_values": values,
            "channel_versions": dict(self.versions),
        }
        metadata: Any = {"source": "update", "step": self.step, "parents": {}}
        self.config = self.saver.put(self.config, checkpoint, metadata, changed)


def rate(
    saver: Saver, seconds: float, states: list[dict[str, Any]], threads: int
) -> float:
    """Return the puts a second, each thread of LangGraph's in a thread of its own."""
    mark = time.time_ns()

    def work(at: int) -> int:
        thread, count = Thread(saver, f"rate-{mark}-{at}"), 0
        while time.perf_counter() < until:
            # No two in a row are equal in what a step changes.
            thread.put(states[count % len(states)] | {"step": count})
            count += 1
        return count

    begin = time.perf_counter()
    until = begin + seconds
    with ThreadPoolExecutor(threads) as pool:
        total = sum(pool.map(work, range(threads)))
    return total / (time.perf_counter() - begin)


def keep(saver: Saver, steps: Iterable[dict[str, Any]]) -> int:
    """Put step after step, and return how many.

    A step names its `thread`, the `values` that it sets and the messages to `append`.
    """
    threads: dict[str, Thread] = {}
    count = 0
    for step in steps:
        name = step["thread"]
        if name not in threads:
            # Runs come one after the other: what is over need not be held.
            threads = {name: Thread(saver, name)}
        values = threads[name].values | step["values"]
        if "append" in step:
            values["messages"] = [*values.get("messages", []), *step["append"]]
        threads[name].put(values)
        count += 1
    return count
