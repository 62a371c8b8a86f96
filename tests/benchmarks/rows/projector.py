"""The projector: its lag at full load, and what a day without a worker leaves."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from statistics import median, quantiles
from typing import Any

import psycopg

from tests.benchmarks import backlog, machine, states
from tests.benchmarks.clients import Client
from tests.benchmarks.findings import Finding
from tests.benchmarks.rows.appends import SESSIONS, appending
from tests.benchmarks.setting import Setting
from tests.live import Server

WHAT = "the projector"
LOOK_SECONDS = 0.02
VARIABLE = "STEPBACK_BENCH_BACKLOG"
# Versions of one session, and of all, that a day without a worker leaves.
OF_ONE, OF_ALL = 100_000, 1_000_000
LOOKS = 15
AGE = "SELECT extract(epoch FROM clock_timestamp() - min(at))::float8, count(*)"
LAG = f"{AGE} FROM timeline_pending"
# Stops at the first row: counting 1,000,000 again and again held up their projection.
ANY_LEFT = "SELECT EXISTS (SELECT FROM timeline_pending)"
OLDEST_TRANSACTION = """
SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)), 0)::float8
  FROM pg_stat_activity
 WHERE datname = current_database() AND backend_type = 'client backend'
"""
WAL = "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"


def run(setting: Setting) -> list[Finding]:
    return [*_at_full_load(setting), *_after_a_day(setting)]


def _at_full_load(setting: Setting) -> list[Finding]:
    with ExitStack() as opened:
        dsn = opened.enter_context(machine.database("bench_lag"))
        server = opened.enter_context(machine.product(dsn))
        sessions = setting.count(SESSIONS, 256)
        plan = appending(server, states.small(), setting, sessions=sessions)
        appends = opened.enter_context(plan)
        look = opened.enter_context(Look(dsn))
        before = look.wal()
        # A first one fills pages of every table whole, as after each checkpoint.
        appends.rate()
        before, waiting = look.wal(), look.waiting()
        with look:
            rates = [appends.rate() for _ in range(setting.rounds)]
        left = look.waiting()
        look.drained()
        count = sum(rates) * setting.seconds
        written = (look.wal() - before) / count
    p99 = quantiles(look.lags, n=100)[98]
    return [
        Finding(
            what=f"{WHAT}: lag at full load, 16 connections, p99",
            measured=p99,
            limit=1.0,
            unit="s",
            ours=f"median {median(look.lags):.2f} s at {median(rates):,.0f} appends/s",
            note=f"{waiting} pending before, {left} at the end",
        ),
        Finding(
            what=f"{WHAT}: the oldest transaction meanwhile",
            measured=max(look.transactions),
            limit=1.0,
            unit="s",
        ),
        Finding(
            what="WAL per append of 1 KB, projected",
            measured=written / 1000,
            limit=5.0,
            unit="kB",
            note=f"{count:,.0f} appends; goal 4 kB",
        ),
    ]


class Look:
    """Looks at what is pending, again and again, while a block lasts."""

    def __init__(self, dsn: str) -> None:
        self.lags: list[float] = []
        self.transactions: list[float] = []
        self._connection = psycopg.connect(dsn, autocommit=True)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Look:
        if not self._thread.is_alive() and self._thread.ident is None:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(LOOK_SECONDS):
            seconds, _ = self._asked(LAG)
            self.lags.append(max(seconds or 0.0, 0.0))
            self.transactions.append(self._asked(OLDEST_TRANSACTION)[0])

    def waiting(self) -> int:
        return int(self._asked(LAG)[1])

    def wal(self) -> int:
        return int(self._asked(WAL)[0])

    def drained(self) -> float:
        """Wait until nothing is pending; return how long that took."""
        began = time.monotonic()
        while self._asked(ANY_LEFT)[0]:
            time.sleep(LOOK_SECONDS)
        return time.monotonic() - began

    def _asked(self, query: str) -> Any:
        return self._connection.execute(query).fetchone()


def _after_a_day(setting: Setting) -> list[Finding]:
    one = setting.count(OF_ONE, 500)
    every = int(os.environ.get(VARIABLE, setting.count(OF_ALL, 2_000)))
    with ExitStack() as opened:
        dsn = opened.enter_context(machine.database("bench_backlog"))
        left = backlog.left(
            setting.superuser_dsn, "bench_backlog", of_one=one, of_all=every
        )
        server = opened.enter_context(machine.product(dsn, works=False))
        behind = _asked(server, left)
        look = Look(dsn)
        first, began = look.waiting(), time.monotonic()
        opened.enter_context(machine.worker(dsn))
        look.drained()
        seconds = time.monotonic() - began
        done = _asked(server, left)
    many = f"{one:,} pending versions in one session, {every:,} in all"
    return [
        Finding(
            what=f"{WHAT}: catches up with {many}",
            measured=first / seconds,
            unit="versions/s",
            note=f"{first:,} in {seconds:,.0f} s, the worker's start included",
        ),
        *(
            Finding(
                what=f"{many}: {name}",
                measured=behind[name] * 1000,
                unit="ms",
                ours=f"{behind[name] * 1000:,.1f} ms",
                other=f"{done[name] * 1000:,.1f} ms projected",
            )
            for name in behind
        ),
    ]


def _asked(server: Server, left: backlog.Left) -> dict[str, float]:
    """Return what each question takes in the median, in seconds."""
    path = f"/v1/sessions/{left.session_id}"
    with closing(Client(server, left.secret)) as client:

        def read(path: str) -> float:
            return _median(lambda: client.done("GET", path))

        patch = {"state": {"step": 0}}
        return {
            "blame of a value that the newest set": read(f"{path}/blame?pointer=/step"),
            "blame of a value of the first version": read(
                f"{path}/blame?pointer=/{left.oldest}"
            ),
            "a page of a search": read("/v1/search?q=state.status%3Dopen"),
            "an append": _median(lambda: client.done("PATCH", f"{path}/state", patch)),
        }


def _median(ask: Callable[[], object]) -> float:
    taken = []
    for _ in range(LOOKS):
        began = time.perf_counter()
        ask()
        taken.append(time.perf_counter() - began)
    return median(taken)
