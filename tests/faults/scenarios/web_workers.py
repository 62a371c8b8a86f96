"""kill -9 of web workers while clients write; `up` has them replaced."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress

from tests.faults import family
from tests.faults.clients import MANY
from tests.faults.house import House
from tests.faults.journal import Violation
from tests.faults.plan import Plan, Result, concluded
from tests.faults.traffic import traffic

NAME = "web-workers"
WHAT = "kill -9 of web workers"
# Granian takes a worker that dies within 5.5 s of being replaced for one that never
# will work, and ends; what is asked here is that one that worked is replaced.
SETTLED_SECONDS = 6.5
BACK_SECONDS = 30


def run(plan: Plan) -> Result:
    began, random = time.monotonic(), plan.random(NAME)
    kills, appends = plan.number(24, 2), plan.number(20_000, 60)
    with plan.house() as at:
        seen: dict[int, float] = {}
        done, slowest = 0, 0.0
        with traffic(
            at, name=f"{NAME}-{plan.seed}", clients=12, weights=MANY
        ) as running:
            while done < kills or running.journal.versions < appends:
                running.wait_for(3)
                time.sleep(random.uniform(0.2, 2.0))
                running.require_healthy()
                plan.progress(f"{NAME}: {done} kills, {running.journal}")
                if done >= kills:  # the appends are not enough yet
                    continue
                if victims := _settled(at, seen):
                    # Sometimes all of them at once: then nobody answers for a while.
                    if random.random() < 0.8:
                        victims = [random.choice(victims)]
                    slowest = max(slowest, _kill(at, victims))
                    done += len(victims)
            running.wait_for(3)
        notes = (f"slowest return of a worker: {slowest:.1f} s",)
        faults = f"{done} workers killed"
        return concluded(
            plan, NAME, at, running.journal, faults=faults, began=began, notes=notes
        )


def _settled(at: House, seen: dict[int, float]) -> list[int]:
    """Return the workers that have been there for a while, if all are there."""
    now, workers = time.monotonic(), at.workers()
    for pid in workers:
        seen.setdefault(pid, now)
    return [pid for pid in sorted(workers) if now - seen[pid] > SETTLED_SECONDS]


def _kill(at: House, victims: list[int]) -> float:
    """Kill them and return the seconds until as many others are there."""
    before = at.workers()
    for pid in victims:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    began = time.monotonic()

    def are_back() -> bool:
        now = at.workers()
        return len(now) == len(before) and not now & set(victims)

    if not family.wait_for(are_back, BACK_SECONDS):
        raise Violation(f"killed workers did not come back:\n{at.said()[-2000:]}")
    return time.monotonic() - began
