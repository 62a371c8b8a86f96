"""Two processes go on from one checkpoint: one is stored, the other is told.

LangGraph's `PostgresSaver` tells both that theirs is stored, and a committed checkpoint
is not to be reached any more: the same race shows that. Here every one that was
acknowledged is reached.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver

from stepback.langgraph import StepbackSaver
from tests.live import Server
from tests.python_client import racer, theirs

ROOT = Path(__file__).parents[2]
NAMES = ("one", "two")
ROUNDS = 10
Worker = subprocess.Popen[str]


class Race:
    """Two workers, and a saver of the same kind that looks at what they left."""

    def __init__(self, workers: list[Worker], saver: BaseCheckpointSaver[Any]) -> None:
        self.workers = workers
        self.saver = saver

    def round(self, thread: str, name: str) -> list[str]:
        """Let both read before either saves; return what each was told."""
        for worker in self.workers:
            tell(worker, f"{thread} {name}")
        assert [hear(worker) for worker in self.workers] == ["read", "read"]
        for worker in self.workers:
            tell(worker, "save")
        return [hear(worker) for worker in self.workers]

    def chain(self, thread: str) -> list[str]:
        """Return the checkpoints that the head leads to, newest first."""
        config: Any = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
        found = []
        while config is not None:
            read = self.saver.get_tuple(config)
            assert read is not None
            found.append(read.config["configurable"]["checkpoint_id"])
            config = read.parent_config
        return found

    def winner(self, thread: str) -> str:
        """Return who saved the checkpoint that is the head."""
        read = self.saver.get_tuple({"configurable": {"thread_id": thread}})
        assert read is not None
        return str(read.checkpoint["channel_values"]["by"])


def tell(worker: Worker, line: str) -> None:
    assert worker.stdin is not None
    worker.stdin.write(line + "\n")
    worker.stdin.flush()


def hear(worker: Worker) -> str:
    assert worker.stdout is not None
    return worker.stdout.readline().strip()


@contextmanager
def racing(*asked: str) -> Iterator[Race]:
    """Start both workers; at the end neither may have failed."""
    path = f"{ROOT}{os.pathsep}{ROOT / 'clients' / 'python' / 'src'}"
    workers = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.python_client.racer", name, *asked],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": path},
        )
        for name in NAMES
    ]
    try:
        with racer.opened(*asked) as saver:
            yield Race(workers, saver)
    finally:
        for worker in workers:
            worker.communicate()
    assert [worker.returncode for worker in workers] == [0, 0]


@pytest.fixture(scope="module")
def ours(live: Server, secret: str) -> Iterator[Race]:
    with racing("stepback", live.url, secret) as race:
        assert isinstance(race.saver, StepbackSaver)
        yield race


@pytest.fixture(scope="module")
def others() -> Iterator[Race]:
    with theirs.postgres_database("race") as dsn, racing("postgres", dsn) as race:
        yield race


def test_every_acknowledged_checkpoint_is_reached_from_the_head(ours: Race) -> None:
    kept = []
    for number in range(ROUNDS):
        told = ours.round("race-followers", f"{number:04}-{{worker}}")
        stored = [one for one in told if one != "refused"]
        assert len(stored) == 1, told
        kept += stored

    assert ours.chain("race-followers") == kept[::-1]


def test_the_same_race_makes_langgraphs_own_saver_lose_one_each_round(
    others: Race,
) -> None:
    acknowledged = []
    for number in range(ROUNDS):
        acknowledged += others.round("race-followers", f"{number:04}-{{worker}}")

    reached = others.chain("race-followers")

    assert "refused" not in acknowledged
    assert len(acknowledged) == 2 * ROUNDS
    assert len(set(acknowledged) - set(reached)) == ROUNDS


def test_of_two_checkpoints_with_one_id_one_is_stored(ours: Race) -> None:
    told = ours.round("race-same", "0000-same")

    assert sorted(told) == ["0000-same", "refused"]
    assert ours.winner("race-same") == NAMES[told.index("0000-same")]


def test_of_two_with_one_id_langgraphs_own_saver_overwrites_one(others: Race) -> None:
    told = others.round("race-same", "0000-same")

    assert told == ["0000-same", "0000-same"]
    assert others.winner("race-same") in NAMES
    assert others.chain("race-same") == ["0000-same"]
