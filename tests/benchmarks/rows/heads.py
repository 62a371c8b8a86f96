"""Reading the head, against a view that does nothing."""

from __future__ import annotations

from contextlib import ExitStack

from tests.benchmarks import machine, states
from tests.benchmarks.baselines import others
from tests.benchmarks.clients import begin_sessions
from tests.benchmarks.findings import Finding, noise_text
from tests.benchmarks.pairs import alternate
from tests.benchmarks.setting import Setting
from tests.benchmarks.traffic import plan

WHAT = "head read, 2 KB, 16 connections: to an empty DRF view"
SESSIONS = 256


def run(setting: Setting) -> list[Finding]:
    with ExitStack() as opened:
        ours = opened.enter_context(machine.database("bench_head"))
        empty = opened.enter_context(others.bare(ours))
        server = opened.enter_context(machine.product(ours))
        secret = server.key("bench")
        all_states = [states.small(2 * states.KIB)] * SESSIONS
        ids = begin_sessions(server, secret, all_states)
        heads = plan(
            server.url,
            "GET",
            [f"/v1/sessions/{one}/state" for one in ids],
            headers={"X-API-Key": secret},
            seconds=setting.seconds,
        )
        nothing = plan(empty, "GET", ["/empty"], seconds=setting.seconds)
        lanes = {
            "head": opened.enter_context(heads).rate,
            "empty": opened.enter_context(nothing).rate,
        }
        samples = alternate(lanes, rounds=setting.rounds)
    return [
        Finding(
            what=WHAT,
            measured=samples.ratio("head", "empty"),
            limit=1.0,
            at_least=True,
            ours=f"{samples.median('head'):,.0f}/s",
            other=f"{samples.median('empty'):,.0f}/s",
            noise=noise_text(samples.noise("head")),
        )
    ]
