"""The page of an incident with very many sessions, against that of one with few."""

from __future__ import annotations

from contextlib import closing

from apps.core import json
from tests.benchmarks import machine, states
from tests.benchmarks.clients import Client, begin_sessions
from tests.benchmarks.findings import Finding, noise_text
from tests.benchmarks.pairs import alternate, milliseconds
from tests.benchmarks.rows.pages import PROJECT, signed_in
from tests.benchmarks.setting import Setting

WHAT = "incident: first page with 10,000 sessions to 100"
SESSIONS, QUICK_SESSIONS = 10_000, 1_000
FEW = 100
# Requests of one measurement, of which the median counts.
TIMES = 15


def run(setting: Setting) -> list[Finding]:
    count = setting.count(SESSIONS, QUICK_SESSIONS)
    with (
        machine.database("bench_incidents") as dsn,
        machine.product(dsn) as server,
        closing(Client(server, server.key(PROJECT))) as client,
        signed_in(server) as reader,
    ):
        secret = client.headers["X-API-Key"]
        ids = begin_sessions(server, secret, [states.small()] * count)
        opening = milliseconds(lambda: _opened(client, ids))
        paths = {
            "many": _opened(client, ids),
            "few": _opened(client, ids[:FEW]),
        }
        times = setting.count(TIMES, 3)
        page = f"/console/{PROJECT}/incidents/at/"
        samples = alternate(
            {
                name: reader.lane(f"{page}{id}", times=times)
                for name, id in paths.items()
            },
            rounds=setting.rounds,
        )
    return [
        Finding(
            what=f"incident: first page with {count:,} sessions to {FEW}",
            measured=samples.ratio("many", "few"),
            limit=1.5,
            ours=f"{samples.median('many'):,.1f} ms; opened in {opening:,.0f} ms",
            other=f"{samples.median('few'):,.1f} ms",
            noise=noise_text(samples.noise("few")),
        )
    ]


def _opened(client: Client, ids: list[str]) -> str:
    said = {"title": "The trip is lost", "sessions": ids}
    return str(json.parse(client.done("POST", "/v1/incidents", said))["id"])
