"""`python -m tests.slow`: what slow clients cost all others, kind by kind.

Two hundred are slow in one way, from as many addresses, while others ask one after
the other; before them, and after, the others have the server to themselves. All of it
on loopback, on a server of its own. Prints a table for `docs/slow-clients.md`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from statistics import quantiles
from time import monotonic, perf_counter
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

import django

django.setup()

from tests.live import ROOT, Server, serving  # noqa: E402
from tests.races.traffic import Line  # noqa: E402
from tests.slow.clients import Target, kinds  # noqa: E402

QUIET_SECONDS = 8.0
# Longer than a body has, so that the refusals are within it.
SLOW_SECONDS = 13.0
STATE_BYTES = 300_000

Probe = Callable[[], None]


class Others:
    """Those who are not slow: each asks one thing, again and again."""

    def __init__(self, server: Server, key: str) -> None:
        self._line = Line(server.url, key)
        self._url, self._step = server.url, 0
        begun = {"agent_id": "other", "initial_state": {"step": 0}}
        session = self._line.post("/v1/sessions", begun).body["id"]
        self._path = f"/v1/sessions/{session}/state"

    @property
    def probes(self) -> Mapping[str, Probe]:
        return {
            "liveness, a connection each": self._live,
            "readiness": lambda: self._get("/health/ready"),
            "head": lambda: self._get(self._path),
            "append": self._append,
            "sign-in page": lambda: self._get("/signin"),
        }

    def ask(self, seconds: float) -> dict[str, list[float]]:
        """Ask everything in turn for so long; return what each took, in milliseconds.

        Raises: AssertionError for anything but a 200, OSError where none comes.
        """
        took: dict[str, list[float]] = {name: [] for name in self.probes}
        until = monotonic() + seconds
        while monotonic() < until:
            for name, probe in self.probes.items():
                start = perf_counter()
                probe()
                took[name].append((perf_counter() - start) * 1000)
        return took

    def close(self) -> None:
        self._line.close()

    def _get(self, path: str) -> None:
        assert self._line.get(path).status == 200, path

    def _append(self) -> None:
        self._step += 1
        answer = self._line.patch(self._path, {"state": {"step": self._step}})
        assert answer.status == 200, answer.content

    def _live(self) -> None:
        with closing(Line(self._url, "")) as line:
            assert line.get("/health/live").status == 200


def main() -> None:
    with serving(f"slow_{os.getpid()}") as server:
        key = server.key("slow")
        target = Target(url=server.url, key=key, session=_large(server, key))
        names = sys.argv[1:] or list(kinds(target))
        with closing(Others(server, server.key("others"))) as others:
            others.ask(1)
            _say("slow", "outcome", *others.probes)
            _say(*["---"] * (2 + len(others.probes)))
            for name in names:
                quiet = others.ask(QUIET_SECONDS)
                slow, outcome = _while_slow(others, target, name)
                _say(name, outcome, *_compared(quiet, slow))


def _while_slow(
    others: Others, target: Target, name: str
) -> tuple[dict[str, list[float]], str]:
    arguments = [target.url, target.key, target.session, str(SLOW_SECONDS), name]
    with subprocess.Popen(
        [sys.executable, "-m", "tests.slow.clients", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        took = others.ask(SLOW_SECONDS)
        outcome, _ = process.communicate(timeout=30)
    return took, outcome


def _compared(quiet: dict[str, list[float]], slow: dict[str, list[float]]) -> list[str]:
    return [
        f"{_p99(quiet[name]):.1f} → {_p99(slow[name]):.1f} ({len(slow[name])})"
        for name in quiet
    ]


def _p99(times: list[float]) -> float:
    return quantiles(times, n=100)[98]


def _large(server: Server, key: str) -> str:
    begun: dict[str, Any] = {"agent_id": "a", "initial_state": {"x": "y" * STATE_BYTES}}
    with closing(Line(server.url, key)) as line:
        return str(line.post("/v1/sessions", begun).body["id"])


def _say(*cells: str) -> None:
    sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
