"""Sweeps of heartbeats in one database: `python -m tests.benchmarks.sweeps COUNT`.

Prints the median of COUNT sweeps in milliseconds, none of which finds anything due.
"""

from __future__ import annotations

import subprocess
import sys
from statistics import median

import django

from apps.core.roles.names import Role
from tests.benchmarks.pairs import milliseconds
from tests.live import ROOT, process_environment


def measured(dsn: str, count: int) -> float:
    """Return what a sweep of that database takes, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.sweeps", str(count)],
        cwd=ROOT,
        env=process_environment(Role.WORKER, dsn) | {"STEPBACK_LOG_LEVEL": "WARNING"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return float(done.stdout.splitlines()[-1])


def main(count: int) -> None:
    django.setup()
    from django.utils import timezone

    from apps.core.actors import SYSTEM
    from apps.heartbeats import operations as heartbeats

    def sweep() -> None:
        if heartbeats.sweep(actor=SYSTEM, now=timezone.now()):
            raise RuntimeError("Something was due.")

    sweep()
    taken = [milliseconds(sweep) for _ in range(count)]
    sys.stdout.write(f"{median(taken)}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]))
