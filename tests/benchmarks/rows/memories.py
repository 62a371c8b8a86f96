"""Memories: adding and searching beside mem0, and what they add to a context.

Ours is served: over HTTP, as a version of a document, with a chained record. mem0 runs
in the process that asks it. Each question and each text that is added is new, and both
make its vector, by the same model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from itertools import count

import psycopg

from apps.core import json
from apps.meaning import embedding
from apps.meaning.embedding import Reading
from apps.meaning.embedding.sentences import Sentences
from tests.benchmarks import machine, states
from tests.benchmarks.baselines import others
from tests.benchmarks.clients import Client
from tests.benchmarks.findings import Finding, noise_text
from tests.benchmarks.pairs import Lane, Samples, alternate, milliseconds
from tests.benchmarks.rows.meaning import until_embedded
from tests.benchmarks.setting import Setting

WHAT = "memories: adding, searching, and a context with five of them"
MEMORIES, QUICK_MEMORIES = 10_000, 500
# What a user is taken to have who comes back for months.
USUAL, QUICK_USUAL = 1_000, 100
USER, USUAL_USER = "bench", "usual"
FOUND = 5
SEARCHES = 20
ADDS = 20
TURNS = 10
AT_ONCE = 1_000
LEAST = 0.1
# As mem0 has it of itself, and what else it can have without a server.
STORES = {"qdrant": "its default store, Qdrant's", "faiss": "its FAISS store"}
NOTE = (
    "ours over HTTP, 1 connection, every commit flushed, equal and near texts looked "
    "for, what is new embedded by the worker meanwhile; mem0 2.2.1 in process on a "
    "local store, `infer=False`; each question and text is new, and both make its "
    "vector by the same model, 384 dimensions"
)
WHOLE = "its FAISS store writes all memories to a file with each one that is added"


def run(setting: Setting) -> list[Finding]:
    with ExitStack() as opened:
        dsn = opened.enter_context(machine.database("bench_memories"))
        server = opened.enter_context(machine.product(dsn))
        secret = server.key("bench")
        loaded, *more = _texts(
            setting.count(MEMORIES, QUICK_MEMORIES), setting.rounds + 1
        )
        with closing(Client(server, secret)) as loading:
            _load(loading, loaded)
            _load(loading, loaded[: setting.count(USUAL, QUICK_USUAL)], USUAL_USER)
        until_embedded(dsn)
        _gather_statistics(dsn)
        theirs = {
            store: opened.enter_context(_loaded(store, loaded, more))
            for store in STORES
        }
        # The server does not keep the first one's connection for so long.
        client = opened.enter_context(closing(Client(server, secret)))
        asked = (_questions(setting.rounds, at) for at in count())
        found = _searches(setting, client, theirs, next(asked))
        contexts = _contexts(
            setting, client, {user: next(asked) for user in (USUAL_USER, USER)}
        )
        return [*_adds(setting, client, theirs, more), *found, *contexts]


def _questions(rounds: int, at: int) -> list[list[str]]:
    """Return other questions for each round: a process remembers those it was asked."""
    asked = states.questions(SEARCHES * (rounds + 1), at)
    return [
        [f"{one} of {at}" for one in asked[first : first + SEARCHES]]
        for first in range(0, len(asked), SEARCHES)
    ]


def _gather_statistics(dsn: str) -> None:
    """Do what autovacuum does within a minute of such a load.

    Until then PostgreSQL takes the table for empty, and a search for 62 ms longer.
    """
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")


def _searches(
    setting: Setting,
    client: Client,
    theirs: dict[str, others.Asked],
    questions: Sequence[list[str]],
) -> list[Finding]:
    for asked in theirs.values():
        for some in questions:
            asked("vectors", _vectors(some))
    mine = iter(questions)
    lanes: dict[str, Lane] = {
        "ours": lambda: milliseconds(lambda: _found(client, next(mine))) / SEARCHES
    }
    for store, asked in theirs.items():
        lanes[store] = _theirs(asked, "search", questions)
    samples = alternate(lanes, rounds=setting.rounds)
    what = f"search for {FOUND} among {setting.count(MEMORIES, QUICK_MEMORIES):,}"
    return _beside(samples, f"{what} memories of a user", 1.5)


def _adds(
    setting: Setting,
    client: Client,
    theirs: dict[str, others.Asked],
    texts: Sequence[list[str]],
) -> list[Finding]:
    """Add other texts in each round, the same ones here and there."""
    lanes: dict[str, Lane] = {}
    mine = iter(texts)
    lanes["ours"] = lambda: milliseconds(lambda: _add(client, next(mine))) / ADDS
    for store, asked in theirs.items():
        lanes[store] = _theirs(asked, "add", texts)
    samples = alternate(lanes, rounds=setting.rounds)
    what = f"a memory added to {setting.count(MEMORIES, QUICK_MEMORIES):,} of a user"
    return _beside(samples, what, 2, WHOLE)


def _contexts(
    setting: Setting, client: Client, questions: Mapping[str, Sequence[list[str]]]
) -> list[Finding]:
    """Measure contexts of users with the usual number of memories, and with all."""
    counts = {
        USUAL_USER: setting.count(USUAL, QUICK_USUAL),
        USER: setting.count(MEMORIES, QUICK_MEMORIES),
    }
    lanes: dict[str, Lane] = {}
    for user in counts:
        path = f"{_session(client, user)}/context"
        for limit in (FOUND, 0):
            build = partial(_built, client, path, iter(questions[user]), limit)
            lanes[f"{user}, {limit}"] = partial(_mean, build, SEARCHES)
    samples = alternate(lanes, rounds=setting.rounds)
    return [
        Finding(
            what=f"context of a session over HTTP, {TURNS} turns, 1 KB of state, with "
            f"{FOUND} of its user's {count:,} memories: to that without, time",
            measured=samples.ratio(f"{user}, {FOUND}", f"{user}, 0"),
            limit=2 if user == USUAL_USER else None,
            ours=f"{samples.median(f'{user}, {FOUND}'):.1f} ms",
            other=f"{samples.median(f'{user}, 0'):.1f} ms",
            noise=noise_text(samples.noise(f"{user}, {FOUND}")),
        )
        for user, count in counts.items()
    ]


def _built(
    client: Client, path: str, questions: Iterator[list[str]], limit: int
) -> None:
    for one in next(questions):
        asked = {"query": one, "memory_limit": limit}
        told = json.parse(client.done("POST", path, asked))
        if len(told["memories"]) != limit:
            raise RuntimeError(f"{len(told['memories'])} memories, not {limit}")


def _beside(
    samples: Samples, what: str, limit: float, whole: str = ""
) -> list[Finding]:
    """Return what the lanes are to each other; the limit is that of the default."""
    return [
        Finding(
            what=f"{what}: to mem0 on {said}, time",
            measured=samples.ratio("ours", store),
            limit=limit if store == "qdrant" else None,
            ours=f"{samples.median('ours'):.1f} ms",
            other=f"{samples.median(store):.1f} ms",
            noise=noise_text(samples.noise("ours")),
            note=whole if whole and store == "faiss" else NOTE,
        )
        for store, said in STORES.items()
    ]


def _texts(count: int, rounds: int) -> list[list[str]]:
    """Return so many texts, and for each round some more."""
    made = states.remembered(count + ADDS * rounds)
    return [
        made[:count],
        *(made[at : at + ADDS] for at in range(count, len(made), ADDS)),
    ]


def _load(client: Client, texts: Sequence[str], user: str = USER) -> None:
    for at in range(0, len(texts), AT_ONCE):
        items = [
            {"id": f"{user}-{n}", "memory": text, "user_id": user}
            for n, text in enumerate(texts[at : at + AT_ONCE], at)
        ]
        client.done("POST", "/v1/memories/import", {"memories": items})


@contextmanager
def _loaded(
    store: str, texts: list[str], more: Sequence[list[str]]
) -> Iterator[others.Asked]:
    """Give mem0 with the same memories, and with vectors of those that are to come."""
    with others.remembering(store) as asked:
        for at in range(0, len(texts), AT_ONCE):
            asked("vectors", _vectors(texts[at : at + AT_ONCE]))
        asked("load", texts)
        for some in more:
            asked("vectors", _vectors(some))
        yield asked


def _vectors(texts: Sequence[str]) -> dict[str, list[float]]:
    rows = embedding.current(Reading.SENTENCES).embed(texts, seconds=60)
    return {text: row.tolist() for text, row in zip(texts, rows, strict=True)}


def _theirs(asked: others.Asked, name: str, texts: Sequence[list[str]]) -> Lane:
    """Return a lane of mem0: what one takes it, and the model that makes its vector.

    It is handed vectors, so the model is asked here, one that was not asked for these
    texts before: it remembers what it was asked.
    """
    model, coming = Sentences(), iter(texts)

    def next_some() -> float:
        some = next(coming)
        made = milliseconds(lambda: [model.embed([one], seconds=60) for one in some])
        return (made + asked(name, some)) / len(some)

    return next_some


def _mean(act: Callable[[], object], count: int) -> float:
    return milliseconds(act) / count


def _add(client: Client, texts: Sequence[str]) -> None:
    for text in texts:
        client.done("POST", "/v1/memories", {"content": text, "user_id": USER})


def _found(client: Client, questions: Sequence[str]) -> None:
    for one in questions:
        asked = {"query": one, "user_id": USER, "limit": FOUND, "threshold": LEAST}
        told = json.parse(client.done("POST", "/v1/memories/search", asked))
        if len(told["data"]) < FOUND or told["method"] == "words":
            raise RuntimeError(f"found by {told['method']}: {len(told['data'])}")


def _session(client: Client, user: str) -> str:
    """Begin a session of the user that has turns; return its path."""
    begun = {"agent_id": "bench", "user_id": user, "initial_state": states.small()}
    told = json.parse(client.done("POST", "/v1/sessions", begun))
    path = f"/v1/sessions/{told['id']}"
    for text in states.texts(TURNS, 150):
        client.done("POST", f"{path}/turns", {"input": text, "output": text})
    return path
