"""Writes of an agent with ten guards and a schema, beside one's with none.

Both agents write 50 KB of state to one server by turns. What the look for guards costs
an agent that has none is measured in one process, where it can be left out.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from itertools import count
from typing import Any

from apps.core import json
from tests.benchmarks import machine, states, untouched
from tests.benchmarks.clients import Client
from tests.benchmarks.findings import Finding, noise_text
from tests.benchmarks.pairs import alternate, milliseconds
from tests.benchmarks.setting import Setting
from tests.live import manage

WHAT = "guards: a write of 50 KB with ten guards and a schema, to one with none"
LOOK = "guards: an append of an agent without, to one that looks for none"
BYTES = 50_000
TIMES = 40
OBJECT = {"type": "object", "properties": {"step": {"type": "integer"}}}
GUARDS: list[tuple[str, dict[str, Any]]] = [
    ("schema", {"schema": OBJECT}),
    ("check", {"check": "state.step>=0 AND NOT state.step=null"}),
    ("check", {"check": "state.step>=was.step"}),
    ("null_spree", {}),
    ("unverified", {"fields": ["/destination", "/dates"]}),
    ("low_confidence", {}),
    ("confirmation", {}),
    ("permission_denied", {}),
    ("check", {"check": "size:state.messages<=1000"}),
    ("check", {"check": "NOT state.destination=null OR state.step>=0"}),
]


def run(setting: Setting) -> list[Finding]:
    with (
        machine.database("bench_guards") as dsn,
        machine.product(dsn) as server,
        closing(Client(server, server.key("bench"))) as client,
        closing(Client(server, server.key("bench", "--scope", "admin"))) as admin,
    ):
        return [_writes(setting, client, admin), _look(setting)]


def _writes(setting: Setting, client: Client, admin: Client) -> Finding:
    state = {"step": 0, "messages": states.chat(BYTES // 1_000, 1_000)}
    paths = {
        agent: f"/v1/sessions/{_begun(client, agent, state)}/state"
        for agent in ("guarded", "bare")
    }
    declared = {"version": "1", "schema": OBJECT}
    admin.done("POST", "/v1/agents/guarded/schemas", declared)
    for index, (kind, rule) in enumerate(GUARDS):
        said = {"agent_id": "guarded", "name": f"g{index}", "kind": kind, "rule": rule}
        admin.done("POST", "/v1/guards", said)
    # What is remembered of agents is remembered for half a minute; a server ends
    # connections that idle.
    for _ in range(0 if setting.quick else 13):
        time.sleep(5)
        client.done("GET", paths["bare"])
    steps, times = count(1), setting.count(TIMES, 5)

    def lane(path: str) -> Callable[[], float]:
        def write() -> None:
            for _ in range(times):
                client.done("PATCH", path, {"state": {"step": next(steps)}})

        return lambda: milliseconds(write)

    lanes = {agent: lane(path) for agent, path in paths.items()}
    samples = alternate(lanes, rounds=setting.rounds)
    return Finding(
        what=WHAT,
        measured=samples.ratio("guarded", "bare"),
        limit=1.15,
        ours=f"{samples.median('guarded') / times:.2f} ms",
        other=f"{samples.median('bare') / times:.2f} ms",
        noise=noise_text(samples.noise("bare")),
    )


def _look(setting: Setting) -> Finding:
    """Append as the product does, and without the look for an agent's guards."""
    with machine.database("bench_looking") as dsn:
        manage(dsn, "create_project", "bench")
        copied = machine.database("bench_not_looking", template="bench_looking")
        with copied as before:
            # A few microseconds are asked about.
            rounds = setting.rounds * setting.count(3, 1)
            samples = untouched.measured(dsn, before, "guards", rounds=rounds)
    return Finding(
        what=LOOK,
        measured=samples.ratio("with", "without"),
        limit=1.02,
        ours=f"{samples.median('with'):.2f} ms",
        other=f"{samples.median('without'):.2f} ms",
        noise=f"against itself {samples.ratio('again', 'with'):.2f}",
    )


def _begun(client: Client, agent: str, state: Any) -> str:
    said = {"agent_id": agent, "initial_state": state}
    return str(json.parse(client.done("POST", "/v1/sessions", said))["id"])
