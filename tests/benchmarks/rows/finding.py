"""The list of sessions and its facets, where sessions have tasks, a schema and a cost.

Beside as many sessions that have none of it: what a row and a facet of these cost a
reader who only looks at the list.
"""

from __future__ import annotations

from contextlib import ExitStack, closing
from typing import Any

from apps.core import json
from tests.benchmarks import machine
from tests.benchmarks.clients import Client
from tests.benchmarks.findings import Finding, noise_text
from tests.benchmarks.pairs import Lane, alternate
from tests.benchmarks.rows.pages import PROJECT, signed_in
from tests.benchmarks.setting import Setting

WHAT = "list of 1,000 sessions with tasks, schemas and costs to those without"
SESSIONS, QUICK_SESSIONS = 1_000, 60
TIMES = 15
STATUSES = ("completed", "in_progress", "failed", "pending")
# What is asked of both, and how much longer it may take. Facets are a request of their
# own, and there is more to count: that is told, and held to nothing.
ASKED: dict[str, tuple[str, float | None]] = {
    "list of sessions": ("/sessions?q=", 1.1),
    "those of a search": ("/sessions?q=state.status%3Dopen", 1.1),
    "facets and histogram": ("/sessions/narrow?q=", None),
}


def run(setting: Setting) -> list[Finding]:
    times = setting.count(TIMES, 3)
    lanes: dict[str, dict[str, Lane]] = {}
    with ExitStack() as opened:
        for name in ("working", "plain"):
            dsn = opened.enter_context(machine.database(f"bench_{name}"))
            server = opened.enter_context(machine.product(dsn))
            client = opened.enter_context(closing(Client(server, server.key(PROJECT))))
            for number in range(setting.count(SESSIONS, QUICK_SESSIONS)):
                _begin(client, number, works=name == "working")
            reader = opened.enter_context(signed_in(server))
            lanes[name] = {
                what: reader.lane(f"/console/{PROJECT}{path}", times=times)
                for what, (path, _) in ASKED.items()
            }
        found = {
            what: alternate(
                {name: lanes[name][what] for name in lanes}, rounds=setting.rounds
            )
            for what in ASKED
        }
    return [
        Finding(
            what=f"console, sessions with tasks, schema and cost, to without: {what}",
            measured=samples.ratio("working", "plain"),
            limit=ASKED[what][1],
            ours=f"{samples.median('working'):,.1f} ms",
            other=f"{samples.median('plain'):,.1f} ms",
            noise=noise_text(samples.noise("working")),
        )
        for what, samples in found.items()
    ]


def _begin(client: Client, number: int, *, works: bool) -> None:
    """Make a session with a turn; `works`: with all that it can be found by."""
    body: dict[str, Any] = {
        "agent_id": "travel",
        "initial_state": {"status": "open", "n": number},
    }
    turn: dict[str, Any] = {"input": "Hi", "output": "Hello"}
    if works:
        body["schema_version"] = f"{1 + number % 3}.0.0"
        body["tasks"] = [
            {"id": f"t{place}", "title": f"Step {place}", "status": status}
            for place, status in enumerate(STATUSES[: 1 + number % 4])
        ]
        turn["usage"] = {
            "cost": f"0.{number:04}",
            "currency": "USD",
            "input_tokens": number,
        }
    answer = client.done("POST", "/v1/sessions", body)
    session = json.parse(answer)["id"]
    client.done("POST", f"/v1/sessions/{session}/turns", turn)
