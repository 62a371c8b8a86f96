"""Search by meaning: beside pgvector's exact search, and what it holds in memory."""

from __future__ import annotations

import random
import time
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from apps.core import json
from apps.meaning import embedding
from tests.benchmarks import machine, states
from tests.benchmarks.clients import Client
from tests.benchmarks.findings import Finding, noise_text
from tests.benchmarks.pairs import alternate, milliseconds
from tests.benchmarks.rows.memory import family, resident_bytes
from tests.benchmarks.setting import Setting
from tests.live import Server

WHAT = "search by meaning, beside pgvector, and its memory"
VALUES, QUICK_VALUES = 10_000, 500
SEARCHES = 20
PATIENCE_SECONDS = 300
DUE = "SELECT count(*) FROM meaning_stream WHERE due_at IS NOT NULL"
OUTBOX = "SELECT count(*) FROM audit_outbox"
EMBEDDED = "SELECT count(*) FROM meaning_vector"
NEAREST = "SELECT key, value FROM nearest ORDER BY vector <=> %s::vector LIMIT 10"
LOADED = ("numpy", "wordllama", "tokenizers")


def run(setting: Setting) -> list[Finding]:
    with ExitStack() as opened:
        dsn = opened.enter_context(machine.database("bench_meaning"))
        server = opened.enter_context(machine.product(dsn))
        secret = server.key("bench")
        texts = _texts(setting.count(VALUES, QUICK_VALUES))
        with closing(Client(server, secret)) as writer:
            _write(writer, texts)
        before = resident_bytes(server)
        loaded = _loaded(server)
        count, seconds = _embedded(dsn, len(texts))
        plain = opened.enter_context(_pgvector(setting.superuser_dsn, dsn, texts))
        # The server does not keep the first one's connection for so long.
        client = opened.enter_context(closing(Client(server, secret)))
        timed = _timed(setting, client, plain, texts)
        return [
            timed,
            Finding(
                what="web processes that never searched: files of search by meaning "
                "that they have loaded",
                measured=loaded,
                limit=0,
                unit="files",
                ours=f"{before / 1e6:,.0f} MB in all",
                other=f"{resident_bytes(server) / 1e6:,.0f} MB after searches",
                note="PSS of the web processes, after as many writes",
            ),
            Finding(
                what="embedding by the worker, values of 120 characters, a second",
                measured=count / seconds,
                unit="values",
                note="since they were written",
            ),
        ]


def _timed(
    setting: Setting,
    client: Client,
    plain: psycopg.Connection[Any],
    texts: list[str],
) -> Finding:
    chosen = random.Random(2)
    questions = [chosen.choice(texts)[10:60] for _ in range(SEARCHES)]
    vectors = [_literal(row) for row in embedding.current().embed(questions, seconds=9)]

    def ours() -> None:
        for one in questions:
            asked = {"query": one, "limit": 10, "min_similarity": 0.1}
            told = json.parse(client.done("POST", _path("/search"), asked))
            if told["method"] != "meaning" or len(told["results"]) < 10:
                raise RuntimeError(f"searched by {told['method']}: {told['why']}")

    def theirs() -> None:
        for one in vectors:
            plain.execute(NEAREST, [one]).fetchall()

    lanes = {
        "ours": lambda: milliseconds(ours) / SEARCHES,
        "pgvector": lambda: milliseconds(theirs) / SEARCHES,
    }
    samples = alternate(lanes, rounds=setting.rounds)
    return Finding(
        what=f"search by meaning over HTTP in {len(texts):,} values, with their texts: "
        "to pgvector's exact search, raw, time",
        measured=samples.ratio("ours", "pgvector"),
        limit=4,
        ours=f"{samples.median('ours'):.1f} ms",
        other=f"{samples.median('pgvector'):.1f} ms",
        noise=noise_text(samples.noise("ours")),
        note="256 dimensions, 1 connection; ours embeds the question and records it",
    )


def _texts(count: int) -> list[str]:
    made = states.texts(997, 150)
    chosen = random.Random(1)
    return [
        f"{at} {chosen.choice(made)} {chosen.choice(made)}"[:120] for at in range(count)
    ]


def _path(rest: str = "") -> str:
    return f"/v1/agents/bench/data{rest}"


def _write(client: Client, texts: list[str]) -> None:
    client.done("POST", "/v1/agents", {"name": "bench", "external_id": "bench"})
    for at in range(0, len(texts), 100):
        some = enumerate(texts[at : at + 100], at)
        entries = [{"key": f"k:{n}", "value": text} for n, text in some]
        client.done("POST", _path("/batch"), {"entries": entries})


def _embedded(dsn: str, count: int) -> tuple[int, float]:
    """Wait for the worker; return how much it embedded, and for how long it took."""
    begin = time.perf_counter()
    with psycopg.connect(dsn, autocommit=True) as connection:
        have = _one(connection, EMBEDDED)
        while _one(connection, OUTBOX) or _one(connection, DUE):
            if time.perf_counter() - begin > PATIENCE_SECONDS:
                raise RuntimeError("The worker did not embed all values.")
            time.sleep(0.05)
        if _one(connection, EMBEDDED) != count:
            raise RuntimeError("Not every value has a vector.")
    return count - have, time.perf_counter() - begin


def _one(connection: psycopg.Connection[Any], query: str) -> int:
    (found,) = connection.execute(query).fetchone() or (0,)
    return int(found)


def _pgvector(
    superuser_dsn: str, dsn: str, texts: list[str]
) -> psycopg.Connection[Any]:
    """Return a connection to a table of the same vectors and texts."""
    name = conninfo_to_dict(dsn)["dbname"]
    where = make_conninfo("", **{**conninfo_to_dict(superuser_dsn), "dbname": name})
    connection = psycopg.connect(where, autocommit=True)
    connection.execute("CREATE EXTENSION vector")
    connection.execute(
        "CREATE TABLE nearest (key text, value text, vector vector(256))"
    )
    rows = embedding.current().embed(texts, seconds=9)
    with (
        connection.cursor() as cursor,
        cursor.copy("COPY nearest FROM STDIN") as copy,
    ):
        for at, (text, row) in enumerate(zip(texts, rows, strict=True)):
            copy.write_row((f"k:{at}", text, _literal(row)))
    connection.execute("VACUUM ANALYZE nearest")
    connection.prepare_threshold = 1
    return connection


def _literal(row: Any) -> str:
    return "[" + ",".join(map(str, row.tolist())) + "]"


def _loaded(server: Server) -> int:
    """Count what of the model the web processes have loaded."""
    maps = [Path(f"/proc/{pid}/maps") for pid in family(server.process.pid)]
    lines = {
        line.split()[-1] for path in maps for line in path.read_text().splitlines()
    }
    return sum(any(f"/{name}" in line for name in LOADED) for line in lines)
