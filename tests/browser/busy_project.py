"""A project in which 10,000 acts came after what tests look for.

What a page says of a project must not depend on how much has been done since: lists of
the newest acts end long before what these stories tell of. Acts are versions, made by
the API in batches of 100; that takes some ten seconds, so there is one such project for
all tests of a process, and what they look for is begun before the acts.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import httpx

from tests.live import Server, manage

SLUG = "busy"
ACTS = 10_000
BATCH = 100
# One for each process of the server.
WRITERS = 2


@dataclass(frozen=True, kw_only=True)
class BusyProject:
    """The sessions that were begun first, and a client of the project's API."""

    server: Server
    api: httpx.Client
    # An agent called a tool on v2, then stored v3; its user and names stand on pages.
    trip: str
    fork: str
    # Sessions that people have to look at, each with the version that says so.
    open: dict[str, tuple[str, int]]

    def path(self, *rest: Any) -> str:
        return "/".join([self.server.url, "console", SLUG, *map(str, rest)])


def make(server: Server, api: httpx.Client, people: dict[str, str]) -> BusyProject:
    """Begin the stories, then do so much that none is among the newest acts."""
    trip = _trip(api)
    made = BusyProject(
        server=server, api=api, trip=trip, fork=_fork(api, trip), open=_open(api)
    )
    for name, role in people.items():
        manage(server.dsn, "set_role", name, role, "--project", SLUG)
    bury(api)
    return made


def bury(api: httpx.Client, acts: int = ACTS) -> None:
    """Do this many acts, each of them newer than all that is there."""
    per_session = acts // WRITERS

    def write(writer: int) -> None:
        begun = {"agent_id": f"busy-{writer}", "initial_state": {"n": 0}}
        session_id = _begun(api, begun)
        # They change nothing, so that each stores no body.
        nothing = {"versions": [{"state": {}}] * BATCH}
        for _ in range(0, per_session, BATCH):
            _done(api.post(f"/v1/sessions/{session_id}/versions", json=nothing))

    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(write, range(WRITERS)))


def _trip(api: httpx.Client) -> str:
    """An agent that calls, then stores, as agents do."""
    begun = {
        "agent_id": "travel-agent",
        "user_id": "cust_3084",
        "external_id": "booking-TRV-48213",
        "initial_state": {"destination": "NYC"},
    }
    session_id = _begun(api, begun)
    where = f"/v1/sessions/{session_id}"
    _done(api.patch(f"{where}/state", json={"state": {"flight": "UA1"}}))
    _done(api.patch(f"{where}/state", json={"state": {"step": "paying"}}))
    call = {"name": "charge_card", "arguments": {"amount": 120}, "id": "call_7"}
    said = {"type": "tool_call", "content": "", "tool_metadata": call}
    _done(api.post(f"{where}/turns", json={"input": said, "output": "ok"}))
    _done(api.patch(f"{where}/state", json={"state": {"paid": True}}))
    return session_id


def _fork(api: httpx.Client, trip: str) -> str:
    fork = _done(api.post(f"/v1/sessions/{trip}/fork", json={"version": 2}))
    session_id: str = fork["id"]
    state = {"state": {"step": "trying"}}
    _done(api.patch(f"/v1/sessions/{session_id}/state", json=state))
    return session_id


def _open(api: httpx.Client) -> dict[str, tuple[str, int]]:
    """One session that waits, one that lost something, one that is held."""
    waiting, lost, held = (
        _begun(api, {"agent_id": "travel-agent", "initial_state": state})
        for state in ({"escalated": True}, {"destination": "NYC"}, {"a": 1})
    )
    state = {"state": {"destination": None}}
    _done(api.patch(f"/v1/sessions/{lost}/state", json=state))
    _done(api.post(f"/v1/sessions/{held}/pause", json={}))
    return {"waiting": (waiting, 0), "flagged": (lost, 1), "held": (held, 1)}


def _begun(api: httpx.Client, begun: dict[str, Any]) -> str:
    session_id: str = _done(api.post("/v1/sessions", json=begun))["id"]
    return session_id


def _done(answer: httpx.Response) -> Any:
    assert answer.is_success, answer.text
    return answer.json()
