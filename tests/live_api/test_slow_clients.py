"""Slow clients, two hundred of each kind at once, keep nobody else waiting.

How fast the others are answered meanwhile is measured by `python -m tests.slow`; here
it counts that they are, on a machine that is busy with other tests.
"""

from __future__ import annotations

import json
import resource
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import httpx
import pytest

from apps.core.http.problems.problem import INVALID
from apps.server.front.bodies import START_SECONDS
from tests.live import Server
from tests.races.traffic import Line
from tests.slow.clients import ADDRESSES, Slowness, Target, kinds

# For a machine that is busy.
LATE_SECONDS = 60.0
PROBES = 20


@pytest.fixture(scope="module", autouse=True)
def descriptors() -> None:
    """Let this process have as many connections as all kinds together need."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 256 + 15 * ADDRESSES
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard), hard))


@pytest.fixture(scope="module")
def target(live: Server) -> Target:
    secret = live.key("slow-clients")
    with live.client(secret) as client:
        begun = {"agent_id": "slow", "initial_state": {"large": "x" * 300_000}}
        made = client.post("/v1/sessions", json=begun).json()
    return Target(url=live.url, key=secret, session=made["id"])


@contextmanager
def driven(slowness: Slowness, seconds: float) -> Iterator[None]:
    thread = threading.Thread(target=slowness.go_on, args=[seconds])
    thread.start()
    try:
        yield
    finally:
        thread.join()


def test_two_hundred_slow_clients_of_each_kind_keep_nobody_waiting(
    live: Server, target: Target
) -> None:
    every = {name: kind for name, kind in kinds(target).items() if not kind.is_large}
    in_time = [name for name, kind in every.items() if kind.expected == "408"]
    with Slowness(target, *every) as slowness:
        with driven(slowness, START_SECONDS - 2), live.client(target.key) as client:
            _ask_everything(live, client)
        _wait_until_ended(slowness, in_time)
        after = slowness.outcomes
        crowds = {name: slowness.crowds[name] for name in in_time}
        answers = [crowd.one_answer for crowd in crowds.values()]

    assert after["made-up key, no body"] == {"401": ADDRESSES}
    for name in in_time:
        # Nobody was sent away before his time, and everybody at it.
        assert crowds[name].shortest_wait >= START_SECONDS, name
        assert after[name] == {"408": ADDRESSES}, name
    said = live.log.read_text()
    for answer in answers:
        _is_the_usual_error(answer, said)


def _ask_everything(live: Server, client: httpx.Client) -> None:
    """Ask what others ask, also on new connections; all of it is answered."""
    begun = {"agent_id": "quick", "initial_state": {"step": 0}}
    session = f"/v1/sessions/{client.post('/v1/sessions', json=begun).json()['id']}"
    for step in range(1, PROBES + 1):
        with closing(Line(live.url, "")) as stranger:
            for path in ("/health/live", "/health/ready", "/signin"):
                assert stranger.get(path).status == 200
        written = client.patch(f"{session}/state", json={"state": {"step": step}})
        assert (written.status_code, written.json()["version"]) == (200, step)
        assert client.get(f"{session}/state").json()["state"] == {"step": step}


def _wait_until_ended(slowness: Slowness, names: list[str]) -> None:
    """Wait until their connections were ended; not for ever."""
    crowds = [slowness.crowds[name] for name in names]
    deadline = time.monotonic() + 2 + LATE_SECONDS
    while any(len(crowd.ended) < ADDRESSES for crowd in crowds):
        assert time.monotonic() < deadline, str(slowness.outcomes)
        slowness.go_on(0.5)


def _is_the_usual_error(answer: bytes, log: str) -> None:
    head, _, body = answer.partition(b"\r\n\r\n")
    error = json.loads(body)["error"]
    assert (error["code"], error["type"]) == ("request_timeout", INVALID)
    assert b"content-security-policy" in head
    assert error["request_id"].encode() in head
    assert error["request_id"] in log
