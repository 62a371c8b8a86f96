"""A hundred versions a request, against one a request and LangGraph's PostgresSaver."""

from __future__ import annotations

from contextlib import ExitStack

from tests.benchmarks import machine, states
from tests.benchmarks.baselines import others
from tests.benchmarks.clients import begin_sessions
from tests.benchmarks.findings import Finding, noise_text
from tests.benchmarks.pairs import Samples, alternate
from tests.benchmarks.rows.appends import SESSIONS, TEXTS
from tests.benchmarks.setting import Setting
from tests.benchmarks.traffic import plan

WHAT = "batch append, 100 versions of 1 KB a request, 16 connections"
BATCH = 100
# Sixteen requests of a hundred versions must be answered in it, many times over.
SECONDS = 6.0


def run(setting: Setting) -> list[Finding]:
    state = states.small()
    item = b'{"state": ' + states.template(state) + b"}"
    batch = b'{"versions": [' + b",".join([item] * BATCH) + b"]}"
    with ExitStack() as opened:
        ours = opened.enter_context(machine.database("bench_batch"))
        theirs = opened.enter_context(machine.database("bench_saver", migrated=False))
        server = opened.enter_context(machine.product(ours))
        saver = opened.enter_context(others.saver(theirs))
        secret = server.key("bench")
        ids = begin_sessions(server, secret, [state] * SESSIONS)
        common = {"headers": {"X-API-Key": secret}, "texts": TEXTS}
        single = opened.enter_context(
            plan(
                server.url,
                "PATCH",
                [f"/v1/sessions/{one}/state" for one in ids],
                body=item,
                seconds=setting.seconds,
                **common,
            )
        )
        batches = opened.enter_context(
            plan(
                server.url,
                "POST",
                [f"/v1/sessions/{one}/versions" for one in ids],
                body=batch,
                seconds=SECONDS,
                **common,
            )
        )
        put = [state | {"said": text} for text in TEXTS]
        samples = alternate(
            {
                "batch": lambda: BATCH * batches.rate(),
                "single": single.rate,
                "saver": lambda: saver.rate(setting.seconds, put),
            },
            rounds=setting.rounds,
        )
    return _findings(samples)


def _findings(samples: Samples) -> list[Finding]:
    def finding(other: str, said: str, limit: float, note: str = "") -> Finding:
        return Finding(
            what=f"{WHAT}: to {said}",
            measured=samples.ratio("batch", other),
            limit=limit,
            at_least=True,
            ours=f"{samples.median('batch'):,.0f} versions/s",
            other=f"{samples.median(other):,.0f}/s",
            noise=noise_text(samples.noise("batch")),
            note=note,
        )

    return [
        finding("single", "single appends, per version", 3),
        finding(
            "saver",
            "LangGraph's PostgresSaver.put in process, 8 threads",
            2.3,
            "PostgresSaver stores each time the channels that changed, about 0.2 of "
            "the 1 KB; the batch sends and proves all of it",
        ),
    ]
