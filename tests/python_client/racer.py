"""A worker of a race: reads the newest checkpoint, waits, saves what follows it.

Run as a process of its own, with its own name and whose saver it takes: `stepback` with
address and key, or LangGraph's `postgres` with its database. Each line on its input
names a thread and a checkpoint; it does one round there and prints what became of it.
"""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver, empty_checkpoint
from langgraph.checkpoint.postgres import PostgresSaver

from stepback import Conflict
from stepback.errors import ExternalIdTaken
from stepback.langgraph import StepbackSaver


def opened(kind: str, *where: str) -> AbstractContextManager[BaseCheckpointSaver[Any]]:
    if kind == "postgres":
        return PostgresSaver.from_conn_string(*where)
    return StepbackSaver(*where)


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    worker, *asked = sys.argv[1:]
    with opened(*asked) as saver:
        for line in sys.stdin:
            thread, name = line.split()
            config: Any = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
            read = saver.get_tuple(config)
            say("read")
            sys.stdin.readline()
            checkpoint = empty_checkpoint()
            checkpoint["id"] = name.format(worker=worker)
            checkpoint["channel_values"] = {"by": worker}
            on = config if read is None else read.config
            step = -1 if read is None else int(read.metadata["step"]) + 1
            try:
                saver.put(on, checkpoint, {"source": "input", "step": step}, {})
            except (Conflict, ExternalIdTaken):
                say("refused")
            else:
                say(checkpoint["id"])


if __name__ == "__main__":
    main()
