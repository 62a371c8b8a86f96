"""Reading a state with a key that is masked, beside one that sees it clear."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial

from tests.benchmarks import machine, states
from tests.benchmarks.clients import Client
from tests.benchmarks.findings import Finding, noise_text
from tests.benchmarks.pairs import alternate, milliseconds
from tests.benchmarks.setting import Setting

WHAT = "a session of 100 KB read again by a masked key: to one that sees it clear"
WHAT_READ = {WHAT: "", WHAT.replace("a session", "the state"): "/state"}
FRESH = "states of 100 KB, each read first by these masks: to reading them clear"
MESSAGES, BYTES = 100, 1_000
TIMES = 30
MASKS = [
    {"pointer": "/customer/**/card", "style": "last4"},
    {"pattern": "card", "style": "last4"},
    {"pattern": "email", "style": "hide"},
]


def run(setting: Setting) -> list[Finding]:
    with ExitStack() as opened:
        dsn = opened.enter_context(machine.database("bench_masks"))
        server = opened.enter_context(machine.product(dsn))
        keys = [
            server.key("bench", *said)
            for said in (("--scope", "masked"), (), ("--scope", "admin"))
        ]

        @contextmanager
        def clients() -> Iterator[list[Client]]:
            # Anew for each figure: a server ends connections that idle.
            with ExitStack() as some:
                yield [some.enter_context(closing(Client(server, key))) for key in keys]

        with clients() as (_, clear, admin):
            admin.done("PUT", "/v1/masks", {"masks": MASKS})
            said = states.chat(MESSAGES, BYTES)
            # Equal ones would be masked once: what is known of one is known by bytes.
            ids = [clear.begin({"n": n, "messages": said}) for n in range(TIMES)]
        found = []
        for what, below in WHAT_READ.items():
            with clients() as (masked, clear, _):
                path = f"/v1/sessions/{ids[0]}{below}"
                found.append(_compared(setting, what, masked, clear, path))
        with clients() as (masked, clear, admin):
            found.append(_fresh(setting, masked, clear, admin, ids))
    return found


def _fresh(
    setting: Setting, masked: Client, clear: Client, admin: Client, ids: list[str]
) -> Finding:
    """Read each state once by masks that nobody has read it with."""
    paths = [f"/v1/sessions/{one}/state" for one in ids]
    n_set = 0

    def read_masked() -> float:
        nonlocal n_set
        n_set += 1
        word = {"pattern": "words", "words": [f"nobody-{n_set}"], "style": "hide"}
        admin.done("PUT", "/v1/masks", {"masks": [*MASKS, word]})
        return milliseconds(lambda: [masked.done("GET", one) for one in paths])

    def read_clear() -> float:
        return milliseconds(lambda: [clear.done("GET", one) for one in paths])

    samples = alternate(
        {"masked": read_masked, "clear": read_clear}, rounds=setting.rounds
    )
    return Finding(
        what=FRESH,
        measured=samples.ratio("masked", "clear"),
        limit=3.0,
        ours=f"{samples.median('masked') / TIMES:.2f} ms",
        other=f"{samples.median('clear') / TIMES:.2f} ms",
        noise=noise_text(samples.noise("clear")),
    )


def _compared(
    setting: Setting, what: str, masked: Client, clear: Client, path: str
) -> Finding:
    lanes = {
        "masked": partial(_read, masked, path),
        "clear": partial(_read, clear, path),
    }
    samples = alternate(lanes, rounds=setting.rounds)
    return Finding(
        what=what,
        measured=samples.ratio("masked", "clear"),
        limit=3.0,
        ours=f"{samples.median('masked') / TIMES:.2f} ms",
        other=f"{samples.median('clear') / TIMES:.2f} ms",
        noise=noise_text(samples.noise("clear")),
    )


def _read(client: Client, path: str) -> float:
    return milliseconds(lambda: [client.done("GET", path) for _ in range(TIMES)])
