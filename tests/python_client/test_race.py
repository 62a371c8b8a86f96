"""Two processes go on from one checkpoint: one is stored, the other is told.

With a saver that overwrites, both are told that they stored theirs, and a committed
checkpoint is not to be reached any more. Here every one that was acknowledged is.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stepback.langgraph import StepbackSaver
from tests.live import Server

ROOT = Path(__file__).parents[2]
ROUNDS = 10
Worker = subprocess.Popen[str]


@pytest.fixture
def race(live: Server, secret: str) -> Iterator[Any]:
    """`race(thread)` starts two workers on it."""
    started: list[Worker] = []

    def start(thread: str) -> list[Worker]:
        for name in ("one", "two"):
            command = [sys.executable, "-m", "tests.python_client.racer"]
            path = f"{ROOT}{os.pathsep}{ROOT / 'clients' / 'python' / 'src'}"
            started.append(
                subprocess.Popen(
                    [*command, live.url, secret, thread, name],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                    cwd=ROOT,
                    env={**os.environ, "PYTHONPATH": path},
                )
            )
        return started

    yield start
    for worker in started:
        worker.communicate()
        assert worker.returncode == 0


def tell(worker: Worker, line: str) -> None:
    assert worker.stdin is not None
    worker.stdin.write(line + "\n")
    worker.stdin.flush()


def hear(worker: Worker) -> str:
    assert worker.stdout is not None
    return worker.stdout.readline().strip()


def one_round(workers: list[Worker], name: str) -> list[str]:
    """Let both read before either saves; return what each was told."""
    for worker in workers:
        tell(worker, name)
    assert [hear(worker) for worker in workers] == ["read", "read"]
    for worker in workers:
        tell(worker, "save")
    return [hear(worker) for worker in workers]


def chain(saver: StepbackSaver, thread: str) -> list[str]:
    """Return the checkpoints that the head leads to, newest first."""
    config: Any = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
    found = []
    while config is not None:
        read = saver.get_tuple(config)
        assert read is not None
        found.append(read.config["configurable"]["checkpoint_id"])
        config = read.parent_config
    return found


def test_every_acknowledged_checkpoint_is_reached_from_the_head(
    race: Any, live: Server, secret: str
) -> None:
    workers = race("race-followers")
    kept = []
    for number in range(ROUNDS):
        told = one_round(workers, f"{number:04}-{{worker}}")
        stored = [one for one in told if one != "refused"]
        assert len(stored) == 1, told
        kept += stored

    with StepbackSaver(live.url, secret) as saver:
        assert chain(saver, "race-followers") == kept[::-1]


def test_of_two_checkpoints_with_one_id_one_is_stored(
    race: Any, live: Server, secret: str
) -> None:
    workers = race("race-same")

    told = one_round(workers, "0000-same")

    assert sorted(told) == ["0000-same", "refused"]
    with StepbackSaver(live.url, secret) as saver:
        config: Any = {"configurable": {"thread_id": "race-same"}}
        read = saver.get_tuple(config)
    assert read is not None
    winner = ("one", "two")[told.index("0000-same")]
    assert read.checkpoint["channel_values"] == {"by": winner}
