"""Statements that time out in the middle of an append, at a table that is locked.

The version is written by then, its body, its event or what is pending not: none
of it may stay, and the repetition stores it once.
"""

from __future__ import annotations

import time

import psycopg
from psycopg import sql

from tests.faults.journal import Violation
from tests.faults.plan import Plan, Result, concluded
from tests.faults.traffic import traffic

NAME = "statement-timeouts"
WHAT = "statement time-outs in the middle of appends"
# In the order in which an append writes them, after its version.
TABLES = ("timeline_body", "audit_event", "timeline_pending")


def run(plan: Plan) -> Result:
    began, random = time.monotonic(), plan.random(NAME)
    rounds = plan.number(12, 1)
    with plan.linked_house() as (at, _):
        with traffic(at, name=f"{NAME}-{plan.seed}", clients=8) as running:
            for number in range(rounds):
                running.wait_for(10)
                plan.progress(f"{NAME}: round {number}, {running.journal}")
                # All of them in turn, then drawn.
                table = (*TABLES, *random.choices(TABLES, k=rounds))[number]
                with psycopg.connect(at.dsn) as holder:
                    name = sql.Identifier(table)
                    holder.execute(
                        sql.SQL("LOCK TABLE {} IN EXCLUSIVE MODE").format(name)
                    )
                    running.wait_for_failures("503", 4)
            running.wait_for(10)
        journal = running.journal
        if "QueryCanceled" not in at.said():
            raise Violation("no statement timed out")
        return concluded(
            plan,
            NAME,
            at,
            journal,
            faults=f"{rounds} locks, {journal.faults['503']} time-outs",
            began=began,
        )
