"""Bundles made by hand: a run that found seats, took one, and said so."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stepback.bundles import make_bundle

STATES: list[Any] = [
    {"flight": "SK 1"},
    {"flight": "SK 1", "seats": ["12A", "14C"]},
    {"flight": "SK 1", "seats": ["12A", "14C"], "seat": "12A"},
]


def call(tool: str, arguments: Any, output: Any, version: int) -> dict[str, Any]:
    """A reported call, as a turn of a trajectory."""
    return {
        "type": "turn",
        "turn_number": version,
        "version": version,
        "created_at": f"2026-11-27T10:00:0{version}Z",
        "input": {
            "type": "tool_call",
            "tool_metadata": {"name": tool, "arguments": arguments},
        },
        "output": {"content": str(output), "output": output},
    }


CALLS = [
    call("find_seats", {"flight": "SK 1"}, ["12A", "14C"], 1),
    call("take_seat", {"seat": "12A"}, {"ok": True}, 2),
]
MESSAGES = [
    {"role": "user", "content": "A seat on SK 1"},
    {"role": "assistant", "content": "You have 12A."},
]


def version(number: int, state: Any, **more: Any) -> dict[str, Any]:
    told = {"type": "version", "version": number, "state": state, "chain": f"{number}"}
    return {**told, "set_aside_by": None, **more}


def trajectory(
    states: Sequence[Any] = STATES,
    beside: Sequence[Any] = CALLS,
    messages: Any = MESSAGES,
    versions: Sequence[Any] | None = None,
) -> bytes:
    """The lines of a run, as the server answers them."""
    header = {
        "type": "header",
        "format": "stepback-trajectory/1",
        "session": {"id": "sess_1", "agent_id": "seats", "version": len(states) - 1},
    }
    lines = [
        header,
        *(versions or [version(at, one) for at, one in enumerate(states)]),
        *beside,
        {"type": "conversation", "messages": messages, "tool_results": None},
    ]
    text = b"".join(json.dumps(one).encode() + b"\n" for one in lines)
    trailer = {
        "type": "trailer",
        "versions": sum(one["type"] == "version" for one in lines),
        "turns": sum(one["type"] == "turn" for one in lines),
        "chain_end": next(
            one["chain"] for one in reversed(lines) if one["type"] == "version"
        ),
        "masked": {"values": 0, "short_values": 0},
        "sha256": hashlib.sha256(text).hexdigest(),
    }
    return text + json.dumps(trailer).encode() + b"\n"


def write(path: Path, checks: Sequence[str] = (), **given: Any) -> Path:
    path.write_bytes(make_bundle(trajectory(**given), checks))
    return path


def agent(state: Any, run: Any) -> Any:
    """Do as was recorded."""
    seats = run.call("find_seats", {"flight": state["flight"]})
    state = {**state, "seats": seats}
    yield state
    run.call("take_seat", seat=seats[0])
    yield {**state, "seat": seats[0]}
