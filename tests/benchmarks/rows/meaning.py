"""Search by meaning: beside pgvector's exact search, and what it holds in memory."""

from __future__ import annotations

import os
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
# On a busy machine the worker makes way for others.
PATIENCE_SECONDS = 1_800
# A document that was written to is noticed by the worker's next look.
WAITING = """
SELECT (SELECT count(*) FROM meaning_stream WHERE due_at IS NOT NULL)
     + (SELECT count(*) FROM timeline_session d
          LEFT JOIN meaning_stream m ON m.stream_id = d.id
         WHERE d.kind = 'keyed' AND d.head_number > coalesce(m.number, 0))
"""
EMBEDDED = "SELECT count(*) FROM meaning_vector"
NEAREST = "SELECT key, value FROM nearest ORDER BY vector <=> %s::vector LIMIT 10"
LOADED = ("numpy", "wordllama", "tokenizers")
# Of an endpoint that nobody asks: with one, no process has a use for the model.
ELSEWHERE = {
    "STEPBACK_EMBEDDINGS_URL": "http://127.0.0.1:9/v1",
    "STEPBACK_EMBEDDINGS_MODEL": "none",
    "STEPBACK_EMBEDDINGS_DIMENSIONS": "256",
}


def run(setting: Setting) -> list[Finding]:
    texts = _texts(setting.count(VALUES, QUICK_VALUES))
    plain = _without_model(texts)
    with ExitStack() as opened:
        dsn = opened.enter_context(machine.database("bench_meaning"))
        server = opened.enter_context(machine.product(dsn))
        secret = server.key("bench")
        with closing(Client(server, secret)) as writer:
            _write(writer, texts)
        count, seconds = _embedded(dsn, len(texts))
        before = resident_bytes(server)
        loaded = _loaded(server)
        vectors = opened.enter_context(_pgvector(setting.superuser_dsn, dsn, texts))
        # The server does not keep the first one's connection for so long.
        client = opened.enter_context(closing(Client(server, secret)))
        timed = _timed(setting, client, vectors, texts)
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
                what="memory of web processes that never searched, of an installation"
                " that could: to one that could not",
                measured=before / plain,
                limit=1.02,
                ours=f"{before / 1e6:,.1f} MB",
                other=f"{plain / 1e6:,.1f} MB",
                note="PSS of the web processes, after as many writes",
            ),
            Finding(
                what="embedding by the worker, values of 120 characters, a second",
                measured=count / seconds,
                unit="values",
                note="since they were written",
            ),
        ]


def _without_model(texts: list[str]) -> int:
    """Return what web processes hold after as many writes where no model is used."""
    # This process goes on with the model: its settings are read by now.
    embedding.current()
    before = {name: os.environ.get(name) for name in ELSEWHERE}
    os.environ |= ELSEWHERE
    try:
        with (
            machine.database("bench_meaningless") as dsn,
            machine.product(dsn, works=False) as server,
            closing(Client(server, server.key("bench"))) as writer,
        ):
            _write(writer, texts)
            return resident_bytes(server)
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


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
        until_embedded(dsn)
        if _one(connection, EMBEDDED) != count:
            raise RuntimeError("Not every value has a vector.")
    return count - have, time.perf_counter() - begin


def until_embedded(dsn: str) -> None:
    """Raises: RuntimeError where the worker does not come to an end."""
    until = time.monotonic() + PATIENCE_SECONDS
    with psycopg.connect(dsn, autocommit=True) as connection:
        while _one(connection, WAITING):
            if time.monotonic() > until:
                raise RuntimeError("The worker did not embed everything.")
            time.sleep(0.05)


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
