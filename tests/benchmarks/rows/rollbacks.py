"""Stepping back in a large state, against the same in a small one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import cycle
from statistics import median
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
# How many sessions are rolled back for the first time.
FIRST = 3
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
        lanes = _lanes(client, "small", states.small())
        lanes |= _lanes(client, "large", states.large(size))
        before = connection.execute(BODIES).fetchone()
        samples = alternate(lanes, rounds=setting.rounds)
        after = connection.execute(BODIES).fetchone()
        firsts = [_first(client, states.large(size)) for _ in range(FIRST)]
    assert before
    assert after
    return _findings(samples, after[1] - before[1], median(firsts))


def _lanes(
    client: Client, name: str, state: dict[str, Any]
) -> dict[str, Callable[[], float]]:
    """Return the lanes that go back to version 0 and 1 of one session in turn.

    One asks for the state, one for as little as possible; the first only reads.
    """
    path = _begun(client, state)
    numbers = cycle([0, 1])
    return {
        f"{name}, read": lambda: milliseconds(
            lambda: client.done("GET", f"{path}/state")
        ),
        name: lambda: _stepping_back(client, path, numbers),
        f"{name}, minimal": lambda: _stepping_back(
            client, path, numbers, Prefer="return=minimal"
        ),
    }


def _begun(client: Client, state: dict[str, Any]) -> str:
    path = f"/v1/sessions/{client.begin(state)}"
    client.done("PATCH", f"{path}/state", {"state": {"step": 1}})
    return path


def _stepping_back(
    client: Client, path: str, numbers: Iterator[int], **headers: str
) -> float:
    body = {"version": next(numbers), "reason": "measured"}
    return milliseconds(
        lambda: client.done("POST", f"{path}/rollback", body, **headers)
    )


def _first(client: Client, state: dict[str, Any]) -> float:
    """Return how long it takes where the two states were not compared before."""
    path = _begun(client, state)
    return _stepping_back(client, path, iter([0]), Prefer="return=minimal")


def _findings(samples: Samples, body_bytes: int, first: float) -> list[Finding]:
    minimal = (
        "`Prefer: return=minimal`; both states had been compared by the process "
        f"before: the first rollback of a session took {first:,.0f} ms"
    )
    return [
        Finding(
            what=f"{WHAT}: body bytes written",
            measured=body_bytes,
            limit=0,
            unit="bytes",
        ),
        _to_small(samples, ", minimal", minimal),
        _to_small(samples, "", "the answer carries the whole state, twice"),
        Finding(
            what=f"{WHAT} over HTTP: to reading that state, as often in the answer",
            measured=samples.ratio("large", "large, read"),
            ours=f"{samples.median('large'):,.1f} ms",
            other=f"{samples.median('large, read'):,.1f} ms",
            noise=noise_text(samples.noise("large")),
        ),
    ]


def _to_small(samples: Samples, lane: str, note: str) -> Finding:
    large, small = f"large{lane}", f"small{lane}"
    return Finding(
        what=f"{WHAT} over HTTP{lane}: to the same at 1 KB",
        measured=samples.ratio(large, small),
        limit=3,
        ours=f"{samples.median(large):,.1f} ms",
        other=f"{samples.median(small):,.1f} ms",
        noise=noise_text(samples.noise(large)),
        note=note,
    )
