"""Run as a process: collections of blobs of which some are killed, and one to the end.

Django is loaded once; each collection is a fork with a connection and a store of its
own, so that fifty take some seconds. It condemns and takes two at a time, so that most
moments are in the middle of its work.

`python -m tests.blobs.collectors kill SEED KILLS` prints how many were killed while
something was condemned; `… end` collects once, and takes what uploads have left a day
later.
"""

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import django
import psycopg

CONDEMNED = "SELECT 1 FROM blobs_blob WHERE state = 'condemned'"
# From where a fork has its connection to some steps later.
SOONEST, LATEST = 0.03, 0.15
# Before each blob: else a fast machine is done before most of the kills.
PAUSE = 0.03


def main(act: str, *numbers: int) -> None:
    django.setup()
    from apps.blobs.operations import collecting

    if act == "kill":
        collecting.AT_ONCE, take = 2, collecting.take

        def slowly(blob: Any) -> int:
            time.sleep(PAUSE)
            return take(blob)

        collecting.take = slowly
        sys.stdout.write(f"{kill(*numbers)}\n")
    else:
        end()


def kill(seed: int, kills: int) -> int:
    """Kill so many at moments that are drawn; return how many were at work."""
    chance, at_work = random.Random(seed), 0
    for _ in range(kills):
        collector = _forked(_collect_for_ever)
        time.sleep(chance.uniform(SOONEST, LATEST))
        is_at_work = _is_something_condemned()
        os.kill(collector, signal.SIGKILL)
        _, status = os.waitpid(collector, 0)
        at_work += is_at_work and os.WIFSIGNALED(status)
    return at_work


def end() -> None:
    """Collect what may go now, then what no row names a day later."""
    from django.utils import timezone

    from apps.blobs import operations as blobs
    from apps.core.actors import SYSTEM

    blobs.collect(actor=SYSTEM, now=timezone.now())
    blobs.sweep_objects(actor=SYSTEM, now=timezone.now() + timedelta(hours=25))


def _forked(act: Callable[[], None]) -> int:
    child = os.fork()
    if child == 0:
        with suppress(Exception):
            act()
            os._exit(0)
        os._exit(1)
    return child


def _collect_for_ever() -> None:
    from django.utils import timezone

    from apps.blobs import operations as blobs
    from apps.core.actors import SYSTEM

    while True:
        blobs.collect(actor=SYSTEM, now=timezone.now())
        time.sleep(0.005)


def _is_something_condemned() -> bool:
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
        return connection.execute(CONDEMNED).fetchone() is not None


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
