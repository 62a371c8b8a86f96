"""A worker of a race: reads the newest checkpoint, waits, saves what follows it.

Run as a process of its own: address, key, thread and its own name are its arguments.
For each line on its input it does one round and prints what became of its checkpoint.
"""

from __future__ import annotations

import sys
from typing import Any

from langgraph.checkpoint.base import empty_checkpoint

from stepback import Conflict
from stepback.errors import ExternalIdTaken
from stepback.langgraph import StepbackSaver


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    url, key, thread, worker = sys.argv[1:]
    config: Any = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
    with StepbackSaver(url, key) as saver:
        for line in sys.stdin:
            name = line.strip()
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
