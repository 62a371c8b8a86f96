"""What age and size cost: a long history among a million sessions, and a short one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tests import databases
from tests.benchmarks import machine, states
from tests.benchmarks.findings import Finding, noise_text
from tests.benchmarks.pairs import Lane, Samples, alternate
from tests.benchmarks.setting import Setting
from tests.benchmarks.traffic import Plan, plan
from tests.live import ROOT, Server, manage

WHAT = (
    "head, first page, blame, append: 100,000 versions of one session and 1,000,000 "
    "sessions, to 100 and 1,000"
)
SHORT = "100,000 versions, 1,000,000 sessions"
LARGE = (1_000_000, 100_000)
SMALL = (1_000, 100)
QUICK = (3_000, 500)
LOAD_SECONDS = 3_600
# Single requests are spread over so many sessions.
SPREAD = 10_000
# The long one has the most versions; ids of the others, evenly apart.
LONGEST = """
SELECT id FROM timeline_session ORDER BY head_number DESC LIMIT 1
"""
OTHERS = """
SELECT id FROM (SELECT id, row_number() OVER (ORDER BY id) AS at, count(*) OVER () AS n
                  FROM timeline_session WHERE head_number = 0) s
 WHERE at % greatest(n / %s, 1) = 0
"""
# One connection where all would wait for one session's lock.
ALONE = 1


@dataclass(frozen=True, slots=True)
class Side:
    """One database and its server."""

    server: Server
    longest: str
    others: list[str]

    def lanes(self, opened: ExitStack, setting: Setting) -> dict[str, Lane]:
        """Return what is measured, by what it is called in the table."""
        secret = self.server.key("bench")
        long, each = f"/v1/sessions/{self.longest}", self._of_others
        change = b'{"state": {"step": @n@, "said": "@text@"}}'
        asked: dict[str, dict[str, Any]] = {
            "head of the long session": {"paths": [f"{long}/state"]},
            "heads of 10,000 sessions": {"paths": each("/state")},
            "first page of its versions": {"paths": [f"{long}/versions?limit=50"]},
            "first page of sessions": {"paths": ["/v1/sessions?limit=50"]},
            "blame of what every version sets": {
                "paths": [f"{long}/blame?pointer=/step"]
            },
            "blame of what only the first set": {
                "paths": [f"{long}/blame?pointer=/order"]
            },
            "append to the long session, 1 connection": {
                "method": "PATCH",
                "paths": [f"{long}/state"],
                "body": change,
                "connections": ALONE,
            },
            "append to 10,000 sessions": {
                "method": "PATCH",
                "paths": each("/state"),
                "body": change,
            },
        }
        return {
            what: opened.enter_context(self._plan(setting, secret, **one)).rate
            for what, one in asked.items()
        }

    def _of_others(self, path: str) -> list[str]:
        return [f"/v1/sessions/{one}{path}" for one in self.others]

    @contextmanager
    def _plan(
        self,
        setting: Setting,
        secret: str,
        *,
        paths: list[str],
        method: str = "GET",
        **options: Any,
    ) -> Iterator[Plan]:
        with plan(
            self.server.url,
            method,
            paths,
            headers={"X-API-Key": secret},
            texts=states.texts(997, 120),
            seconds=min(setting.seconds, 2),
            **options,
        ) as made:
            yield made


def run(setting: Setting) -> list[Finding]:
    with ExitStack() as opened:
        large = opened.enter_context(
            side("bench_large", QUICK if setting.quick else LARGE, setting)
        )
        small = opened.enter_context(side("bench_small", SMALL, setting))
        ours = large.lanes(opened, setting)
        theirs = small.lanes(opened, setting)
        return [
            _finding(
                what,
                alternate(
                    {"large": lane, "small": theirs[what]}, rounds=setting.rounds
                ),
            )
            for what, lane in ours.items()
        ]


@contextmanager
def side(name: str, size: tuple[int, int], setting: Setting) -> Iterator[Side]:
    """Serve a database with so many sessions, and so many versions of one of them."""
    with (
        machine.database(name, template=loaded(size, setting)) as dsn,
        machine.product(dsn) as server,
        psycopg.connect(dsn) as connection,
    ):
        (longest,) = connection.execute(LONGEST).fetchone() or ("",)
        others = connection.execute(OTHERS.replace("%s", str(SPREAD))).fetchall()
        yield Side(server, longest, [x for (x,) in others])


def loaded(size: tuple[int, int], setting: Setting) -> str:
    """Return the database that is loaded so: once for all rows that copy it."""
    sessions, versions = size
    name = f"loaded_{sessions}_{versions}"
    if name not in setting.shared:
        dsn = setting.opened.enter_context(machine.database(name))
        manage(dsn, "create_project", "bench")
        load(setting.superuser_dsn, name, size)
        if size == SMALL:
            manage(dsn, "verify")
        setting.shared[name] = dsn
    return name


def load(superuser_dsn: str, name: str, size: tuple[int, int]) -> None:
    """Load so many sessions and versions of one, in a process of its own.

    Raises: RuntimeError with what it said.
    """
    dsn = make_conninfo("", **{**conninfo_to_dict(superuser_dsn), "dbname": name})
    sessions, versions = map(str, size)
    command = [sys.executable, "-m", "tests.benchmarks.load", "--project", "bench"]
    done = subprocess.run(
        [*command, "--sessions", sessions, "--versions", versions],
        cwd=ROOT,
        env=os.environ | databases.alone(dsn),
        capture_output=True,
        text=True,
        timeout=LOAD_SECONDS,
    )
    if done.returncode:
        raise RuntimeError(f"Loading failed:\n{done.stderr}")
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
        connection.execute("CHECKPOINT")


def _finding(what: str, samples: Samples) -> Finding:
    # Rates: how much longer one takes is how many more the other answers.
    return Finding(
        what=f"{SHORT}, to 100 and 1,000: {what}, time",
        measured=samples.ratio("small", "large"),
        limit=1.3,
        ours=f"{samples.median('large'):,.0f}/s",
        other=f"{samples.median('small'):,.0f}/s",
        noise=noise_text(samples.noise("large")),
    )
