"""Bringing a fix back, and places of a large state, beside writing what they make.

What a write of the same result costs is the bar: the whole is sent, received, compared
and stored. What a merge has beside is to read three states and to put them together.
"""

from __future__ import annotations

from contextlib import closing
from itertools import count
from typing import Any

from apps.core import json
from apps.diffs.merging import merge
from tests.benchmarks import machine, states
from tests.benchmarks.clients import Client
from tests.benchmarks.findings import Finding, noise_text
from tests.benchmarks.pairs import Samples, alternate, milliseconds
from tests.benchmarks.rows.merging import chat
from tests.benchmarks.setting import Setting

WHAT = "promote"
PROMOTED_BYTES, QUICK_PROMOTED = 1_000_000, 50_000
RESTORED_BYTES, QUICK_RESTORED = 16_000_000, 2_000_000


def run(setting: Setting) -> list[Finding]:
    with (
        machine.database("bench_promote") as dsn,
        machine.product(dsn) as server,
        closing(Client(server, server.key("bench"))) as client,
    ):
        promoted = _promoted(client, setting)
        restored = _restored(client, setting)
    return [
        _finding(
            "promote of a fork's fix, 1 MB: to PUT of the result and the merge alone",
            promoted,
            ("promote", "put and merge"),
            1.3,
        ),
        _finding(
            "restore of one place in 16 MB: to PUT of the result",
            restored,
            ("restore", "put"),
            1.2,
        ),
    ]


def _finding(
    what: str, samples: Samples, lanes: tuple[str, str], limit: float
) -> Finding:
    ours, other = lanes
    return Finding(
        what=what,
        measured=samples.ratio(ours, other),
        limit=limit,
        ours=f"{samples.median(ours):,.0f} ms",
        other=f"{samples.median(other):,.0f} ms",
        noise=noise_text(samples.noise(ours)),
    )


def _promoted(client: Client, setting: Setting) -> Samples:
    """Promote one change of a fork after the other into a session that goes on."""
    base = chat(setting.count(PROMOTED_BYTES, QUICK_PROMOTED))
    session, other = client.begin(base), client.begin(base)
    answer = client.done("POST", f"/v1/sessions/{session}/fork", {})
    fork = json.parse(answer)["id"]
    steps = count(1)

    def promote() -> float:
        step = next(steps)
        _patch(client, fork, {"plan": {"paid": True, "step": step}})
        head = _patch(client, session, {"step": step})
        body = {"fork": fork, "expected_version": head, "reasoning": "measured"}
        path = f"/v1/sessions/{session}/promote"
        return milliseconds(lambda: client.done("POST", path, body))

    def put_and_merge() -> float:
        step = next(steps)
        _patch(client, other, {"step": step})
        ours = base | {"step": step}
        theirs = base | {"plan": {"paid": True, "step": step}}
        result = json.dumps({"state": ours | {"plan": theirs["plan"]}})
        path = f"/v1/sessions/{other}/state"
        put = milliseconds(lambda: client.done("PUT", path, result))
        return put + milliseconds(lambda: merge(base, ours, theirs))

    lanes = {"promote": promote, "put and merge": put_and_merge}
    return alternate(lanes, rounds=setting.rounds)


def _restored(client: Client, setting: Setting) -> Samples:
    """Set one place back in a large state, and write the same by sending it whole."""
    state = states.large(setting.count(RESTORED_BYTES, QUICK_RESTORED))
    session, other = client.begin(state), client.begin(state)
    steps = count(1)

    def restore() -> float:
        head = _patch(client, session, {"step": f"wrong {next(steps)}"})
        body = {"version": 0, "pointers": ["/step"], "expected_version": head}
        path = f"/v1/sessions/{session}/restore"
        return milliseconds(lambda: client.done("POST", path, body))

    def put() -> float:
        _patch(client, other, {"step": f"wrong {next(steps)}"})
        whole = json.dumps({"state": state})
        path = f"/v1/sessions/{other}/state"
        return milliseconds(lambda: client.done("PUT", path, whole))

    return alternate({"restore": restore, "put": put}, rounds=setting.rounds)


def _patch(client: Client, session_id: str, state: dict[str, Any]) -> int:
    """Merge into the state, not measured; return the head's number."""
    path = f"/v1/sessions/{session_id}/state"
    minimal = {"Prefer": "return=minimal"}
    answer = client.done("PATCH", path, {"state": state}, **minimal)
    return int(json.parse(answer)["version"])
