"""A competing append left open: it holds the session's row and the next number.

Appends to that session wait for a bounded time and are told to come back; all other
sessions go on. Every other time nobody ends the open one, and PostgreSQL does.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from tests.faults import family
from tests.faults.house import House
from tests.faults.journal import Violation
from tests.faults.plan import Plan, Result, concluded
from tests.faults.traffic import traffic

NAME = "left-open"
WHAT = "competing appends left open"
IDLE_SECONDS = 9  # longer than the 5 s that an append waits for a lock
COPY_OF_THE_HEAD = """
INSERT INTO timeline_version
SELECT (json_populate_record(v, json_build_object(
            'number', v.number + 1, 'parent_number', v.number,
            'request_key', NULL, 'external_id', NULL))).*
  FROM timeline_version v WHERE session_id = %s ORDER BY number DESC LIMIT 1
"""


def run(plan: Plan) -> Result:
    began, rounds = time.monotonic(), plan.number(6, 1)
    with plan.house() as at:
        with traffic(at, name=f"{NAME}-{plan.seed}", clients=12) as running:
            for number in range(rounds):
                running.wait_for(5)
                plan.progress(f"{NAME}: round {number}, {running.journal}")
                with _left_open(at, running.shared) as holder:
                    running.wait_for(5)
                    running.wait_for_failures("503", 1)
                    if number % 2 and not family.wait_for(
                        lambda: _is_ended(at, holder), 60
                    ):
                        raise Violation("PostgreSQL did not end the open transaction")
                running.wait_for(10)
        return concluded(
            plan,
            NAME,
            at,
            running.journal,
            faults=f"{rounds} left open, {running.journal.faults['503']} told to wait",
            began=began,
        )


@contextmanager
def _left_open(at: House, session: str) -> Iterator[psycopg.Connection]:
    """Hold what an append holds before it commits."""
    holder = psycopg.connect(
        at.dsn, options=f"-c idle_in_transaction_session_timeout={IDLE_SECONDS}s"
    )
    try:
        holder.execute(
            "SELECT 1 FROM timeline_session WHERE id = %s FOR NO KEY UPDATE", [session]
        )
        holder.execute(COPY_OF_THE_HEAD, [session])
        yield holder
    finally:
        # Uncommitted, so that nothing of it stays.
        holder.close()


def _is_ended(at: House, holder: psycopg.Connection) -> bool:
    """Look from outside: asking would end its idleness."""
    with psycopg.connect(at.dsn) as other:
        row = other.execute(
            "SELECT 1 FROM pg_stat_activity WHERE pid = %s", [holder.info.backend_pid]
        ).fetchone()
    return row is None
