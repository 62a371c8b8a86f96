"""Histories to remove, and removals of them: a process with the login of one role.

`python -m tests.benchmarks.removals load SESSIONS VERSIONS …` loads so many sessions
with so many versions each, by the owner. By the retention role, `pairs ROUNDS` prunes
steps of the longest session and of short ones in turn, and prints milliseconds a
version as JSON; `down KEPT` prunes all but the newest so many of each session; `on`
prunes until it is ended.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta

import django

from apps.core.roles.names import Role
from tests import databases
from tests.benchmarks.pairs import Samples, milliseconds
from tests.live import ROOT, process_environment

SECONDS = 3_600
# As many as the product takes in one transaction.
STEP = 500
LONGEST = "SELECT id, head_number FROM timeline_session ORDER BY head_number DESC, id"


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "tests.benchmarks.removals", *map(str, arguments)]


def load(dsn: str, *sizes: tuple[int, int]) -> None:
    """Load sessions of these sizes: how many, and of how many versions each."""
    flat = [number for size in sizes for number in size]
    subprocess.run(
        command("load", *flat),
        cwd=ROOT,
        env=os.environ | databases.alone(dsn),
        check=True,
        timeout=SECONDS,
    )


def removed(dsn: str, *arguments: object) -> str:
    """Remove by the retention role; return what the process printed."""
    done = subprocess.run(
        command(*arguments),
        cwd=ROOT,
        env=process_environment(Role.RETENTION, dsn) | {"STEPBACK_LOG_LEVEL": "ERROR"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=SECONDS,
    )
    return done.stdout


def pairs(dsn: str, rounds: int) -> Samples:
    return Samples(json.loads(removed(dsn, "pairs", rounds).splitlines()[-1]))


def _load(*flat: int) -> None:
    from django.utils import timezone

    from apps.accounts.models import Project
    from apps.core.actors import Actor, ActorKind
    from tests.benchmarks import copying, loader

    project = Project.objects.get(slug="bench")
    loading = loader.Loader(project, now=timezone.now() - timedelta(days=400))
    # What agents wrote: their events go with it.
    loading.actor = Actor(kind=ActorKind.KEY, id="key_bench", label="bench")
    with copying.in_bulk():
        for count, versions in zip(flat[::2], flat[1::2], strict=True):
            states = loader.small_states(count)
            for session_id in loading.sessions(states, count):
                loading.versions(session_id, loader.steps(versions - 1))


def _pairs(rounds: int) -> None:
    """Prune as many versions of each in a round: a step of the long one a short one."""
    (long, _), *short = _sessions()
    first = 0
    found: dict[str, list[float]] = {"long": [], "short": []}
    for turn in range(rounds + 1):
        short_id, _ = short[turn]
        lanes = {"long": (long, first), "short": (short_id, 0)}
        for name in random.Random(turn).sample(list(lanes), 2):
            session_id, begin = lanes[name]
            took = milliseconds(lambda at=session_id, n=begin: _step(at, n)) / STEP
            if turn:
                found[name].append(took)
        first += STEP
    sys.stdout.write(f"{json.dumps(found)}\n")


def _down(kept: int) -> None:
    for session_id, head in _sessions():
        for first in range(0, head + 1 - kept, STEP):
            _step(session_id, first, min(first + STEP, head + 1 - kept))


def _on() -> None:
    for session_id, first in _steps():
        _step(session_id, first)


def _steps() -> Iterator[tuple[str, int]]:
    for session_id, head in _sessions():
        for first in range(0, head - STEP, STEP):
            yield session_id, first


def _sessions() -> list[tuple[str, int]]:
    from apps.core import sql

    return [(row.id, row.head_number) for row in sql.rows(LONGEST, {})]


def _step(session_id: str, first: int, end: int | None = None) -> None:
    """Prune from `first` to before `end`, and require that all of it went."""
    from apps.timeline.operations import keeping

    end = first + STEP if end is None else end
    gone = keeping.prune_versions(
        session_id=session_id,
        first=first,
        last=end - 1,
        removal_id="rem_bench",
        reason="policy",
    )
    if gone.versions != end - first:
        raise RuntimeError(f"{gone} went of {end - first} versions from {first} on.")


if __name__ == "__main__":
    django.setup()
    acts = {"load": _load, "pairs": _pairs, "down": _down}
    if sys.argv[1] == "on":
        _on()
    else:
        acts[sys.argv[1]](*map(int, sys.argv[2:]))
