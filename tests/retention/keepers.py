"""Run as a process: one that removes, seals, collects, forgets or repairs, for ever.

It does what the product's processes do, in the smallest steps and with pauses before
them, so that most moments are in the middle of it. A database that is away stops
nobody: whoever finds it gone leaves its connection and tries again.

Each says that it is ready and begins when it is told a line; it says a word before
each step, so that who watches knows that something is done.

`python -m tests.retention.keepers sweep`, or `erase`, `seal`, `collect`, `rotate`,
`repair`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import django

from tests.encryption.sealers import seal_by_twos

PAUSE = 0.02
Keep = Callable[[datetime], Any]


def main(act: str) -> None:
    django.setup()
    from django.db import Error, connection
    from django.utils import timezone

    keep = {
        "sweep": sweeping,
        "erase": erasing,
        "seal": sealing,
        "collect": collecting,
        "rotate": rotating,
        "repair": repairing,
    }[act]()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    while True:
        try:
            keep(timezone.now())
        except Error:
            connection.close()
        time.sleep(PAUSE)


def sweeping() -> Keep:
    from apps.retention.sweeping import planning, running
    from apps.timeline.operations.keeping import archiving

    planning.AT_ONCE = 2
    archiving.MOST_BYTES = 1
    slow(running, "take_step")
    return lambda now: running.sweep(now=now)


def erasing() -> Keep:
    from apps.erasures.running import sweep, sweeping

    slow(sweeping, "_take")
    return lambda now: sweep(now=now)


def sealing() -> Keep:
    from apps.timeline.operations.keeping import sealing

    seal_by_twos()
    sealing.AGAIN_AFTER = timedelta(0)
    slow(sealing, "seal_session")
    return lambda now: sealing.seal_older(now, lambda: False)


def collecting() -> Keep:
    from apps.blobs.operations import collecting
    from apps.core.actors import SYSTEM

    collecting.AT_ONCE = 2
    slow(collecting, "take")
    return lambda now: collecting.collect(actor=SYSTEM, now=now)


def rotating() -> Keep:
    from apps.accounts import encryption
    from apps.accounts import operations as accounts
    from apps.core.actors import SYSTEM
    from apps.core.provenance import unrequested

    slow(encryption, "rewrap")
    return lambda now: accounts.rotate_keys(act=unrequested(SYSTEM, now))


def repairing() -> Keep:
    from apps.plans import running

    slow(running, "run_item")
    return lambda now: running.sweep(now=now)


def slow(owner: Any, name: str) -> None:
    """Have a function of a module say a word and wait before it begins."""
    call = getattr(owner, name)

    def late(*given: Any, **named: Any) -> Any:
        sys.stdout.write("step\n")
        sys.stdout.flush()
        time.sleep(PAUSE)
        return call(*given, **named)

    setattr(owner, name, late)


if __name__ == "__main__":
    main(sys.argv[1])
