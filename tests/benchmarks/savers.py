"""`StepbackSaver` over HTTP, put as PostgresSaver is put in its process.

The same states, threads and seconds; what differs is who keeps them.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from langgraph.checkpoint.base import empty_checkpoint

from stepback.langgraph import StepbackSaver


class Thread:
    """One thread of LangGraph's, as a run of a graph would go on."""

    def __init__(self, saver: StepbackSaver, name: str) -> None:
        self.saver = saver
        self.config: Any = {"configurable": {"thread_id": name, "checkpoint_ns": ""}}
        self.step = 0

    def put(self, values: dict[str, Any]) -> None:
        self.step += 1
        checkpoint: Any = empty_checkpoint() | {
            "channel_values": values,
            "channel_versions": dict.fromkeys(values, self.step),
        }
        metadata: Any = {"source": "update", "step": self.step, "parents": {}}
        self.config = self.saver.put(self.config, checkpoint, metadata, {})


def rate(
    saver: StepbackSaver, threads: int, seconds: float, states: list[dict[str, Any]]
) -> float:
    """Return the puts a second of so many threads."""
    mark = time.time_ns()

    def work(at: int) -> int:
        thread, count = Thread(saver, f"rate-{mark}-{at}"), 0
        while time.perf_counter() < until:
            thread.put(states[count % len(states)] | {"step": count})
            count += 1
        return count

    begin = time.perf_counter()
    until = begin + seconds
    with ThreadPoolExecutor(threads) as pool:
        total = sum(pool.map(work, range(threads)))
    return total / (time.perf_counter() - begin)


def keep(saver: StepbackSaver, messages: list[dict[str, Any]]) -> int:
    """Put a chat that grows by a message a step; return how many steps it has."""
    thread = Thread(saver, "chat")
    for step in range(1, len(messages) + 1):
        thread.put({"step": step, "messages": messages[:step]})
    return len(messages)
