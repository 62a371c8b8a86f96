"""kill -9 of PostgreSQL, the postmaster and all its children; `up` starts it again."""

from __future__ import annotations

import time

from tests.faults import family
from tests.faults.clients import MANY
from tests.faults.house import House
from tests.faults.journal import Violation
from tests.faults.plan import Plan, Result, concluded
from tests.faults.traffic import traffic

NAME = "postgres"
WHAT = "kill -9 of PostgreSQL"
BACK_SECONDS = 90


def run(plan: Plan) -> Result:
    began, random = time.monotonic(), plan.random(NAME)
    rounds, appends = plan.number(10, 1), plan.number(20_000, 60)
    with plan.house() as at:
        workers, done = at.workers(), 0
        waited: list[float] = []
        with traffic(
            at, name=f"{NAME}-{plan.seed}", clients=16, weights=MANY
        ) as running:
            while done < rounds or running.journal.versions < appends:
                # Spread over the whole run, so that what could be lost is old and new.
                running.wait_for(20)
                due = (
                    done < rounds
                    and running.journal.versions * rounds >= done * appends
                )
                plan.progress(f"{NAME}: {done} rounds, {running.journal}")
                if not due:
                    continue
                time.sleep(random.uniform(0.0, 1.0))
                killed = _kill(at)
                running.wait_for(1)
                waited.append(time.monotonic() - killed)
                done += 1
            running.wait_for(20)
        if at.workers() != workers:
            raise Violation("web workers did not survive the end of PostgreSQL")
        slowest = f"longest time without an acknowledgement: {max(waited):.1f} s"
        return concluded(
            plan,
            NAME,
            at,
            running.journal,
            faults=f"{done} times killed",
            began=began,
            notes=(slowest, "the web workers lived on"),
        )


def _kill(at: House) -> float:
    """Kill the postmaster and its children; return when, once it is started again."""
    postmaster = at.postmaster()
    if postmaster is None:
        raise Violation("PostgreSQL was down before it was killed")
    family.kill_all(postmaster)
    began = time.monotonic()

    def is_back() -> bool:
        return at.postmaster() not in (None, postmaster)

    if not family.wait_for(is_back, BACK_SECONDS):
        raise Violation(f"PostgreSQL was not started again:\n{at.said()[-2000:]}")
    return began
