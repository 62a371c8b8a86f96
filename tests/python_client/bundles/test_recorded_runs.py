"""Recorded runs of an agent of an airline, taken along and replayed offline.

Those that STEPBACK_RUNS names, or else one made by hand in the same form.
"""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path
from typing import Any

import pytest

from stepback import Stepback
from stepback.bundles import make_bundle, packing, read_bundle, replay
from stepback.cli.posting import post_run
from tests.live import Server

RECORDED = os.environ.get("STEPBACK_RUNS")
FEW = 3
PROFILE = {"name": {"first": "Mia"}, "email": "mia.li3818@example.com", "dob": "1990"}
BY_HAND = {
    "run": "by-hand",
    "messages": [
        {"role": "user", "content": "I am mia_li_3818, a flight to Seattle please"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "function": {
                        "name": "get_user_details",
                        "arguments": '{"user_id": "mia_li_3818"}',
                    },
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": json.dumps(PROFILE)},
        {"role": "assistant", "content": "I write to mia.li3818@example.com, Mia."},
    ],
}


def runs() -> list[dict[str, Any]]:
    if not RECORDED:
        return [BY_HAND]
    with Path(RECORDED).open() as lines:
        return [json.loads(line) for line in itertools.islice(lines, FEW)]


def agent(state: Any, run: Any) -> Any:
    """Call what the model asked for then, and remember what came of it."""
    results = []
    while True:
        try:
            said = run.reply()
        except LookupError:
            break
        for call in said.get("tool_calls") or []:
            asked = call["function"]
            results.append(run.call(asked["name"], json.loads(asked["arguments"])))
    return {**state, "results": results}


def values_at(value: Any, name: str) -> set[str]:
    """Return the texts that stand under a name, however deep."""
    found = set()
    if isinstance(value, dict):
        found = {one for key, one in value.items() if key == name}
        found = {one for one in found if isinstance(one, str)}
    if isinstance(value, (dict, list)):
        for one in value.values() if isinstance(value, dict) else value:
            found |= values_at(one, name)
    return found


@pytest.mark.parametrize("at", range(FEW if RECORDED else 1))
def test_a_recorded_run_is_answered_call_by_call_without_what_is_masked(
    at: int, live: Server, secret: str, agent_id: str, tmp_path: Path
) -> None:
    run = runs()[at]
    with Stepback(secret, live.url) as client:
        posted = post_run(client, agent_id, f"{agent_id}-{at}", run)
        told = client.sessions.bundle(posted["session_id"], masks=["/**/email"])
    file = tmp_path / "run.bundle"
    file.write_bytes(make_bundle(told, ["NOT state.results=null"]))
    asked = sum(len(one.get("tool_calls") or []) for one in run["messages"])
    secrets = set()
    for one in run["messages"]:
        if one["role"] == "tool" and str(one["content"]).startswith(("{", "[")):
            secrets |= values_at(json.loads(one["content"]), "email")

    found = replay(read_bundle(file), agent)

    assert found.passed
    assert found.raised is None
    assert len(found.state["results"]) == asked
    assert found.difference is not None, "it keeps other states than the record"
    assert found.difference.kind == "state"
    text = b"".join(packing.unpack(file).values()).decode().lower()
    assert [one for one in secrets if one.lower() in text] == []
    assert secrets or RECORDED
