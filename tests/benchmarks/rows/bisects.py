"""Since when a check fails in a long session, against reading all of its versions."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from typing import Any

from apps.core import json
from tests import databases
from tests.benchmarks import machine, states
from tests.benchmarks.clients import Client
from tests.benchmarks.findings import Finding, noise_text
from tests.benchmarks.pairs import alternate, milliseconds
from tests.benchmarks.setting import Setting
from tests.live import ROOT

WHAT = "bisect"
VERSIONS, QUICK_VERSIONS = 10_000, 2_000
TOUCHED = 50
AT_ONCE = 100
SAID = "state.touched<26"
CHECK = {"check": SAID}
# Every version is a candidate, and the ends differ.
FIRST = states.small() | {"touched": 0, "trail": "x"}
WHOLE = {"check": "size:state.trail<500", "limit": 1}


def run(setting: Setting) -> list[Finding]:
    count = setting.count(VERSIONS, QUICK_VERSIONS)
    with (
        machine.database("bench_bisect") as dsn,
        machine.product(dsn) as server,
        closing(Client(server, server.key("bench"))) as client,
    ):
        session_id = client.begin(FIRST)
        path = f"/v1/sessions/{session_id}"
        _append(client, path, count)
        found = json.parse(client.done("POST", f"{path}/bisect", CHECK))
        halved = json.parse(client.done("POST", f"{path}/bisect", WHOLE))
        samples = alternate(
            {
                "bisect": lambda: milliseconds(
                    lambda: client.done("POST", f"{path}/bisect", CHECK)
                ),
                "scan": lambda: milliseconds(lambda: _scan(client, path)),
            },
            rounds=setting.rounds,
        )
        sent = _statements(dsn, session_id)
    assert found["exact"]
    assert [one["version"] for one in found["data"]] == [_scanned(count)]
    what = f"{WHAT} of {count:,} versions, {TOUCHED} of which touched the place"
    return [
        Finding(
            what=f"{what}: to reading all of them",
            measured=samples.ratio("bisect", "scan"),
            limit=0.05,
            ours=f"{samples.median('bisect'):,.0f} ms",
            other=f"{samples.median('scan'):,.0f} ms",
            noise=noise_text(samples.noise("bisect")),
        ),
        Finding(
            what=f"{what}: statements",
            measured=sent,
            limit=12,
            unit="statements",
        ),
        Finding(
            what=f"{WHAT} of {count:,} versions that all touched it: states for a flip",
            measured=halved["looked_into"],
            limit=16,
            unit="states",
        ),
    ]


def _statements(dsn: str, session_id: str) -> int:
    """Count what one bisect sends to the database.

    Raises: RuntimeError with what it said.
    """
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.bisecting", session_id, SAID],
        cwd=ROOT,
        env=os.environ | databases.alone(dsn),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-2_000:])
    return int(done.stdout)


def _append(client: Client, path: str, count: int) -> None:
    """Append so many, evenly spaced ones of which count up what the check looks at."""
    every = count // TOUCHED
    for start in range(1, count, AT_ONCE):
        numbers = range(start, min(count, start + AT_ONCE))
        versions = [{"state": _step(number, every, count)} for number in numbers]
        client.done("POST", f"{path}/versions", {"versions": versions})


def _step(number: int, every: int, count: int) -> dict[str, Any]:
    touched = {} if number % every else {"touched": number // every}
    trail = "x" * (1 + 1_000 * number // count)
    return {"step": number, "trail": trail, **touched}


def _scanned(count: int) -> int:
    return 26 * (count // TOUCHED)


def _scan(client: Client, path: str) -> None:
    """Read every version with its state, page by page."""
    after = ""
    while True:
        asked = f"{path}/versions?limit=100&include_state=true{after}"
        page = json.parse(client.done("GET", asked))
        if not page["has_more"]:
            return
        after = f"&starting_after={page['last_id']}"
