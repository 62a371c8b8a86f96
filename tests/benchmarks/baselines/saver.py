"""LangGraph's PostgresSaver as it is used in a process; runs in the baselines' venv.

Imports nothing of ours. Commands come as lines of JSON on the standard input, each is
answered by a line: `{"rate": [seconds, states, threads]}` puts the states in turn,
each thread in a thread of its own, and answers the puts a second; `{"keep": file}` puts
the states of a file, one a line with its thread, and answers how many.
"""

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.postgres import PostgresSaver
from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool

THREADS = 8


class Thread:
    """One thread of LangGraph's; a channel gets a new version when its value changed,
    as in a run of a graph."""

    def __init__(self, saver: PostgresSaver, name: str) -> None:
        self.saver = saver
        self.config: Any = {"configurable": {"thread_id": name, "checkpoint_ns": ""}}
        self.versions: dict[str, str] = {}
        self.values: dict[str, Any] = {}
        self.step = 0

    def put(self, values: dict[str, Any]) -> None:
        self.step += 1
        version = self.saver.get_next_version(f"{self.step - 1:032}", None)
        changed = {
            name: version
            for name, value in values.items()
            if name not in self.values or self.values[name] != value
        }
        self.versions |= changed
        self.values = values
        checkpoint = empty_checkpoint() | {
            "channel_values": values,
            "channel_versions": dict(self.versions),
        }
        metadata: Any = {"source": "update", "step": self.step, "parents": {}}
        self.config = self.saver.put(self.config, checkpoint, metadata, changed)


def rate(
    saver: PostgresSaver,
    seconds: float,
    states: list[dict[str, Any]],
    threads: int = THREADS,
) -> float:
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


def keep(saver: PostgresSaver, file: str) -> int:
    threads: dict[str, Thread] = {}
    count = 0
    with open(file) as lines:
        for line in lines:
            told = json.loads(line)
            name = told["thread"]
            if name not in threads:
                # Runs come one after the other: what is over need not be held.
                threads = {name: Thread(saver, name)}
            values = threads[name].values | told["values"]
            if "append" in told:
                values["messages"] = [*values.get("messages", []), *told["append"]]
            threads[name].put(values)
            count += 1
    return count


def main() -> None:
    kwargs: Any = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    with ConnectionPool(sys.argv[1], max_size=THREADS, kwargs=kwargs) as pool:
        saver = PostgresSaver(pool)  # type: ignore[arg-type]
        saver.setup()
        for line in sys.stdin:
            asked = json.loads(line)
            found = (
                rate(saver, *asked["rate"])
                if "rate" in asked
                else keep(saver, asked["keep"])
            )
            sys.stdout.write(f"{json.dumps(found)}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
