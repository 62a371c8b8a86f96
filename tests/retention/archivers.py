"""Run as a process: sweepers that are killed at named places of archiving.

Django is loaded once; each sweeper is a fork with a connection of its own, and kills
itself where it was told to: nothing that a process does at its end is done.

`python -m tests.retention.archivers archive KILLS` prints how many were killed at each
place of archiving, `… empty KILLS` where what is emptied leaves archives. An archive is
of one group, so that there is work for all of them.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from itertools import cycle, islice
from typing import Any

import django

# What a sweeper comes by, in its order.
PLACES = {
    "archive": (
        *("before create", "after create", "after get", "after _replace"),
        "after take_step",
    ),
    "empty": ("after bring_back", "before delete", "after delete"),
}


def main(act: str, kills: int) -> None:
    django.setup()
    from apps.timeline.operations.keeping import archiving

    archiving.MOST_BYTES = 1
    killed = Counter[str]()
    for place in islice(cycle(PLACES[act]), kills):
        if not _is_killed(place):
            break  # it came to the end: nothing is left to do
        killed[place] += 1
    for place in PLACES[act]:
        sys.stdout.write(f"{killed[place]} {place}\n")


def _is_killed(place: str) -> bool:
    child = os.fork()
    if child == 0:
        with suppress(Exception):
            _die_at(place)
            _sweep()
            os._exit(0)
        os._exit(1)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status) and os.waitstatus_to_exitcode(status):
        sys.exit(f"A sweeper failed on its way to {place}.")
    return os.WIFSIGNALED(status)


def _die_at(place: str) -> None:
    from apps.core.objects import Objects
    from apps.retention.sweeping import running
    from apps.timeline.operations.keeping import archiving

    when, name = place.split(" ")
    owners: dict[str, Any] = {"take_step": running}
    owners |= dict.fromkeys(["_replace", "bring_back"], archiving)
    owner = owners.get(name, Objects)
    setattr(owner, name, _dying(getattr(owner, name), when))


def _dying(call: Callable[..., Any], when: str) -> Callable[..., Any]:
    def die(*given: Any, **named: Any) -> Any:
        if when == "after":
            call(*given, **named)
        os.kill(os.getpid(), signal.SIGKILL)

    return die


def _sweep() -> None:
    from django.utils import timezone

    from apps.retention.sweeping import sweep

    sweep(now=timezone.now())


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
