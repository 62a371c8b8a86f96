"""`python -m tests.races.killing [--kills 500]`: kill -9 beside a tool that counts.

An agent begins effects, calls and finishes; by turns it and web workers of the server
are killed. Then nothing was called twice, what was done is known as done, and every
open end reads as unknown. Exit status: 0 if all of that holds.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Set
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from tests.commands import ROOT
from tests.faults import family
from tests.races import effect_agent
from tests.races.traffic import Line

# Granian gives up on what dies sooner than 5.5 s after its start.
SETTLED_SECONDS = 6.5
# Keys that an agent gets done between two kills, at most; and how long that may take.
MOST_CALLS, CALLS_SECONDS = 12, 3.0
BYTES_A_CALL = len("mail-1000\n")
KEYS_A_KILL = 40


@dataclass(frozen=True, kw_only=True)
class Killed:
    """What came of it: by the tool's own count, and as the session says."""

    clients: int
    servers: int
    calls: Counter[str]
    statuses: dict[str, str]

    @property
    def twice(self) -> set[str]:
        return {key for key, count in self.calls.items() if count > 1}

    @property
    def open_ends(self) -> set[str]:
        return {key for key, status in self.statuses.items() if status != "done"}

    def problems(self) -> list[str]:
        """Return what does not hold, in words."""
        found = [f"{key} was called twice" for key in sorted(self.twice)]
        done = set(self.statuses) - self.open_ends
        found += [
            f"{key} is done, and was not called" for key in done - set(self.calls)
        ]
        unheard = set(self.calls) - set(self.statuses)
        found += [f"{key} was called, and is not known" for key in unheard]
        found += [
            f"{key} reads as {self.statuses[key]}"
            for key in self.open_ends
            if self.statuses[key] != "unknown"
        ]
        if len(self.open_ends) > self.clients + self.servers:
            found.append(f"{len(self.open_ends)} open ends of fewer kills")
        return found


@dataclass
class Killing:
    """An agent on a session of its own, and the workers of the server it talks to."""

    url: str
    secret: str
    session_id: str
    called: Path
    workers: Callable[[], Set[int]]
    random: Random
    say: Callable[[str], None] = lambda text: None
    clients: int = 0
    servers: int = 0
    seen: dict[int, float] = field(default_factory=dict)

    def run(self, *, clients: int, servers: int) -> Killed:
        """Kill so many of each while the agent acts, then let it do the rest."""
        self.keys = (clients + servers) * KEYS_A_KILL
        agent: subprocess.Popen[bytes] | None = None
        try:
            while self.clients < clients or self.servers < servers:
                if agent is not None and agent.poll() is not None:
                    _end(agent)
                    agent = None
                agent = agent or self._started(self._reached())
                self._wait_for_calls()
                victims = self._settled()
                if victims and self.servers < servers:
                    os.kill(self.random.choice(victims), signal.SIGKILL)
                    self.servers += 1
                elif self.clients < clients:
                    _end(agent)
                    agent = None
                    self.clients += 1
                self.say(f"{self.clients} clients, {self.servers} workers killed")
        finally:
            if agent is not None:
                _end(agent)
        self._finish()
        return Killed(
            clients=self.clients,
            servers=self.servers,
            calls=Counter(self._lines()),
            statuses=self._statuses(),
        )

    def _started(self, first: int) -> subprocess.Popen[bytes]:
        about = (self.url, self.secret, self.session_id, str(self.called))
        command = [sys.executable, "-m", "tests.races.effect_agent", *about]
        command += [str(first), str(self.keys)]
        agent = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
        assert agent.stdout
        assert agent.stdout.readline() == b"ready\n"
        return agent

    def _wait_for_calls(self) -> None:
        """Wait until the agent has called some, and then is anywhere."""
        wanted = self._size() + BYTES_A_CALL * self.random.randrange(MOST_CALLS)
        family.wait_for(lambda: self._size() > wanted, CALLS_SECONDS)
        time.sleep(self.random.uniform(0, 0.02))

    def _size(self) -> int:
        with suppress(FileNotFoundError):
            return self.called.stat().st_size
        return 0

    def _settled(self) -> list[int]:
        """Return the workers that have been there for a while."""
        now, workers = time.monotonic(), self.workers()
        for pid in workers:
            self.seen.setdefault(pid, now)
        return [
            pid for pid in sorted(workers) if now - self.seen[pid] > SETTLED_SECONDS
        ]

    def _finish(self) -> None:
        """Go through all keys so far once more, and a few that are new."""
        self.keys = min(self.keys, self._reached() + MOST_CALLS)
        with self._started(0) as agent:
            said, _ = agent.communicate(timeout=3600)
        assert said == b"over\n"
        # The last of them was begun within this.
        time.sleep(effect_agent.PATIENCE.total_seconds())

    def _reached(self) -> int:
        """Return where new keys come soon."""
        lines = self._lines()
        last = int(lines[-1].partition("-")[2]) if lines else 0
        return max(0, last - 2) if last + 1 < self.keys else 0

    def _lines(self) -> list[str]:
        return self.called.read_text().split() if self.called.exists() else []

    def _statuses(self) -> dict[str, str]:
        """Return what the session says of each key, page by page."""
        found: dict[str, str] = {}
        path, after = f"/v1/sessions/{self.session_id}/effects?limit=100", ""
        with closing(Line(self.url, self.secret)) as line:
            while True:
                page: Any = line.get(path + after).body
                found |= {one["key"]: one["status"] for one in page["data"]}
                if not page["has_more"]:
                    return found
                after = f"&starting_after={page['last_id']}"


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill it, and close what it was heard by."""
    process.kill()
    process.communicate()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.races.killing")
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--workers", type=int, default=6)
    parser.add_argument("--seed", type=int, default=17)
    given = parser.parse_args()
    from tests.faults.house import house, premises

    environment = {"STEPBACK_WORKERS": str(given.workers)}
    with premises() as folder, house(folder, environment=environment) as at:
        with closing(Line(at.url, at.secret)) as line:
            made = line.post("/v1/sessions", {"agent_id": "killed"})
        killing = Killing(
            url=at.url,
            secret=at.secret,
            session_id=made.body["id"],
            called=folder / "called",
            workers=at.workers,
            random=Random(given.seed),
            say=_progress(time.monotonic()),
        )
        half = given.kills // 2
        killed = killing.run(clients=given.kills - half, servers=half)
    problems = killed.problems()
    sys.stdout.write(
        f"{killed.clients} clients and {killed.servers} workers killed: "
        f"{len(killed.calls):,} calls, {len(killed.twice)} of them twice, "
        f"{len(killed.open_ends)} open ends, {len(problems)} problems\n"
    )
    sys.stdout.writelines(f"{one}\n" for one in problems)
    return 1 if problems else 0


def _progress(began: float) -> Callable[[str], None]:
    last = began

    def say(text: str) -> None:
        nonlocal last
        if time.monotonic() - last > 10:
            last = time.monotonic()
            sys.stderr.write(f"{last - began:.0f} s: {text}\n")

    return say


if __name__ == "__main__":
    sys.exit(main())
