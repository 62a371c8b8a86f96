"""Run as a process: sweepers of which some are killed, and two at once.

Django is loaded once; each sweeper is a fork with a connection of its own, so that
fifty take some seconds. It takes two versions a step, so that most places are in the
middle of its work.

`python -m tests.retention.sweepers kill SEED KILLS` prints how many were killed while
a removal was running; `… both` has two at once sweep to the end; `… count` counts
previews by the same steps, which say how many bytes there are.
"""

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import LiteralString

import django
import psycopg

RUNNING = "SELECT 1 FROM retention_removal WHERE state = 'running'"
UNSWEPT = "SELECT 1 FROM retention_policy WHERE is_enabled AND swept_at IS NULL"
# From where a fork has its connection to some steps later.
SOONEST, LATEST = 0.03, 0.15


def main(act: str, *numbers: int) -> None:
    django.setup()
    from apps.retention.sweeping import planning

    planning.AT_ONCE = 2
    if act == "kill":
        sys.stdout.write(f"{kill(*numbers)}\n")
    elif act == "both":
        both()
    else:
        from apps.retention.sweeping import count_previews, previewing

        # On a machine that is busy with other tests, a session takes longer than a
        # preview has for it.
        previewing.LONGEST_OF_ONE_SECONDS = previewing.LONGEST_SECONDS
        count_previews()


def kill(seed: int, kills: int) -> int:
    """Kill so many sweepers at moments that are drawn; return how many were at work."""
    chance, at_work = random.Random(seed), 0
    for _ in range(kills):
        sweeper = _forked(_sweep_for_ever)
        time.sleep(chance.uniform(SOONEST, LATEST))
        is_at_work = _is_there(RUNNING)
        os.kill(sweeper, signal.SIGKILL)
        _, status = os.waitpid(sweeper, 0)
        at_work += is_at_work and os.WIFSIGNALED(status)
    return at_work


def both() -> None:
    """Have two sweep at once, each until nothing is left."""
    sweepers = [_forked(_sweep) for _ in range(2)]
    statuses = [os.waitpid(one, 0)[1] for one in sweepers]
    if any(statuses):
        sys.exit(1)


def _forked(act: Callable[[], None]) -> int:
    child = os.fork()
    if child == 0:
        with suppress(Exception):
            act()
            os._exit(0)
        os._exit(1)
    return child


def _sweep_for_ever() -> None:
    while True:
        _sweep_once()
        time.sleep(0.005)


def _sweep() -> None:
    """Sweep until every policy was gone through: the other may have one in hand."""
    while _is_there(UNSWEPT):
        _sweep_once()


def _sweep_once() -> None:
    from django.utils import timezone

    from apps.retention.sweeping import sweep

    sweep(now=timezone.now())


def _is_there(query: LiteralString) -> bool:
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
        return connection.execute(query).fetchone() is not None


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
