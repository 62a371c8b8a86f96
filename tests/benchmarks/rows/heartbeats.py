"""The sweep of heartbeats: what 100,000 expected sessions cost while none is due."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial

import psycopg

from tests.benchmarks import machine, sweeps
from tests.benchmarks.findings import Finding, noise_text
from tests.benchmarks.pairs import alternate
from tests.benchmarks.setting import Setting

WHAT = "the sweep of heartbeats"
EXPECTED, QUICK = 100_000, 1_000
TIMES = 200
# Whether there are such sessions is asked of those that are due alone.
EXPECT = """
INSERT INTO heartbeats_heartbeat (session_id, project_id, every, due_at, is_default)
SELECT 'sess_' || lpad(n::text, 26, '0'), 'proj_bench', 3600,
       now() + interval '1 day' + n * interval '1 second', false
  FROM generate_series(1, %s) n
"""


def run(setting: Setting) -> list[Finding]:
    expected = setting.count(EXPECTED, QUICK)
    with ExitStack() as opened:
        empty = opened.enter_context(machine.database("bench_silence"))
        full = opened.enter_context(machine.database("bench_heartbeats"))
        with psycopg.connect(full, autocommit=True) as owner:
            owner.execute(EXPECT, [expected])
            owner.execute("ANALYZE heartbeats_heartbeat")
        times = setting.count(TIMES, 5)
        lanes = {
            "none": partial(sweeps.measured, empty, times),
            "expected": partial(sweeps.measured, full, times),
        }
        samples = alternate(lanes, rounds=setting.rounds)
    return [
        Finding(
            what=f"{WHAT}, {expected:,} expected, none due: to one of none, time",
            measured=samples.ratio("expected", "none"),
            limit=2.0,
            ours=f"{samples.median('expected'):.2f} ms",
            other=f"{samples.median('none'):.2f} ms",
            noise=noise_text(samples.noise("none")),
        )
    ]
