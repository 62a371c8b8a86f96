"""What embedding by the worker takes from appends, for a minute all in all.

Values of an agent by the quick model, memories by the one that reads sentences. One
server and one worker: in every other lane the worker has more to embed than it
comes to, in those between nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from statistics import median

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tests.benchmarks import machine, states
from tests.benchmarks.clients import Client
from tests.benchmarks.findings import Finding, noise_text
from tests.benchmarks.pairs import alternate
from tests.benchmarks.rows.appends import appending
from tests.benchmarks.setting import Setting
from tests.benchmarks.traffic import Plan

WHAT = "appends while the worker embeds"
SECONDS = 60
VALUES, QUICK_VALUES = 40_000, 5_000
# Read as sentences: each takes the model 50 times as long.
MEMORIES, QUICK_MEMORIES = 3_000, 500
BATCH = 100
PATIENCE_SECONDS = 60
# All that is embedded waits again, and nothing does. A step of the worker that was
# under way stores nothing: the position is not what it was.
FORGET = (
    "DELETE FROM meaning_vector",
    "UPDATE meaning_stream SET number = 0, key = '', due_at = now()",
)
SETTLE = """
UPDATE meaning_stream m SET number = d.head_number, key = '', due_at = NULL
  FROM timeline_session d WHERE d.id = m.stream_id
"""
VACUUM = "VACUUM meaning_vector, meaning_stream"
EMBEDDED = "SELECT count(*) FROM meaning_vector"
DUE = "SELECT count(*) FROM meaning_stream WHERE due_at IS NOT NULL"


def run(setting: Setting) -> list[Finding]:
    return [
        _measured(setting, "values of an agent", VALUES, QUICK_VALUES, _write_values),
        _measured(
            setting, "memories of a user", MEMORIES, QUICK_MEMORIES, _write_memories
        ),
    ]


def _measured(
    setting: Setting,
    texts: str,
    count: int,
    quick: int,
    write: Callable[[Client, int], None],
) -> Finding:
    with ExitStack() as opened:
        dsn = opened.enter_context(machine.database("bench_embedding"))
        server = opened.enter_context(machine.product(dsn))
        with closing(Client(server, server.key("bench"))) as client:
            write(client, setting.count(count, quick))
        name = conninfo_to_dict(dsn)["dbname"]
        where = {**conninfo_to_dict(setting.superuser_dsn), "dbname": name}
        connection = psycopg.connect(make_conninfo("", **where), autocommit=True)
        lanes = Lanes(
            opened.enter_context(closing(connection)),
            opened.enter_context(
                appending(server, states.small(), setting, seconds=_seconds(setting))
            ),
        )
        lanes.until_begun()
        samples = alternate(
            {"idle": lanes.idle, "embedding": lanes.embedding}, rounds=setting.rounds
        )
    return Finding(
        what=f"append over HTTP, 16 connections, while the worker embeds {texts}, "
        f"{_seconds(setting) * setting.rounds:.0f} s: to one while it does not",
        measured=samples.ratio("embedding", "idle"),
        limit=0.95,
        at_least=True,
        ours=f"{samples.median('embedding'):,.0f} appends/s",
        other=f"{samples.median('idle'):,.0f}/s",
        noise=noise_text(samples.noise("idle")),
        note=f"meanwhile {median(lanes.rates):,.0f} texts of 120 characters a second "
        "are embedded",
    )


@dataclass(slots=True)
class Lanes:
    """Appends with something to embed and without; `rates` are values a second."""

    connection: psycopg.Connection
    appends: Plan
    rates: list[float] = field(default_factory=list)

    def idle(self) -> float:
        self.connection.execute(SETTLE)
        self.connection.execute(VACUUM)
        rate = self.appends.rate()
        if self._one(DUE):
            raise RuntimeError("The worker had something to embed.")
        return rate

    def embedding(self) -> float:
        for statement in FORGET:
            self.connection.execute(statement)
        self.connection.execute(VACUUM)
        self.until_begun()
        before, begin = self._one(EMBEDDED), time.perf_counter()
        rate = self.appends.rate()
        done = self._one(EMBEDDED) - before
        self.rates.append(done / (time.perf_counter() - begin))
        if not self._one(DUE):
            raise RuntimeError("The worker had embedded everything.")
        return rate

    def until_begun(self) -> None:
        """Raises: RuntimeError where the worker does not embed anything."""
        until = time.monotonic() + PATIENCE_SECONDS
        while not self._one(EMBEDDED):
            if time.monotonic() > until:
                raise RuntimeError("The worker does not begin to embed.")
            time.sleep(0.01)

    def _one(self, query: str) -> int:
        (found,) = self.connection.execute(query).fetchone() or (0,)
        return int(found)


def _seconds(setting: Setting) -> float:
    return setting.seconds if setting.quick else SECONDS / setting.rounds


def _write_values(client: Client, count: int) -> None:
    texts = states.texts(997, 150)
    client.done("POST", "/v1/agents", {"name": "bench", "external_id": "bench"})
    for at in range(0, count, BATCH):
        entries = [
            {"key": f"k:{n}", "value": f"{n} {texts[n % len(texts)]}"[:120]}
            for n in range(at, at + BATCH)
        ]
        client.done("POST", "/v1/agents/bench/data/batch", {"entries": entries})


def _write_memories(client: Client, count: int) -> None:
    texts = states.remembered(count)
    for at in range(0, count, BATCH):
        items = [
            {"id": f"m-{n}", "memory": texts[n], "user_id": "bench"}
            for n in range(at, at + BATCH)
        ]
        client.done("POST", "/v1/memories/import", {"memories": items})
