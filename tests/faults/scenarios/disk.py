"""The disk of the data folder full, and freed; then full to the last log segment.

The data folder is a small file system of its own. First the tables cannot grow:
appends and writes of data answer 507, reads go on, PostgreSQL lives, and all works once
there is space.
Then the log cannot grow either: PostgreSQL ends itself (PANIC) rather than lie, appends
answer 503, and `up` starts it again as soon as there is space.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

import psycopg

from tests.faults.house import House
from tests.faults.journal import Violation
from tests.faults.keeping import Keeper
from tests.faults.plan import Plan, Result, concluded
from tests.faults.traffic import Traffic, traffic
from tests.races.traffic import Line

NAME = "disk"
WHAT = "the data disk full and freed"
MEGABYTE = 1 << 20
SEGMENTS = 64
FIRST_RECORD = "SELECT pg_logical_emit_message(true, 'faults', 'the first record')"


def run(plan: Plan) -> Result:
    began, rounds = time.monotonic(), plan.number(4, 1)
    with plan.small_house() as at:
        workers, restarts = at.workers(), 0
        keeper = Keeper(at, f"keeper-{plan.seed}")
        with traffic(at, name=f"{NAME}-{plan.seed}", clients=8) as running:
            for number in range(rounds):
                running.wait_for(plan.number(200, 10))
                plan.progress(f"{NAME}: round {number}, {running.journal}")
                _tables_full(at, running, keeper)
                running.wait_for(plan.number(200, 10))
                restarts += _log_full(at, running)
                running.wait_for(10)
                keeper.look()
        keeper.prove()
        if at.workers() != workers:
            raise Violation("the web workers did not live on")
        told = running.journal.faults
        return concluded(
            plan,
            NAME,
            at,
            running.journal,
            faults=f"{2 * rounds} times full",
            began=began,
            notes=(
                f"answered while it was full: {told['507']} times 507,"
                f" {told['503']} times 503; reads 200",
                f"an agent's data: {len(keeper.kept)} values stored and all there,"
                f" {keeper.refused} writes refused",
                f"PostgreSQL was started again {restarts} times by `up`, the web never",
            ),
        )


def _tables_full(at: House, running: Traffic, keeper: Keeper) -> None:
    before = at.postmaster()
    # Connected before: a full disk lets nobody in where PostgreSQL has to write anew
    # what it keeps of its catalogs for whoever connects.
    with _superuser(at) as connection:
        # A fresh segment: what the clients write meanwhile must not fill the log as
        # well. It is made by the first record in it: where no client wrote before the
        # disk was full, its own file found no space, and PostgreSQL ended itself.
        connection.execute("SELECT pg_switch_wal()")
        connection.execute(FIRST_RECORD)
        with _full(at):
            # It may fail, but must not take the server with it; by itself one comes
            # only every five minutes.
            with suppress(psycopg.InternalError):
                connection.execute("CHECKPOINT")
            running.wait_for_failures("507", 5)
            _require_readable(at, running)
            keeper.write_until_refused()
            keeper.look()
    running.wait_for(10)
    if at.postmaster() != before:
        raise Violation("PostgreSQL did not live on while its tables could not grow")


def _superuser(at: House) -> psycopg.Connection:
    return psycopg.connect(at.location.superuser_dsn(), autocommit=True)


def _log_full(at: House, running: Traffic) -> bool:
    """Fill the log too; return whether PostgreSQL had to be started again."""
    before = at.postmaster()
    with _full(at):
        if not _exhausted(at):
            raise Violation("the log never filled the disk")
        running.wait_for_failures("503", 5)
    running.wait_for(10)
    return at.postmaster() != before


def _exhausted(at: House) -> bool:
    """Write log until PostgreSQL ends the connection, which says that it is full."""
    with suppress(psycopg.Error):
        with _superuser(at) as connection:
            for _ in range(SEGMENTS):
                connection.execute(
                    "SELECT pg_logical_emit_message(true, 'faults', repeat('x', 99999))"
                )
                connection.execute("SELECT pg_switch_wal()")
        return False
    return True


def _require_readable(at: House, running: Traffic) -> None:
    with closing(Line(at.url, at.secret)) as line:
        for path in ("state", "versions", "history"):
            answer = line.get(f"/v1/sessions/{running.shared}/{path}")
            if answer.status != 200:
                raise Violation(f"{path} was not readable: {answer.content!r:.300}")


@contextmanager
def _full(at: House) -> Iterator[None]:
    """Take all space that is left, down to the last block."""
    ballast = at.location.data_dir / "ballast"
    try:
        for size in (MEGABYTE, 4096):
            with suppress(OSError), ballast.open("ab", buffering=0) as file:
                while file.write(b"\0" * size) == size:
                    pass
        yield
    finally:
        ballast.unlink(missing_ok=True)
