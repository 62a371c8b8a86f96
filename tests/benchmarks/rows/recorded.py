"""Sizes and speed on recorded runs, which nobody made up for a benchmark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg

from tests.benchmarks import machine, stored
from tests.benchmarks.baselines import others
from tests.benchmarks.findings import Finding
from tests.benchmarks.setting import Setting
from tests.replay import runs
from tests.replay.replaying import THREADS, Summary, replay
from tests.replay.steps import steps

WHAT = "recorded runs (`python -m tests.replay`)"
SHOWN = """
SELECT sum(b.size)::bigint,
       (SELECT sum(octet_length(data)) FROM timeline_body)::bigint
  FROM timeline_version v
  JOIN timeline_body b ON b.session_id = v.session_id AND b.number = v.body_number
"""
QUICK_RUNS = 3


def run(setting: Setting) -> list[Finding]:
    file = setting.runs_file
    if file is None:
        return [
            Finding(
                what=WHAT,
                measured=0,
                unit="runs",
                note="not measured: STEPBACK_RUNS names no file",
            )
        ]
    limit = QUICK_RUNS if setting.quick else None
    with ExitStack() as opened:
        ours = opened.enter_context(machine.database("bench_recorded"))
        theirs = opened.enter_context(
            machine.database("bench_recorded_saver", migrated=False)
        )
        with machine.product(ours) as server:
            secret = server.key("replay")
            summary = replay(file, url=server.url, secret=secret, limit=limit)
        saver = opened.enter_context(others.saver(theirs))
        puts = saver.keep(_channels(file, limit))
        connection = opened.enter_context(psycopg.connect(ours, autocommit=True))
        told = connection.execute(SHOWN).fetchone()
        mine = stored.total_bytes(connection)
        with psycopg.connect(theirs, autocommit=True) as connection:
            langgraph = stored.total_bytes(connection, stored.LANGGRAPH)
    assert told
    sizes = (mine, told[0], told[1], langgraph)
    return _findings(summary, puts, *sizes)


def _channels(file: Path, limit: int | None) -> Iterator[dict[str, Any]]:
    """Yield what a graph would keep of each step: the same parts, as channels."""
    for one in runs.read(file, limit):
        for step in steps(one):
            messages = {"messages": step.messages, "tool_results": step.tool_results}
            yield {"thread": one.digest, "values": step.state | messages}


def _findings(
    summary: Summary, puts: int, mine: int, shown: int, bodies: int, langgraph: int
) -> list[Finding]:
    about = f"{len(summary.sessions)} runs, {summary.versions:,} versions"
    ours = f"{mine / 1e6:,.2f} MB"
    rate = summary.versions / summary.posting_seconds
    return [
        Finding(
            what=f"{WHAT}: versions posted a second, {THREADS} clients",
            measured=rate,
            unit="/s",
            ours=about,
            note="clients in Python, with turns and tool calls beside the versions, "
            "all of it read back and compared",
        ),
        Finding(
            what=f"{WHAT}: stored bodies to what all versions show",
            measured=bodies / shown,
            ours=f"{bodies / 1e6:,.2f} MB",
            other=f"{shown / 1e6:,.2f} MB",
        ),
        Finding(
            what=f"{WHAT}, all tables and indexes: to PostgresSaver",
            measured=mine / langgraph,
            limit=1.81,
            ours=ours,
            other=f"{langgraph / 1e6:,.2f} MB, {puts:,} puts",
            note="with turns, changes and events, which PostgresSaver does not keep",
        ),
    ]
