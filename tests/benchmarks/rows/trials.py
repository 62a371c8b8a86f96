"""Trials of guards of every kind over what is stored, by the sweep of the worker.

It is run in a process of its own, with the worker's rights, and timed there: the worker
looks for trials every two seconds, which is not looking at them. A null spree is looked
for among what was noted with each version; every other kind reads all states, or all
turns.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

from apps.core import json
from apps.core.roles.names import Role
from tests.benchmarks import machine, states
from tests.benchmarks.clients import THREADS, Client
from tests.benchmarks.findings import Finding
from tests.benchmarks.setting import Setting
from tests.live import Server, manage

WHAT = "guards: trials over 100,000 versions and 10,000 turns, by kind"
VERSIONS, QUICK_VERSIONS = 100_000, 2_000
TURNS, QUICK_TURNS = 10_000, 200
WANTED = 5_000
A_BATCH, BATCHES = 100, 10
SWEEP = """
import time
from django.utils import timezone
from apps.guards import trying
began = time.perf_counter()
while trying.sweep(now=timezone.now()):
    pass
print(time.perf_counter() - began)
"""
OBJECT = {"type": "object", "properties": {"step": {"type": "integer"}}}
OF_VERSIONS: list[tuple[str, dict[str, Any]]] = [
    ("null_spree", {}),
    ("schema", {"schema": OBJECT}),
    ("check", {"check": "state.step>=0 AND NOT state.step=null"}),
    ("check", {"check": "state.step>=was.step"}),
    ("unverified", {"fields": ["/destination", "/dates"]}),
    ("confirmation", {}),
    ("permission_denied", {}),
    ("low_confidence", {}),
]
OF_TURNS: list[tuple[str, dict[str, Any]]] = [
    ("loop", {}),
    ("context_overflow", {"turns": 1_000_000}),
    ("failing_tools", {}),
]


def run(setting: Setting) -> list[Finding]:
    versions = setting.count(VERSIONS, QUICK_VERSIONS)
    turns = setting.count(TURNS, QUICK_TURNS)
    with (
        machine.database("bench_trials") as dsn,
        machine.product(dsn, works=False) as server,
        closing(Client(server, server.key("bench", "--scope", "admin"))) as admin,
    ):
        _filled(server, admin, "stepping", versions)
        _turned(server, admin, "talking", turns)
        rates = {
            (of, _name(rule)): _rate(server, admin, agent, rule)
            for agent, of, rules in (
                ("stepping", "versions", OF_VERSIONS),
                ("talking", "turns", OF_TURNS),
            )
            for rule in rules
        }
    return [
        Finding(
            what=f"guards: a trial over {many:,} {of}, {name}",
            measured=WANTED / rate,
            limit=1.0,
            ours=f"{rate:,.0f} a second",
            other=f"{WANTED:,} a second are wanted",
        )
        for (of, name), rate in rates.items()
        for many in (versions if of == "versions" else turns,)
    ]


def _name(rule: tuple[str, dict[str, Any]]) -> str:
    kind, said = rule
    return f"{kind} `{said['check']}`" if kind == "check" else kind


def _rate(
    server: Server, admin: Client, agent: str, rule: tuple[str, dict[str, Any]]
) -> float:
    trial, seconds = _tried(server, admin, agent, *rule)
    return float(trial["looked_at"] / seconds)


def _tried(
    server: Server, admin: Client, agent: str, kind: str, rule: dict[str, Any]
) -> tuple[dict[str, Any], float]:
    """Try a guard to the end; return what was found, and in how many seconds."""
    name = f"{kind} {json.dumps(rule).decode()}"[:100]
    said = {"agent_id": agent, "name": name, "kind": kind, "rule": rule}
    guard = json.parse(admin.done("POST", "/v1/guards", said))["id"]
    path = f"/v1/guards/{guard}/try"
    trial = json.parse(admin.done("POST", path, {"days": 1}))
    said_by_it = manage(
        server.dsn,
        *("shell", "--no-imports", "-c", SWEEP),
        seconds=1_800,
        role=Role.WORKER,
    )
    trial = json.parse(admin.done("GET", f"{path}/{trial['id']}"))
    if trial["status"] != "done":
        raise RuntimeError(f"The trial is {trial['status']}.")
    return trial, float(said_by_it.split()[-1])


def _filled(server: Server, admin: Client, agent: str, versions: int) -> None:
    """Write so many versions, in sessions of a thousand."""
    state = states.small()

    def fill(own: Client, session: str) -> None:
        for batch in range(BATCHES):
            items = [
                {"state": {**state, "step": batch * A_BATCH + step}}
                for step in range(A_BATCH)
            ]
            own.done("POST", f"/v1/sessions/{session}/versions", {"versions": items})

    _each(server, admin, agent, max(1, versions // (A_BATCH * BATCHES)), fill)


def _turned(server: Server, admin: Client, agent: str, turns: int) -> None:
    """Write so many turns, each with a version, in sessions of a hundred."""
    state = states.small()

    def fill(own: Client, session: str) -> None:
        for step in range(100):
            said = {
                "input": {"text": f"Where is parcel {step}?"},
                "output": {"text": f"Parcel {step} is on its way."},
                "state_after": {**state, "step": step + 1},
            }
            own.done("POST", f"/v1/sessions/{session}/turns", said)

    _each(server, admin, agent, max(1, turns // 100), fill)


def _each(server: Server, admin: Client, agent: str, count: int, fill: Any) -> None:
    """Begin so many sessions, each with a small state, and fill them."""
    secret = admin.headers["X-API-Key"]

    def one(_: int) -> None:
        with closing(Client(server, secret)) as own:
            said = {"agent_id": agent, "initial_state": states.small()}
            made = json.parse(own.done("POST", "/v1/sessions", said))
            fill(own, str(made["id"]))

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(one, range(count)))
