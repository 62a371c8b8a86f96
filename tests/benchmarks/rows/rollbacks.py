"""Stepping back in a large state, against the same in a small one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any

import psycopg

from tests.benchmarks import machine, states
from tests.benchmarks.clients import Client
from tests.benchmarks.findings import Finding, noise_text
from tests.benchmarks.pairs import Samples, alternate, milliseconds
from tests.benchmarks.setting import Setting

WHAT = "rollback of a 16 MB state"
STATE_BYTES = 16_000_000
QUICK_BYTES = 2_000_000
BODIES = (
    "SELECT count(*), coalesce(sum(octet_length(data)), 0)::bigint FROM timeline_body"
)


def run(setting: Setting) -> list[Finding]:
    size = setting.count(STATE_BYTES, QUICK_BYTES)
    with (
        machine.database("bench_rollback") as dsn,
        machine.product(dsn) as server,
        closing(Client(server, server.key("bench"))) as client,
        psycopg.connect(dsn, autocommit=True) as connection,
    ):
        lanes = {
            "large": _stepping_back(client, states.large(size)),
            "small": _stepping_back(client, states.small()),
        }
        before = connection.execute(BODIES).fetchone()
        samples = alternate(lanes, rounds=setting.rounds)
        after = connection.execute(BODIES).fetchone()
    assert before
    assert after
    return _findings(samples, after[1] - before[1])


def _stepping_back(client: Client, state: dict[str, Any]) -> Callable[[], float]:
    """Return the lane that goes back to version 0 and 1 in turn."""
    session = client.begin(state)
    path = f"/v1/sessions/{session}"
    client.done("PATCH", f"{path}/state", {"state": {"step": 1}})
    to = [0, 1]

    def lane() -> float:
        to.reverse()
        body = {"version": to[1], "reason": "measured"}
        return milliseconds(lambda: client.done("POST", f"{path}/rollback", body))

    return lane


def _findings(samples: Samples, body_bytes: int) -> list[Finding]:
    return [
        Finding(
            what=f"{WHAT}: body bytes written",
            measured=body_bytes,
            limit=0,
            unit="bytes",
        ),
        Finding(
            what=f"{WHAT} over HTTP: to the same at 1 KB",
            measured=samples.ratio("large", "small"),
            limit=3,
            ours=f"{samples.median('large'):,.1f} ms",
            other=f"{samples.median('small'):,.1f} ms",
            noise=noise_text(samples.noise("large")),
            note="the answer carries the whole state",
        ),
    ]
