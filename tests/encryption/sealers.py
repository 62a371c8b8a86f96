"""Run as a process: kills what seals older data or wraps keys anew, again and again.

Django is loaded once; each is a fork with a connection of its own. It takes two rows a
step, so that most places are in the middle of its work.

`python -m tests.encryption.sealers seal SEED KILLS`, or `rotate`, prints how many were
killed while there was something left to do.
"""

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress

import django
import psycopg

LEFT = {
    "seal": "SELECT 1 FROM timeline_body WHERE codec BETWEEN 1 AND 3",
    "rotate": "SELECT 1 FROM accounts_datakey WHERE outer_id <> 'second'",
}
# From where a fork has its connection to some steps later.
SOONEST, LATEST = 0.02, 0.08


def main(act: str, seed: int, kills: int) -> None:
    django.setup()
    seal_by_twos()
    chance, at_work = random.Random(seed), 0
    for _ in range(kills):
        child = _forked({"seal": _seal, "rotate": _rotate}[act])
        time.sleep(chance.uniform(SOONEST, LATEST))
        is_at_work = _is_there(LEFT[act])
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        at_work += is_at_work and os.WIFSIGNALED(status)
    sys.stdout.write(f"{at_work}\n")


def seal_by_twos() -> None:
    """Have a step of sealing take two rows, where it takes hundreds."""
    from apps.timeline.operations.keeping import sealing

    for name in ("_BODIES", "_TURNS", "_VERSIONS"):
        text = getattr(sealing, name)
        setattr(sealing, name, type(text)(text.replace("LIMIT 500", "LIMIT 2")))


def _forked(act: Callable[[], None]) -> int:
    child = os.fork()
    if child == 0:
        with suppress(Exception):
            act()
            time.sleep(60)
        os._exit(1)
    return child


def _seal() -> None:
    from django.utils import timezone

    from apps.timeline.operations.keeping import seal_older

    seal_older(timezone.now(), lambda: False)


def _rotate() -> None:
    from django.utils import timezone

    from apps.accounts import operations as accounts
    from apps.core.actors import SYSTEM
    from apps.core.provenance import unrequested

    accounts.rotate_keys(act=unrequested(SYSTEM, timezone.now()))


def _is_there(query: str) -> bool:
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
        return connection.execute(query.encode()).fetchone() is not None


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
