"""States of one schema shown under another, migrated, and migrated in bulk.

What a write of the same result costs is the bar of a migration: the whole is sent,
received, compared and stored. A bulk is timed from its request to its last session.
"""

from __future__ import annotations

import time
from contextlib import closing
from typing import Any

from apps.core import json
from tests.benchmarks import machine, states
from tests.benchmarks.clients import Client, begin_sessions
from tests.benchmarks.findings import Finding, noise_text
from tests.benchmarks.pairs import Samples, alternate, milliseconds
from tests.benchmarks.setting import Setting

WHAT = "schemas: states shown under another one, migrated, and migrated in bulk"
AGENT = "/v1/agents/bench"
BYTES = 50_000
TIMES = 20
SESSIONS, QUICK_SESSIONS = 1_000, 50
# So many sessions a plan takes at most.
A_PLAN = 500
SCHEMA = {"type": "object", "required": ["messages"]}
STEPS = [
    {"op": "rename", "at": "/step", "to": "at"},
    {"op": "default", "at": "/currency", "value": "EUR"},
    {
        "op": "each",
        "at": "/messages",
        "steps": [{"op": "rename", "at": "/content", "to": "text"}],
    },
]


def run(setting: Setting) -> list[Finding]:
    with (
        machine.database("bench_schemas") as dsn,
        machine.product(dsn) as server,
        closing(Client(server, server.key("bench", "--scope", "admin"))) as client,
    ):
        state = {"step": 0, "messages": states.chat(BYTES // 1_000, 1_000)}
        session = client.begin(state)
        for version in ("1", "2"):
            said = {"version": version, "schema": SCHEMA}
            client.done("POST", f"{AGENT}/schemas", said)
        lead = {"from": "1", "to": "2", "steps": STEPS}
        client.done("POST", f"{AGENT}/migrations", lead)
        said = {"state": state, "schema_version": "1"}
        client.done("PUT", f"/v1/sessions/{session}/state", said)
        shown = _shown(client, session, setting)
        stored = _stored(client, state, setting)
        count = setting.count(SESSIONS, QUICK_SESSIONS)
        secret = client.headers["X-API-Key"]
        small = {"step": 0, "messages": states.chat(4, 250)}
        ids = begin_sessions(server, secret, [small] * count)
        # A server ends connections that idle.
        with closing(Client(server, secret)) as own:
            plans = [
                _in_bulk(own, ids[start : start + A_PLAN])
                for start in range(0, count, A_PLAN)
            ]
        dry, done = (sum(times) for times in zip(*plans, strict=True))
    return [
        _ratio("a read of 50 KB under another, to a read", shown, "under", "plain"),
        _ratio("a migration of 50 KB, to PUT of its result", stored, "migrate", "put"),
        Finding(
            what=f"schemas: {count:,} sessions in bulk, the dry run to the run",
            measured=dry / done,
            ours=f"{dry:,.1f} s",
            other=f"{done:,.1f} s, {count / done:,.0f} sessions a second",
        ),
    ]


def _ratio(what: str, samples: Samples, ours: str, other: str) -> Finding:
    return Finding(
        what=f"schemas: {what}",
        measured=samples.ratio(ours, other),
        ours=f"{samples.median(ours):.2f} ms",
        other=f"{samples.median(other):.2f} ms",
        noise=noise_text(samples.noise(other)),
    )


def _shown(client: Client, session: str, setting: Setting) -> Samples:
    times, path = setting.count(TIMES, 3), f"/v1/sessions/{session}/state"

    def lane(query: str) -> float:
        def read() -> None:
            for _ in range(times):
                client.done("GET", f"{path}{query}")

        return milliseconds(read) / times

    lanes = {"under": lambda: lane("?schema=2"), "plain": lambda: lane("")}
    return alternate(lanes, rounds=setting.rounds)


def _stored(client: Client, state: Any, setting: Setting) -> Samples:
    """Migrate heads of new sessions, and put what that makes into others."""
    before = {"state": state, "schema_version": "1"}
    messages = [
        {("text" if name == "content" else name): said for name, said in one.items()}
        for one in state["messages"]
    ]
    after = {"at": 0, "currency": "EUR", "messages": messages}
    times = setting.count(TIMES, 3)

    def lane(method: str, path: str, body: Any) -> float:
        took = 0.0
        for _ in range(times):
            at = f"/v1/sessions/{client.begin(state)}/state"
            client.done("PUT", at, before)
            took += milliseconds(lambda at=at: client.done(method, f"{at}{path}", body))
        return took / times

    put = {"state": after, "schema_version": "2"}
    lanes = {
        "migrate": lambda: lane("POST", "/migrate", {"to": "2"}),
        "put": lambda: lane("PUT", "", put),
    }
    return alternate(lanes, rounds=setting.rounds)


def _in_bulk(client: Client, ids: list[str]) -> tuple[float, float]:
    """Return the seconds of the dry run of a plan, and of the plan."""
    asked = {"kind": "migrate", "sessions": ids, "to_schema": "2", "from_schema": "1"}
    began = time.monotonic()
    plan = json.parse(client.done("POST", "/v1/plans", asked))
    path = f"/v1/plans/{plan['id']}"
    plan = _once(client, path, "draft")
    dry = time.monotonic() - began
    client.done("POST", f"{path}/confirm", {"reason": "measured"})
    began = time.monotonic()
    plan = _once(client, path, "finished")
    if plan["counts"]["done"] != len(ids):
        raise RuntimeError(f"Not all were migrated: {plan['counts']}")
    return dry, time.monotonic() - began


def _once(client: Client, path: str, status: str) -> Any:
    """Return the plan once it is that."""
    while (plan := json.parse(client.done("GET", path)))["status"] != status:
        time.sleep(0.05)
    return plan
