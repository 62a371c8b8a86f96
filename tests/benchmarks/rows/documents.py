"""Keyed documents: what a write, a batch, a restore and an audited read of them cost.

Agents of their own, in random order, take what is served: writers of one agent's data
take turns, as do those of one session.
"""

from __future__ import annotations

import random
import time
from contextlib import ExitStack, closing

import psycopg

from apps.core import json
from tests.benchmarks import documents, machine, states, stored
from tests.benchmarks.baselines import others
from tests.benchmarks.clients import Client, begin_sessions
from tests.benchmarks.documents import BATCH, FEW, FEWEST, TOUCHED, VALUES
from tests.benchmarks.findings import Finding, noise_text
from tests.benchmarks.pairs import Lane, Samples, alternate
from tests.benchmarks.rows.meaning import until_embedded
from tests.benchmarks.setting import Setting
from tests.benchmarks.traffic import CONNECTIONS, plan
from tests.live import Server

WHAT = "agents' data: writes, checkpoints, restores, audited reads, bytes a write"
KEYS, QUICK_KEYS = 1_000_000, 10_000
AGENTS = 256
WRITES = 4_000
VALUE = states.small()
VALUE_BYTES = 120
OUTBOX = "SELECT count(*) FROM audit_outbox"
DRAIN_SECONDS = 120


def run(setting: Setting) -> list[Finding]:
    with ExitStack() as opened:
        in_process = _in_process(setting)
        dsn = opened.enter_context(machine.database("bench_served_documents"))
        server = opened.enter_context(machine.product(dsn))
        served = Served(setting, server, opened)
        kept = served.stored()
        return [*in_process, *served.rates(), kept]


def _in_process(setting: Setting) -> list[Finding]:
    keys = setting.count(KEYS, QUICK_KEYS)
    with machine.database("bench_documents") as dsn:
        samples = documents.measured(
            setting.superuser_dsn, dsn, keys=keys, rounds=setting.rounds
        )
    return [
        _of_times(
            samples,
            f"a keyed write among {keys:,} keys: to one among {FEW:,}, time",
            ("large", "small"),
            1.3,
        ),
        _of_times(
            samples,
            f"a batch of {BATCH} keyed writes: to as many upserts in one transaction"
            " of a plain table, time",
            ("batch", "upserts"),
            5,
        ),
        _of_times(
            samples,
            f"a checkpoint of {keys:,} keys: to one of {FEWEST}, time",
            ("checkpoint of the large", "checkpoint of the smallest"),
            1.3,
        ),
        _of_times(
            samples,
            f"restore of {TOUCHED:,} touched keys among {keys:,}: to copying a plain"
            " table back, time",
            ("restore", "copy"),
            1 / 20,
            f"{len(samples.found['copy'])} rounds",
        ),
    ]


class Served:
    """One database and its server, with agents that have data."""

    def __init__(self, setting: Setting, server: Server, opened: ExitStack) -> None:
        self.setting = setting
        self.server = server
        self.opened = opened
        self.secret = server.key("bench")
        self.agents = [f"bench-{at}" for at in range(setting.count(AGENTS, 16))]
        with closing(Client(server, self.secret)) as client:
            for name in self.agents:
                client.done("POST", "/v1/agents", {"name": name, "external_id": name})

    def stored(self) -> Finding:
        """Write to new keys of one agent, and return what that takes a write."""
        count = self.setting.count(WRITES, 200)
        path = f"/v1/agents/{self.agents[0]}/data"
        with closing(Client(self.server, self.secret)) as client:
            client.done("POST", path, {"key": "first", "value": "v"})
            before = _settled(self.server.dsn)
            for at in range(count):
                value = VALUES[at % len(VALUES)]
                client.done("POST", path, {"key": f"user:{at}", "value": value})
            after = _settled(self.server.dsn)
        grown = {table: after[table] - before[table] for table in after}
        shares = sorted(grown.items(), key=lambda one: -one[1])
        told = [f"{name} {size / count:,.0f}" for name, size in shares if size > 0]
        return Finding(
            what=f"stored with a keyed write of {VALUE_BYTES} bytes, all tables and"
            f" indexes, of {count:,} to new keys",
            measured=sum(grown.values()) / count / 1000,
            limit=1.5,
            unit="KB",
            ours=", ".join(told),
            note="bytes by table, after VACUUM, once the worker has embedded all",
        )

    def rates(self) -> list[Finding]:
        samples = alternate(self._lanes(), rounds=self.setting.rounds)
        many = f"{CONNECTIONS} connections"
        spread = f"{many}, {len(self.agents)} agents"
        lanes = {
            spread: ("write", "upsert", 2),
            f"{many}, one agent": ("write to one", "upsert", None),
            "1 connection": ("write alone", "upsert alone", None),
        }
        upsert = "to a bare DRF + granian view, one upsert, time"
        writes = [
            _of_rates(
                samples,
                f"a keyed write over HTTP, {how}: {upsert}",
                (one, other),
                limit,
            )
            for how, (one, other, limit) in lanes.items()
        ]
        what = f"an audited read of 1 KB over HTTP, {spread}: to the head of a session"
        return [*writes, _of_rates(samples, f"{what}, time", ("read", "head"), 1.5)]

    def _lanes(self) -> dict[str, Lane]:
        bare = self.opened.enter_context(others.bare(self.server.dsn))
        random.Random(1).shuffle(self.agents)
        paths = [f"/v1/agents/{name}/data" for name in self.agents]
        writing = {"body": b'{"key": "k:@n@", "value": "@text@"}', "texts": VALUES}
        asked = {
            "write": (paths, writing),
            "write to one": (paths[:1], writing),
            "write alone": (paths, writing | {"connections": 1}),
            "upsert": (None, writing),
            "upsert alone": (None, writing | {"connections": 1}),
            "read": ([f"{path}/state" for path in paths], {}),
            "head": (self._heads(paths), {}),
        }
        lanes: dict[str, Lane] = {}
        for name, (where, options) in asked.items():
            made = plan(
                bare if where is None else self.server.url,
                "POST" if options else "GET",
                where or ["/upsert"],
                headers=None if where is None else {"X-API-Key": self.secret},
                seconds=self.setting.seconds,
                **options,
            )
            lanes[name] = self.opened.enter_context(made).rate
        return lanes

    def _heads(self, paths: list[str]) -> list[str]:
        """Give agents and sessions the same to keep; return the sessions' paths."""
        said = json.dumps(VALUE).decode()
        with closing(Client(self.server, self.secret)) as client:
            for path in paths:
                client.done("POST", path, {"key": "state", "value": said})
        ids = begin_sessions(self.server, self.secret, [VALUE] * len(paths))
        return [f"/v1/sessions/{one}/state" for one in ids]


def _settled(dsn: str) -> dict[str, int]:
    """Return the tables' bytes once the worker is done and what it removed is free."""
    until_embedded(dsn)
    until = time.monotonic() + DRAIN_SECONDS
    with psycopg.connect(dsn, autocommit=True) as connection:
        while connection.execute(OUTBOX).fetchone() != (0,):
            if time.monotonic() > until:
                raise RuntimeError("The worker did not feed all events.")
            time.sleep(0.2)
        connection.execute("VACUUM ANALYZE")
        return stored.bytes_by_table(connection)


def _of_times(
    samples: Samples, what: str, lanes: tuple[str, str], limit: float, note: str = ""
) -> Finding:
    one, other = lanes
    return Finding(
        what=what,
        measured=samples.ratio(one, other),
        limit=limit,
        ours=f"{samples.median(one):,.2f} ms",
        other=f"{samples.median(other):,.2f} ms",
        noise=noise_text(samples.noise(one)),
        note=note,
    )


def _of_rates(
    samples: Samples, what: str, lanes: tuple[str, str], limit: float | None
) -> Finding:
    # Rates: how much longer one takes is how many more the other answers.
    one, other = lanes
    return Finding(
        what=what,
        measured=samples.ratio(other, one),
        limit=limit,
        ours=f"{samples.median(one):,.0f}/s",
        other=f"{samples.median(other):,.0f}/s",
        noise=noise_text(samples.noise(one)),
    )
