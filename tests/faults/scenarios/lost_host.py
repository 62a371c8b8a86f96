"""The machine of PostgreSQL lost without a word, and another one in its place.

What was connected to it is never answered again. Requests that wait for it are told so
in time, and all go on over new connections, the worker too.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from tests.faults.checking import wait_until_drained
from tests.faults.journal import Violation
from tests.faults.plan import Plan, Result, concluded
from tests.faults.traffic import traffic

NAME = "lost-host"
WHAT = "the machine of PostgreSQL lost without a word, and replaced"


def run(plan: Plan) -> Result:
    began, rounds = time.monotonic(), plan.number(6, 1)
    lost = 0
    noticed: list[float] = []
    back: list[float] = []
    with plan.distant_house() as (at, link):
        workers = at.workers()
        with traffic(at, name=f"{NAME}-{plan.seed}", clients=8) as running:
            for number in range(rounds):
                running.wait_for(plan.number(200, 20))
                plan.progress(f"{NAME}: round {number}, {running.journal}")
                lost += link.fall_silent()
                noticed.append(_seconds(lambda: running.wait_for_failures("503", 4)))
                link.be_replaced()
                back.append(_seconds(lambda: running.wait_for(8)))
            running.wait_for(20)
        if unanswered := running.journal.faults["TimeoutError"]:
            raise Violation(f"{unanswered} requests were not answered at all")
        drained = wait_until_drained(at.dsn)
        if at.workers() != workers:
            raise Violation("the web workers did not live on")
        return concluded(
            plan,
            NAME,
            at,
            running.journal,
            faults=f"{rounds} times lost, {lost} connections",
            began=began,
            notes=(
                f"told within {max(noticed):.1f} s; once it was replaced, writes went"
                f" on after {max(back):.1f} s at most",
                f"all was projected {drained:.1f} s after the last write",
            ),
        )


def _seconds(act: Callable[[], None]) -> float:
    began = time.monotonic()
    act()
    return time.monotonic() - began
