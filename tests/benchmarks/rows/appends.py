"""One append a request, against a bare insert and LangGraph's Agent Server."""

from __future__ import annotations

import itertools
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
SESSIONS = 256
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
    threads = begin_threads(agents, SESSIONS)
    thread_paths = [f"/threads/{one}/state" for one in threads]
    plans = {
        "bare insert": plan(bare, "POST", ["/insert"], body=body, **common),
        "bare insert, parsed": plan(bare, "POST", ["/parse"], body=body, **common),
        "Agent Server": plan(agents, "POST", thread_paths, body=values, **common),
    }
    lanes: dict[str, Lane] = {
        "append": opened.enter_context(appending(server, state, setting)).rate
    }
    for name, each in plans.items():
        lanes[name] = opened.enter_context(each).rate
    pool = opened.enter_context(_connections(theirs))
    lanes["psycopg"] = lambda: _inserts(pool, body, setting.seconds)
    return lanes


@contextmanager
def appending(
    server: Server, state: dict[str, object], setting: Setting
) -> Iterator[Plan]:
    """Give the plan that patches 256 sessions of the server in turn."""
    secret = server.key("bench")
    ids = begin_sessions(server, secret, [state] * SESSIONS)
    with plan(
        server.url,
        "PATCH",
        [f"/v1/sessions/{one}/state" for one in ids],
        body=b'{"state": ' + states.template(state) + b"}",
        headers={"X-API-Key": secret},
        texts=TEXTS,
        seconds=setting.seconds,
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
        other: str, said: str, limit: float | None = None, note: str = ""
    ) -> Finding:
        return Finding(
            what=f"{WHAT}: to {said}",
            measured=samples.ratio("append", other),
            limit=limit,
            at_least=True,
            ours=f"{samples.median('append'):,.0f}/s",
            other=f"{samples.median(other):,.0f}/s",
            noise=noise_text(samples.noise("append")),
            note=note,
        )

    return [
        finding("bare insert", "a bare DRF + granian view, one insert", 0.6),
        finding("bare insert, parsed", "the same view when it parses the JSON"),
        finding(
            "Agent Server",
            "LangGraph's dev Agent Server updating thread state",
            3,
            "in memory, not durable",
        ),
        finding("psycopg", "raw psycopg inserts, 16 threads of one process"),
    ]
