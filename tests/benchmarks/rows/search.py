"""Searches among a million sessions, by how many of them have what is asked for."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from tests import databases
from tests.benchmarks import machine
from tests.benchmarks.findings import Finding
from tests.benchmarks.setting import Setting
from tests.live import ROOT

WHAT = "search among 1,000,000 sessions"
FULL, QUICK = 1_000_000, 2_000
LOAD_SECONDS = 3_600
SIZES = {
    "nobody": "nobody",
    "one": "1",
    "every 1000th": "1,000",
    "every 2nd": "500,000",
}
KINDS = {
    "holds now": "a value held now",
    "ever held at a place": "a value ever held at a place",
    "ever held anywhere": "a value ever held anywhere",
    "changed": "a place that was changed",
    "word": "a word",
    "user ids that begin so": "the beginning of user ids",
}


def run(setting: Setting) -> list[Finding]:
    found = _measured(setting.count(FULL, QUICK))
    return [
        Finding(
            what=f"{WHAT}: {said} by {size}, first page",
            measured=found[f"{kind}, {who}"]["first page"],
            unit="ms",
            ours=f"deep page {found[f'{kind}, {who}']['deep page']:,.1f} ms",
        )
        for kind, said in KINDS.items()
        for who, size in SIZES.items()
    ]


def _measured(count: int) -> dict[str, dict[str, float]]:
    """Measure in a process of its own, which settles on its database once.

    Raises: RuntimeError with what it said.
    """
    with machine.database("bench_search", migrated=False) as dsn:
        done = subprocess.run(
            [sys.executable, "-m", "tests.benchmarks.search", str(count), "--json"],
            cwd=ROOT,
            env=os.environ | databases.alone(dsn),
            capture_output=True,
            text=True,
            timeout=LOAD_SECONDS,
        )
    if done.returncode:
        raise RuntimeError(f"Searching failed:\n{done.stderr}")
    found: dict[str, dict[str, float]] = json.loads(done.stdout)
    return found
