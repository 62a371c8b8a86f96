"""What one project's costly requests cost another: served, with two workers.

`python -m tests.benchmarks.shares` seeds a project with large states and a long
history, lets eight clients of it ask for what costs most, over and over, and writes
from another project meanwhile. Each of the two counts what it was answered.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import django
import httpx

from tests.live import Server

# What the eight clients do.
LOOPS = ("verify", "verify", "verify", "search", "search", "batch", "batch", "batch")
Request = Callable[[httpx.Client, int], httpx.Response]


@dataclass(frozen=True, slots=True)
class Scale:
    """How much is stored; `rows` of 60 bytes make a state."""

    rows: int = 25_000
    sessions: int = 12
    versions: int = 1_000
    rows_verified: int = 5_000
    batch: int = 100


FULL = Scale()
SHORT = Scale(sessions=3, versions=100, rows_verified=10_000)


@dataclass(slots=True)
class Answers:
    """What a client was answered: how often, and how long each took."""

    statuses: Counter[int] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)

    def add(self, status: int, seconds: float) -> None:
        self.statuses[status] += 1
        self.seconds.append(seconds)

    def __str__(self) -> str:
        if not self.seconds:
            return "nothing"
        ordered = sorted(self.seconds)
        said = ", ".join(f"{n} x {code}" for code, n in sorted(self.statuses.items()))
        half = ordered[len(ordered) // 2]
        return f"{said}; median {half * 1000:.0f} ms, worst {ordered[-1] * 1000:.0f} ms"


def state(rows: int, seed: int = 0) -> dict[str, Any]:
    """Return a state of about 60 bytes a row."""
    return {
        "rows": {
            f"row{n:06}": {"name": f"item {n * 7 + seed}", "count": n, "open": True}
            for n in range(rows)
        },
        "step": seed,
    }


Enough = Callable[[dict[str, Answers]], bool]


class Greedy:
    """A project with much to read, and what reads and writes it at great cost."""

    def __init__(self, server: Server, project: str, scale: Scale) -> None:
        self.server = server
        self.scale = scale
        self.secret = server.key(project)
        with self.client() as client:
            self.long = self._long(client)
            self.large = [self._large(client, n) for n in range(scale.sessions)]

    def client(self) -> httpx.Client:
        return self.server.client(self.secret)

    def request(self, kind: str) -> Request:
        """Return one step of a loop, given how many went before."""
        return {"verify": self._verify, "search": self._search, "batch": self._batch}[
            kind
        ]

    def _begin(self, client: httpx.Client, first: dict[str, Any]) -> str:
        made = client.post(
            "/v1/sessions", json={"agent_id": "greedy", "initial_state": first}
        )
        made.raise_for_status()
        return f"/v1/sessions/{made.json()['id']}"

    def _long(self, client: httpx.Client) -> str:
        session = self._begin(client, state(self.scale.rows_verified))
        for first in range(0, self.scale.versions, 100):
            items = [{"state": {"step": first + n}} for n in range(100)]
            stored = client.post(f"{session}/versions", json={"versions": items})
            stored.raise_for_status()
        return session

    def _large(self, client: httpx.Client, n: int) -> str:
        session = self._begin(client, state(self.scale.rows, n))
        for more in (100, 200):
            client.put(
                f"{session}/state", json={"state": state(self.scale.rows, n + more)}
            ).raise_for_status()
        return session

    def _verify(self, client: httpx.Client, n: int) -> httpx.Response:
        return client.get(f"{self.long}/verify", params={"limit": 1000})

    def _search(self, client: httpx.Client, n: int) -> httpx.Response:
        return client.get("/v1/search", params={"q": "nowhere"})

    def _batch(self, client: httpx.Client, n: int) -> httpx.Response:
        session = self.large[n % len(self.large)]
        items = [{"state": {"step": n * 100 + one}} for one in range(self.scale.batch)]
        return client.post(f"{session}/versions", json={"versions": items})


@dataclass(slots=True)
class Load:
    """Clients that repeat what they do until told to stop, each in a thread."""

    stopped: threading.Event = field(default_factory=threading.Event)
    answers: dict[str, Answers] = field(default_factory=dict)
    threads: list[threading.Thread] = field(default_factory=list)

    def start(
        self, name: str, client: httpx.Client, request: Request, pause: float = 0.0
    ) -> None:
        answers = self.answers.setdefault(name, Answers())
        thread = threading.Thread(
            target=self._repeat, args=(client, request, answers, pause)
        )
        self.threads.append(thread)
        thread.start()

    def stop(self) -> None:
        self.stopped.set()
        for thread in self.threads:
            thread.join()

    def _repeat(
        self, client: httpx.Client, request: Request, answers: Answers, pause: float
    ) -> None:
        with client:
            for n in count():
                if self.stopped.wait(pause):
                    return
                began = time.monotonic()
                try:
                    status = request(client, n).status_code
                except httpx.TimeoutException:
                    status = 0  # no answer in 30 s
                answers.add(status, time.monotonic() - began)


class Modest:
    """Another project, that writes small states and, now and then, a large one."""

    def __init__(self, server: Server, project: str) -> None:
        self.server = server
        self.secret = server.key(project)
        with self.client() as client:
            self.small, self.large = (
                f"/v1/sessions/{made.json()['id']}"
                for made in (
                    client.post("/v1/sessions", json={"agent_id": "modest"})
                    for _ in range(2)
                )
            )
        self.body = state(20_000)

    def client(self) -> httpx.Client:
        return self.server.client(self.secret)

    def write(self, client: httpx.Client, n: int) -> httpx.Response:
        return client.patch(f"{self.small}/state", json={"state": {"n": n}})

    def write_large(self, client: httpx.Client, n: int) -> httpx.Response:
        return client.put(
            f"{self.large}/state", json={"state": self.body | {"step": n}}
        )


def contend(
    greedy: Greedy,
    modest: Modest,
    seconds: float,
    *,
    is_enough: Enough = lambda _: True,
    patience: float = 0.0,
) -> dict[str, Answers]:
    """Let the eight loops and the writers go on together; return who got what.

    After these seconds they go on until that is enough, or patience is at an end.
    """
    load = Load()
    try:
        for kind in LOOPS:
            load.start(kind, greedy.client(), greedy.request(kind))
        load.start("small writes", modest.client(), modest.write, 0.02)
        load.start("large writes", modest.client(), modest.write_large, 0.1)
        time.sleep(seconds)
        deadline = time.monotonic() + patience
        while not is_enough(load.answers) and time.monotonic() < deadline:
            time.sleep(0.1)
    finally:
        load.stop()
    return load.answers


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests.benchmarks.shares")
    parser.add_argument("--seconds", type=float, default=60)
    seconds = parser.parse_args().seconds
    # With it comes the database server, so it is not set before.
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    django.setup()
    from tests.live import serving

    with serving("shares") as server:
        began = time.monotonic()
        greedy = Greedy(server, "greedy", FULL)
        modest = Modest(server, "modest")
        _say(f"seeded in {time.monotonic() - began:.1f} s")
        for kind in ("verify", "search", "batch"):
            with greedy.client() as client:
                client.timeout = httpx.Timeout(120)
                began = time.monotonic()
                answer = greedy.request(kind)(client, 0)
                took = time.monotonic() - began
            _say(f"{kind} alone: {answer.status_code} in {took * 1000:.0f} ms")
        for name, answers in contend(greedy, modest, seconds).items():
            _say(f"{name}: {answers}")


if __name__ == "__main__":
    main()
