"""kill -9 of the worker, which projects and tends agents' data, while clients write."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress

from tests.faults import family
from tests.faults.checking import wait_until_drained
from tests.faults.clients import MANY
from tests.faults.house import House
from tests.faults.journal import Violation
from tests.faults.plan import Plan, Result, concluded
from tests.faults.tending import Tended
from tests.faults.traffic import traffic

NAME = "projector"
WHAT = "kill -9 of the worker, in the middle of projecting and of tending data"
BACK_SECONDS = 60


def run(plan: Plan) -> Result:
    began, random = time.monotonic(), plan.random(NAME)
    kills, done, slowest = plan.number(30, 2), 0, 0.0
    with plan.house(STEPBACK_SWEEP_SECONDS="1") as at:
        keys = plan.number(20_000, 5_500)
        tended = Tended(at, f"tended-{plan.seed}", keys)
        with traffic(
            at, name=f"{NAME}-{plan.seed}", clients=12, weights=MANY
        ) as running:
            while done < kills:
                running.wait_for(10)
                tended.give_work()
                # Sometimes while it starts, else anywhere in what it does.
                if random.random() < 0.7:
                    tended.wait_until_it_is_at_work()
                time.sleep(random.uniform(0.0, 0.5))
                running.require_healthy()
                plan.progress(f"{NAME}: {done} kills, {running.journal}")
                slowest = max(slowest, _kill(at))
                done += 1
            running.wait_for(10)
        drained, done_after = wait_until_drained(at.dsn), tended.require_done()
        notes = (
            f"slowest return of the worker: {slowest:.1f} s; all was projected and "
            f"fed {drained:.1f} s after the last write",
            f"{tended.told}; all done {done_after:.1f} s after that",
        )
        return concluded(
            plan,
            NAME,
            at,
            running.journal,
            faults=f"{done} workers killed",
            began=began,
            notes=notes,
        )


def _worker(at: House) -> set[int]:
    found = family.called("manage.py\0worker", at.server.process.pid)
    return set(found)


def _kill(at: House) -> float:
    """Kill the worker; return the seconds until another is there."""
    if not family.wait_for(lambda: _worker(at), BACK_SECONDS):
        raise Violation(f"there is no worker:\n{at.said()[-2000:]}")
    victims, began = _worker(at), time.monotonic()
    for pid in victims:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    if not family.wait_for(lambda: _worker(at) - victims, BACK_SECONDS):
        raise Violation(f"the worker did not come back:\n{at.said()[-2000:]}")
    return time.monotonic() - began
