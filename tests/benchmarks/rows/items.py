"""What one item more in a large state adds to what is stored."""

from __future__ import annotations

from contextlib import closing
from statistics import median

import psycopg

from tests.benchmarks import machine, states, stored
from tests.benchmarks.clients import Client
from tests.benchmarks.findings import Finding
from tests.benchmarks.setting import Setting

WHAT = "one item appended to an 8 MB state"
STATE_BYTES = 8_000_000
APPENDS = 9


def run(setting: Setting) -> list[Finding]:
    items = states.chat(STATE_BYTES // 262 + APPENDS, 262)
    count = setting.count(APPENDS, 2)
    with (
        machine.database("bench_item") as dsn,
        machine.product(dsn) as server,
        closing(Client(server, server.key("bench"))) as client,
        psycopg.connect(dsn, autocommit=True) as connection,
    ):
        begin = len(items) - APPENDS
        session = client.begin({"items": items[:begin]})
        for at in range(count):
            state = {"items": items[: begin + at + 1]}
            client.done("PATCH", f"/v1/sessions/{session}/state", {"state": state})
        rows = [
            stored.bytes_of_version(connection, session, number)
            for number in range(1, count + 1)
        ]
        whole = stored.bytes_of_version(connection, session, 0)
    return [
        Finding(
            what=f"{WHAT}: stored in all tables, median of {count}",
            measured=median(rows) / 1000,
            limit=20,
            unit="KB",
            ours=f"{min(rows):,}-{max(rows):,} bytes",
            other=f"{whole / 1000:,.0f} KB for version 0",
            note="every 32nd version keeps its state whole, compressed",
        )
    ]
