"""One append or one turn a request, against a bare insert and LangGraph's Agent Server.

The sessions are met in random order, so that a worker remembers the heads of about
half of them: the others were stored by another worker last.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from time import perf_counter

import psycopg

from tests.benchmarks import machine, states
from tests.benchmarks.baselines import others
from tests.benchmarks.clients import begin_sessions, begin_threads
from tests.benchmarks.findings import Finding, noise_text
from tests.benchmarks.pairs import Lane, Samples, alternate
from tests.benchmarks.setting import Setting
from tests.benchmarks.traffic import CONNECTIONS, Plan, plan
from tests.live import Server

WHAT = "append over HTTP, everything on, 1 KB state, 16 connections"
TURN_WHAT = "turn with a tool call that leaves another state, 16 connections"
SESSIONS = 10_000
# The Agent Server keeps its threads in memory, and takes 10 ms to make one.
THREADS = 256
TEXTS = states.texts(997, 196)
INSERT = "INSERT INTO bare (data) VALUES (%b)"


def run(setting: Setting) -> list[Finding]:
    with ExitStack() as opened:
        lanes = _lanes(setting, opened)
        return _findings(alternate(lanes, rounds=setting.rounds))


def _lanes(setting: Setting, opened: ExitStack) -> dict[str, Lane]:
    state = states.small()
    body = b'{"state": ' + states.template(state) + b"}"
    ours = opened.enter_context(machine.database("bench_append"))
    theirs = opened.enter_context(machine.database("bench_bare", migrated=False))
    server = opened.enter_context(machine.product(ours))
    bare = opened.enter_context(others.bare(theirs))
    agents = opened.enter_context(others.agent_server())
    common = {"texts": TEXTS, "seconds": setting.seconds}
    values = b'{"as_node": "node", "values": ' + states.template(state) + b"}"
    threads = begin_threads(agents, THREADS)
    thread_paths = [f"/threads/{one}/state" for one in threads]
    plans = {
        "bare insert": plan(bare, "POST", ["/insert"], body=body, **common),
        "bare insert, parsed": plan(bare, "POST", ["/parse"], body=body, **common),
        "Agent Server": plan(agents, "POST", thread_paths, body=values, **common),
    }
    secret = server.key("bench")
    ids = begin_sessions(server, secret, [state] * setting.count(SESSIONS, 256))
    random.Random(1).shuffle(ids)
    writes = {"texts": TEXTS, "seconds": setting.seconds}
    writes |= {"headers": {"X-API-Key": secret}}
    turns = [f"/v1/sessions/{one}/turns" for one in ids]
    plans["turn"] = plan(server.url, "POST", turns, body=_turn(state), **writes)
    paths = [f"/v1/sessions/{one}/state" for one in ids]
    plans["append"] = plan(server.url, "PATCH", paths, body=body, **writes)
    lanes: dict[str, Lane] = {}
    for name, each in plans.items():
        lanes[name] = opened.enter_context(each).rate
    pool = opened.enter_context(_connections(theirs))
    lanes["psycopg"] = lambda: _inserts(pool, body, setting.seconds)
    return lanes


def _turn(state: dict[str, object]) -> bytes:
    """Return the body of a turn with one tool call, and the state that it left."""
    said = (
        b'{"input": "Please book it.", "output": {"content": "Booked.", "tool_calls":'
        b' [{"id": "call_1", "name": "book", "arguments": {"nights": 2}}]}'
    )
    return said + b', "state_after": ' + states.template(state) + b"}"


@contextmanager
def appending(
    server: Server,
    state: dict[str, object],
    setting: Setting,
    *,
    sessions: int = THREADS,
    seconds: float | None = None,
) -> Iterator[Plan]:
    """Give the plan that patches so many sessions of the server, in random order."""
    secret = server.key("bench")
    ids = begin_sessions(server, secret, [state] * sessions)
    random.Random(1).shuffle(ids)
    with plan(
        server.url,
        "PATCH",
        [f"/v1/sessions/{one}/state" for one in ids],
        body=b'{"state": ' + states.template(state) + b"}",
        headers={"X-API-Key": secret},
        texts=TEXTS,
        seconds=setting.seconds if seconds is None else seconds,
    ) as patches:
        yield patches


@contextmanager
def _connections(dsn: str) -> Iterator[list[psycopg.Connection]]:
    with ExitStack() as opened:
        yield [
            opened.enter_context(psycopg.connect(dsn, autocommit=True))
            for _ in range(CONNECTIONS)
        ]


def _inserts(
    connections: list[psycopg.Connection], body: bytes, seconds: float
) -> float:
    """Insert the same bytes on all connections, one thread each; return the rate."""
    begin = perf_counter()

    def insert(connection: psycopg.Connection) -> int:
        for count in itertools.count():
            if perf_counter() > begin + seconds:
                return count
            connection.execute(INSERT, [body], prepare=True)
        raise AssertionError

    with ThreadPoolExecutor(len(connections)) as pool:
        total = sum(pool.map(insert, connections))
    return total / (perf_counter() - begin)


def _findings(samples: Samples) -> list[Finding]:
    def finding(
        other: str,
        said: str,
        limit: float | None = None,
        note: str = "",
        *,
        what: str = WHAT,
        lane: str = "append",
    ) -> Finding:
        return Finding(
            what=f"{what}: to {said}",
            measured=samples.ratio(lane, other),
            limit=limit,
            at_least=True,
            ours=f"{samples.median(lane):,.0f}/s",
            other=f"{samples.median(other):,.0f}/s",
            noise=noise_text(samples.noise(lane)),
            note=note,
        )

    return [
        finding("bare insert", "a bare DRF + granian view, one insert", 0.6),
        finding("bare insert, parsed", "the same view when it parses the JSON"),
        finding(
            "Agent Server",
            "LangGraph's dev Agent Server updating thread state",
            2.1,
            "in memory, not durable",
        ),
        finding("psycopg", "raw psycopg inserts, 16 threads of one process"),
        finding(
            "bare insert",
            "a bare DRF + granian view, one insert",
            0.5,
            what=TURN_WHAT,
            lane="turn",
        ),
    ]
