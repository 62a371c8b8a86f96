"""An append with ten webhooks that are to be told of it, against one with none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from tests.benchmarks import machine, states
from tests.benchmarks.findings import Finding, noise_text
from tests.benchmarks.pairs import alternate
from tests.benchmarks.rows.appends import appending
from tests.benchmarks.setting import Setting
from tests.benchmarks.traffic import Plan
from tests.live import Server

WHAT = "append over HTTP, 1 KB state, 16 connections, ten webhooks"
WEBHOOKS = 10
LANES = {"none": 0, "none again": 0, "ten": WEBHOOKS}


def run(setting: Setting) -> list[Finding]:
    """Measure equal servers, of which one has ten webhooks; no worker delivers.

    What a worker takes of the processor is another matter: here is what a write does.
    """
    with ExitStack() as opened:
        lanes = {
            name: opened.enter_context(_appending(name, webhooks, setting)).rate
            for name, webhooks in LANES.items()
        }
        samples = alternate(lanes, rounds=setting.rounds)
    same = samples.ratio("none again", "none")
    return [
        Finding(
            what=f"{WHAT}: to one with none",
            measured=samples.ratio("ten", "none"),
            limit=0.95,
            at_least=True,
            ours=f"{samples.median('ten'):,.0f} appends/s",
            other=f"{samples.median('none'):,.0f}/s",
            noise=noise_text(samples.noise("none")),
            note=f"two with none: {same:.2f}",
        )
    ]


@contextmanager
def _appending(name: str, webhooks: int, setting: Setting) -> Iterator[Plan]:
    database = "bench_hooks_" + name.replace(" ", "_")
    with machine.database(database) as dsn, machine.product(dsn) as server:
        _subscribe(server, webhooks)
        with appending(server, states.small(), setting) as patches:
            yield patches


def _subscribe(server: Server, webhooks: int) -> None:
    with server.client(server.key("bench", "--scope", "admin")) as admin:
        for number in range(webhooks):
            url = f"https://receiver.example/{number}"
            said = {"url": url, "events": ["version.created", "turn.added"]}
            assert admin.post("/v1/webhooks", json=said).status_code == 201
