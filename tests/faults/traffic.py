"""Many clients in threads, for as long as a fault takes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.faults.clients import WEIGHTS, Client
from tests.faults.house import House
from tests.faults.journal import Journal, Violation
from tests.races.traffic import Line

JOIN_SECONDS = 240


@dataclass
class Traffic:
    """The clients under way and what they were told."""

    journal: Journal
    shared: str
    stop: threading.Event
    threads: list[threading.Thread] = field(default_factory=list)
    errors: list[BaseException] = field(default_factory=list)

    def require_healthy(self) -> None:
        """Raise what ended a client."""
        if self.errors:
            raise self.errors[0]

    def wait_for(self, count: int, seconds: float = 240) -> None:
        """Wait until so many more requests were acknowledged than now."""
        goal = self.journal.acknowledged + count
        deadline = time.monotonic() + seconds
        while self.journal.acknowledged < goal:
            self.require_healthy()
            if time.monotonic() > deadline:
                raise Violation(f"the clients got no further in {seconds:.0f} s")
            time.sleep(0.02)

    def wait_for_failures(self, how: str, count: int, seconds: float = 240) -> None:
        """Wait until so many more requests were left open in this way than now."""
        goal = self.journal.left_open[how] + count
        deadline = time.monotonic() + seconds
        while self.journal.left_open[how] < goal:
            self.require_healthy()
            if time.monotonic() > deadline:
                told = dict(self.journal.faults)
                raise Violation(f"no {how} in {seconds:.0f} s, but {told}")
            time.sleep(0.02)


@contextmanager
def traffic(
    at: House,
    *,
    name: str,
    clients: int,
    url: str | None = None,
    weights: dict[str, int] | None = None,
    make_key: Callable[[Client, int], str] | None = None,
) -> Iterator[Traffic]:
    """Let the clients write until the block ends; then all of them are settled.

    `name` must be new in this house: it is the agent's, and begins all keys. They go
    to `url`, e.g. a proxy's, else to the server itself.
    """
    journal, stop = Journal(name), threading.Event()
    shared = _shared(at, journal)
    running = Traffic(journal, shared, stop)
    options: dict[str, Any] = {} if make_key is None else {"make_key": make_key}
    for number in range(clients):
        client = Client(
            name=f"{name}-c{number}",
            random=Random(f"{name}/{number}"),
            url=url or at.url,
            secret=at.secret,
            journal=journal,
            stop=stop,
            shared=shared,
            weights=weights or WEIGHTS,
            **options,
        )
        running.threads.append(
            threading.Thread(target=_run, args=(client, running), daemon=True)
        )
    for thread in running.threads:
        thread.start()
    try:
        yield running
    finally:
        stop.set()
        deadline = time.monotonic() + JOIN_SECONDS
        for thread in running.threads:
            thread.join(max(0.1, deadline - time.monotonic()))
    if any(thread.is_alive() for thread in running.threads):
        raise Violation("a client never came to an end")
    running.require_healthy()


def _run(client: Client, running: Traffic) -> None:
    try:
        client.run()
    except BaseException as error:  # noqa: BLE001 - raised in the main thread
        running.errors.append(error)
        running.stop.set()


def _shared(at: House, journal: Journal) -> str:
    """Make the session that all clients write to."""
    key = f"{journal.agent}-shared"
    with closing(Line(at.url, at.secret)) as line:
        body = {"agent_id": journal.agent, "initial_state": {}}
        made = line.post("/v1/sessions", body, Idempotency_Key=key)
    if made.status != 201:
        raise Violation(f"{key}: {made.status} {made.content!r:.300}")
    journal.answered(key, is_replay=False)
    journal.stored("create", key, made.body["id"], {0: {}}, turns=0)
    return str(made.body["id"])
