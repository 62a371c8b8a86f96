"""A conversation that grows to a megabyte, every version kept: what it takes."""

from __future__ import annotations

from contextlib import ExitStack, closing

import psycopg

from tests.benchmarks import machine, states, stored
from tests.benchmarks.baselines import others
from tests.benchmarks.clients import Client
from tests.benchmarks.findings import Finding
from tests.benchmarks.setting import Setting

WHAT = "growing chat, 1,000 versions to about 1 MB"
VERSIONS = 1_000
MESSAGE_BYTES = 1_000
STATES = "SELECT sum(size)::bigint, max(size) FROM timeline_version"


def run(setting: Setting) -> list[Finding]:
    messages = states.chat(setting.count(VERSIONS, 40), MESSAGE_BYTES)
    with ExitStack() as opened:
        ours = opened.enter_context(machine.database("bench_chat"))
        theirs = opened.enter_context(
            machine.database("bench_chat_saver", migrated=False)
        )
        _post(ours, messages)
        saver = opened.enter_context(others.saver(theirs))
        kept = saver.keep(states.growing(messages))
        assert kept == len(messages), (kept, len(messages))
        connection = opened.enter_context(psycopg.connect(ours, autocommit=True))
        told = connection.execute(STATES).fetchone()
        mine = stored.total_bytes(connection)
        with psycopg.connect(theirs, autocommit=True) as connection:
            langgraph = stored.total_bytes(connection, stored.LANGGRAPH)
    assert told
    return _findings(mine, told[0], told[1], langgraph)


def _post(dsn: str, messages: list[dict[str, object]]) -> None:
    with (
        machine.product(dsn) as server,
        closing(Client(server, server.key("bench"))) as client,
    ):
        session = client.begin({"step": 0, "messages": messages[:1]})
        path = f"/v1/sessions/{session}/state"
        for count in range(2, len(messages) + 1):
            state = {"step": count, "messages": messages[:count]}
            client.done("PATCH", path, {"state": state})


def _findings(mine: int, states_sum: int, last: int, langgraph: int) -> list[Finding]:
    common = {"ours": f"{mine / 1e6:,.2f} MB"}
    return [
        Finding(
            what=f"{WHAT}, all tables and indexes: to the sum of states",
            measured=mine / states_sum,
            limit=1 / 40,
            other=f"{states_sum / 1e6:,.1f} MB, the last {last / 1e6:,.2f} MB",
            **common,
        ),
        Finding(
            what=f"{WHAT}, all tables and indexes: to PostgresSaver",
            measured=mine / langgraph,
            limit=1 / 25,
            other=f"{langgraph / 1e6:,.1f} MB",
            **common,
        ),
    ]
