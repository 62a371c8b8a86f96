"""LangGraph's checkpoints kept here, over HTTP, and by PostgresSaver in its process."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial

import psycopg

from stepback.langgraph import StepbackSaver
from tests.benchmarks import machine, states, stored
from tests.benchmarks.baselines import others, putting
from tests.benchmarks.findings import Finding, noise_text
from tests.benchmarks.pairs import alternate
from tests.benchmarks.setting import Setting

WHAT = "StepbackSaver.put over HTTP, 2 KB of state"
CHAT = "growing chat by StepbackSaver, 1,000 checkpoints to about 1 MB"
VERSIONS = 1_000
MESSAGE_BYTES = 1_000


def run(setting: Setting) -> list[Finding]:
    with ExitStack() as opened:
        ours = opened.enter_context(machine.database("bench_savers"))
        theirs = opened.enter_context(
            machine.database("bench_savers_other", migrated=False)
        )
        server = opened.enter_context(machine.product(ours))
        mine = opened.enter_context(StepbackSaver(server.url, server.key("bench")))
        other = opened.enter_context(others.saver(theirs))
        found = [_put(setting, mine, other, threads) for threads in (1, 8)]
    return [*found, _kept(setting)]


def _put(
    setting: Setting, mine: StepbackSaver, other: others.Saver, threads: int
) -> Finding:
    puts = [states.small(2 * states.KIB)]
    samples = alternate(
        {
            "ours": partial(putting.rate, mine, setting.seconds, puts, threads),
            "theirs": partial(other.rate, setting.seconds, puts, threads),
        },
        rounds=setting.rounds,
    )
    return Finding(
        what=f"{WHAT}, {threads} thread{'s' if threads > 1 else ''}: to PostgresSaver",
        measured=samples.ratio("ours", "theirs"),
        limit=0.35 if threads > 1 else None,
        at_least=True,
        ours=f"{samples.median('ours'):,.0f}/s",
        other=f"{samples.median('theirs'):,.0f}/s",
        noise=noise_text(samples.noise("theirs")),
    )


def _kept(setting: Setting) -> Finding:
    """Compare what a growing chat takes, all tables and indexes."""
    messages = states.chat(setting.count(VERSIONS, 40), MESSAGE_BYTES)
    with ExitStack() as opened:
        ours = opened.enter_context(machine.database("bench_savers_chat"))
        theirs = opened.enter_context(
            machine.database("bench_savers_chat_other", migrated=False)
        )
        other = opened.enter_context(others.saver(theirs))
        with (
            machine.product(ours) as server,
            StepbackSaver(server.url, server.key("bench")) as saver,
        ):
            puts = putting.keep(saver, states.growing(messages))
        assert puts == other.keep(states.growing(messages)) == len(messages)
        with psycopg.connect(ours, autocommit=True) as connection:
            kept = stored.total_bytes(connection)
        with psycopg.connect(theirs, autocommit=True) as connection:
            langgraph = stored.total_bytes(connection, stored.LANGGRAPH)
    return Finding(
        what=f"{CHAT}, all tables and indexes: to PostgresSaver",
        measured=kept / langgraph,
        limit=1 / 25,
        ours=f"{kept / 1e6:,.2f} MB",
        other=f"{langgraph / 1e6:,.1f} MB",
    )
