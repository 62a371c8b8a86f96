"""The clock of the web workers stepping back and forth, by seconds and by a year.

In a session time never runs backwards; ids stay unique, and no key is forgotten.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import psycopg

from tests.faults.checking import SESSIONS
from tests.faults.house import House
from tests.faults.journal import Violation
from tests.faults.plan import Plan, Result, concluded
from tests.faults.traffic import traffic

NAME = "clock"
WHAT = "the clock stepping back"
STEPS = (-1, -3600, -86_400, 400 * -86_400, 0, 1, 86_400)


def run(plan: Plan) -> Result:
    began, random = time.monotonic(), plan.random(NAME)
    steps = plan.number(40, 6)
    with tempfile.TemporaryDirectory(prefix="stepback-clock-") as folder:
        file = clock_file(Path(folder))
        with plan.house(**environment(file)) as at:
            file = at.clock or file
            with traffic(at, name=f"{NAME}-{plan.seed}", clients=8) as running:
                for number in range(steps):
                    running.wait_for(plan.number(10, 8))
                    plan.progress(f"{NAME}: {number} steps, {running.journal}")
                    later = (1, *STEPS[:4], *random.choices(STEPS, k=steps))
                    set_clock(file, later[number])
                running.wait_for(8)
            set_clock(file, 0)
            back = _stepped_back(at, running.journal.agent)
            if not back:
                raise Violation("no version was asked for before its predecessor")
            return concluded(
                plan,
                NAME,
                at,
                running.journal,
                faults=f"{steps} steps, {back} versions asked for in the past",
                began=began,
            )


def environment(file: Path) -> dict[str, str]:
    """Return what makes a server take its time from the file."""
    return {
        "DJANGO_SETTINGS_MODULE": "tests.faults.clock_settings",
        "STEPBACK_FAULTS_CLOCK": str(file),
    }


def clock_file(folder: Path) -> Path:
    file = folder / "clock"
    set_clock(file, 0)
    return file


def set_clock(file: Path, seconds: int) -> None:
    """Step at once, and never be read half written."""
    part = file.with_suffix(".part")
    part.write_text(str(seconds))
    os.replace(part, file)


def _stepped_back(at: House, agent: str) -> int:
    """Count the versions whose request came, by its clock, before the one before."""
    with psycopg.connect(at.dsn) as connection:
        row = connection.execute(
            "SELECT count(*) FROM timeline_version v JOIN timeline_version b"
            " ON b.session_id = v.session_id AND b.number = v.number - 1"
            " WHERE v.requested_at < b.created_at - interval '1 minute'"
            f" AND v.session_id IN ({SESSIONS})",
            [agent],
        ).fetchone()
    return int(row[0]) if row else 0
