"""Every connection of the pools taken by slow queries; then they are fast again.

Requests that get no connection within 2 s are told to come back, and live probes, which
need none, are answered meanwhile.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import psycopg

from tests.faults.house import House
from tests.faults.journal import Violation
from tests.faults.plan import Plan, Result, concluded
from tests.faults.traffic import traffic

NAME = "pool"
WHAT = "pools exhausted by slow queries"
SLOW = """
CREATE FUNCTION faults_slow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_sleep(3);
    RETURN NEW;
END
$$;
CREATE TRIGGER faults_slow BEFORE INSERT ON timeline_version
   FOR EACH ROW EXECUTE FUNCTION faults_slow()
"""
FAST = """
DROP TRIGGER IF EXISTS faults_slow ON timeline_version;
DROP FUNCTION IF EXISTS faults_slow()
"""


def run(plan: Plan) -> Result:
    began, rounds = time.monotonic(), plan.number(5, 1)
    with plan.house(STEPBACK_POOL_SIZE="2") as at:
        with traffic(at, name=f"{NAME}-{plan.seed}", clients=16) as running:
            for number in range(rounds):
                running.wait_for(10)
                plan.progress(f"{NAME}: round {number}, {running.journal}")
                with _slow(at):
                    running.wait_for_failures("503", 8)
                    if httpx.get(f"{at.url}/health/live", timeout=60).is_error:
                        raise Violation("a live probe was not answered")
                running.wait_for(20)
        if "PoolTimeout" not in at.said():
            raise Violation("no pool was exhausted")
        return concluded(
            plan,
            NAME,
            at,
            running.journal,
            faults=f"{rounds} times, {running.journal.faults['503']} told to wait",
            began=began,
        )


@contextmanager
def _slow(at: House) -> Iterator[None]:
    """Let every append take three seconds."""
    with psycopg.connect(at.dsn, autocommit=True) as connection:
        connection.execute(SLOW)
        try:
            yield
        finally:
            connection.execute(FAST)
