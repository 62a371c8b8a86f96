"""The part of `appends` that is measured over HTTP: writes, reads, rollbacks.

The clients are threads of one process, on the same machine as the server.
"""

import sys
from collections.abc import Callable
from contextlib import ExitStack, closing
from functools import partial
from statistics import mean, median, quantiles
from time import perf_counter
from typing import Any

import psycopg

from apps.core import json
from tests.benchmarks.bodies import make_messages
from tests.live import Server
from tests.races.traffic import Line, at_once

ROUNDS = 5
SECONDS = 1.2
CONNECTIONS = (1, 8)
ROLLBACKS = 15
MIB = 2**20

MESSAGES = make_messages(64)
STATE = {"messages": MESSAGES[:7], "step": -1, "said": ""}
STORED_BYTES = (
    "SELECT count(*), coalesce(sum(octet_length(data)), 0) FROM timeline_body"
)


def change(step: int) -> dict[str, Any]:
    """Return what an agent sends with a step: its number and some 200 new bytes."""
    return {"step": step, "said": MESSAGES[step % 64]["content"]}


class Client:
    """One connection that works on a session of its own."""

    def __init__(self, server: Server, secret: str, state: dict[str, Any]) -> None:
        self.line, self.step = Line(server.url, secret), 0
        self.path = f"/v1/sessions/{self._begun(state)}"

    def _begun(self, state: dict[str, Any]) -> str:
        body = {"agent_id": "bench", "initial_state": state}
        return str(self.line.post("/v1/sessions", body).body["id"])

    def patch(self) -> float:
        self.step += 1
        return self._timed("PATCH", "/state", {"state": change(self.step)})

    def get(self) -> float:
        return self._timed("GET", "/state", None)

    def rollback(self) -> float:
        return self._timed("POST", "/rollback", {"version": 0})

    def close(self) -> None:
        self.line.close()

    def _timed(self, method: str, path: str, body: Any) -> float:
        start = perf_counter()
        answer = self.line.send(method, self.path + path, body)
        taken = perf_counter() - start
        assert answer.status == 200, answer.content
        return taken * 1000


def volley(act: Callable[[], float]) -> list[float]:
    """Repeat the act for a while; return what each took."""
    times, until = [], perf_counter() + SECONDS
    while perf_counter() < until:
        times.append(act())
    return times


def report_traffic(clients: list[Client]) -> None:
    """Print rates and latencies; the clients share the machine with the server."""
    verbs: dict[str, Callable[[Client], float]]
    verbs = {"PATCH": Client.patch, "GET": Client.get}
    lanes = [(verb, count) for count in CONNECTIONS for verb in verbs]
    rates: dict[tuple[str, int], list[float]] = {lane: [] for lane in lanes}
    times: dict[tuple[str, int], list[float]] = {lane: [] for lane in lanes}
    for verb, count in lanes * ROUNDS:
        acts = [partial(verbs[verb], client) for client in clients[:count]]
        found = at_once([partial(volley, act) for act in acts])
        # Over the time its last answer took too, which ends after the volley.
        rates[verb, count].append(sum(1000 / mean(each) for each in found))
        times[verb, count] += [taken for each in found for taken in each]
    sys.stdout.write("HTTP, granian, 2 workers, 2 KB of state\n")
    for lane in lanes:
        cuts = quantiles(times[lane], n=100)
        sys.stdout.write(
            f"  {lane[0]:5} {lane[1]} connections {median(rates[lane]):7.0f}/s"
            f"  p50 {cuts[49]:6.2f} ms  p99 {cuts[98]:6.2f} ms\n"
        )


def report_rollback(client: Client, dsn: str) -> None:
    """Print what stepping back costs when the state is large: no bytes at all."""
    client.patch()
    with psycopg.connect(dsn, autocommit=True) as connection:
        before = connection.execute(STORED_BYTES).fetchone()
        times = [client.rollback() for _ in range(ROLLBACKS)]
        after = connection.execute(STORED_BYTES).fetchone()
    assert before
    assert after
    sys.stdout.write(
        f"rollback of 1 MiB over HTTP, {ROLLBACKS} times: {median(times):.1f} ms, "
        f"rows added to timeline_body: {after[0] - before[0]}, "
        f"bytes added: {after[1] - before[1]}\n"
    )


def large_state() -> dict[str, Any]:
    """Return a state of 1 MiB, most of which does not repeat itself."""
    state = {"messages": make_messages(3_500), "rest": ""}
    return state | {"rest": "x" * (MIB - len(json.dumps(state)))}


def report(server: Server) -> None:
    """Print everything that is measured over HTTP."""
    secret = server.key("bench")
    with ExitStack() as opened:
        clients = [
            opened.enter_context(closing(Client(server, secret, state)))
            for state in [STATE] * max(CONNECTIONS) + [large_state()]
        ]
        report_traffic(clients[:-1])
        report_rollback(clients[-1], server.dsn)
