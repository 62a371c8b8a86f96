"""What the dashboard costs over a month of 10,000,000 versions, and over 100,000."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection
from statistics import median
from urllib.parse import urlsplit

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tests import databases
from tests.benchmarks import machine
from tests.benchmarks.findings import Finding, noise_text
from tests.benchmarks.histories import PROJECT
from tests.benchmarks.pairs import Lane, Samples, alternate, milliseconds
from tests.benchmarks.rows.pages import signed_in
from tests.benchmarks.setting import Setting
from tests.live import ROOT, Server, manage

WHAT = "dashboard and metrics of a month: 10,000,000 versions to 100,000"
LARGE, SMALL, QUICK = 10_000_000, 100_000, 20_000
# Measure with fewer, where there is not an hour to load them.
SIZE = "STEPBACK_BENCH_VERSIONS"
LOAD_SECONDS = 6 * 3_600
LIMIT = 1.5
# Requests of one measurement, of which the median counts.
TIMES = 9
WINDOWS = ("24h", "30d")


class Caller:
    """A program with a key, on one connection."""

    def __init__(self, server: Server) -> None:
        self.connection = HTTPConnection(urlsplit(server.url).netloc, timeout=120)
        self.headers = {"X-API-Key": server.key(PROJECT)}

    def read(self, path: str) -> None:
        """Raises: RuntimeError for any answer but 200."""
        self.connection.request("GET", path, headers=self.headers)
        answer = self.connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"GET {path}: {answer.status} {content[:500]!r}")

    def lane(self, path: str, times: int) -> Lane:
        return lambda: median(
            milliseconds(lambda: self.read(path)) for _ in range(times)
        )

    def close(self) -> None:
        self.connection.close()


def run(setting: Setting) -> list[Finding]:
    many = setting.count(int(os.environ.get(SIZE, LARGE)), QUICK)
    few = setting.count(SMALL, QUICK // 4)
    times = setting.count(TIMES, 2)
    with ExitStack() as opened:
        large, small = (
            opened.enter_context(_lanes(setting, name, versions, times))
            for name, versions in (
                ("dashboard_large", many),
                ("dashboard_small", few),
            )
        )
        return [
            _finding(
                f"a month of {many:,} versions, to {few:,}: {what}, time",
                alternate(
                    {"large": large[what], "small": small[what]}, rounds=setting.rounds
                ),
            )
            for what in large
        ]


@contextmanager
def _lanes(
    setting: Setting, name: str, versions: int, times: int
) -> Iterator[dict[str, Lane]]:
    """Serve a database with so many versions; yield what is asked of it."""
    with machine.database(name) as dsn:
        manage(dsn, "create_project", PROJECT)
        load(setting.superuser_dsn, name, versions)
        with (
            machine.product(dsn) as server,
            closing(Caller(server)) as caller,
            signed_in(server) as reader,
        ):
            yield {
                f"console's page, {window}": reader.lane(
                    f"/console/{PROJECT}/metrics?window={window}", times=times
                )
                for window in WINDOWS
            } | {
                f"/v1/metrics/summary, {window}": caller.lane(
                    f"/v1/metrics/summary?window={window}", times
                )
                for window in WINDOWS
            }


def load(superuser_dsn: str, name: str, versions: int) -> None:
    """Load histories in a process of its own, which says how fast it goes.

    Raises: RuntimeError with what it said.
    """
    dsn = make_conninfo("", **{**conninfo_to_dict(superuser_dsn), "dbname": name})
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.histories", f"--versions={versions}"],
        cwd=ROOT,
        env=os.environ | databases.alone(dsn),
        stderr=subprocess.PIPE,
        text=True,
        timeout=LOAD_SECONDS,
    )
    if done.returncode:
        raise RuntimeError(f"Loading failed:\n{done.stderr}")
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
        connection.execute("CHECKPOINT")


def _finding(what: str, samples: Samples) -> Finding:
    return Finding(
        what=what,
        measured=samples.ratio("large", "small"),
        limit=LIMIT,
        ours=f"{samples.median('large'):,.1f} ms",
        other=f"{samples.median('small'):,.1f} ms",
        noise=noise_text(samples.noise("large")),
        note="20 agents; rollups by `rebuild_rollups`; nothing in the open hour",
    )
