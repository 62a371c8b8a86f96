"""Load over HTTP by wrk: a plan of requests, and how many a second were answered."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

SCRIPT = Path(__file__).parent / "lua" / "requests.lua"
CONNECTIONS = 16
MISSING = (
    "wrk, the load generator, is missing. Debian and Ubuntu: apt-get install wrk; "
    "macOS: brew install wrk; else: https://github.com/wg/wrk"
)

# Every run counts on from here, so that no number is sent twice.
_firsts = itertools.count(1_000_000, 10_000_000)


class LoadFailed(RuntimeError):
    """Some requests were not answered as they should be: no figure is taken."""


def require_wrk() -> str:
    """Return where wrk is.

    Raises: FileNotFoundError, saying how to install it.
    """
    found = shutil.which("wrk")
    if found is None:
        raise FileNotFoundError(MISSING)
    return found


class Plan:
    """Requests to one server, ready to be sent again and again."""

    def __init__(
        self, url: str, folder: Path, seconds: float, connections: int
    ) -> None:
        self.url = url
        self.folder = folder
        self.seconds = seconds
        self.connections = connections

    def rate(self) -> float:
        """Send for a while on all connections; return the answers a second.

        Raises: LoadFailed.
        """
        command = [
            require_wrk(),
            "-t1",
            f"-c{self.connections}",
            f"-d{self.seconds:.0f}s",
        ]
        command += ["--timeout", "30s", "-s", str(SCRIPT), self.url, "--"]
        command += [str(self.folder), str(next(_firsts))]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=self.seconds + 60
        )
        if done.returncode:
            raise LoadFailed(done.stdout + done.stderr)
        told = json.loads(done.stdout.strip().splitlines()[-1])
        if told["refused"] or told["broken"] or not told["requests"]:
            raise LoadFailed(f"{self.url}: {told}")
        return float(told["requests"] / told["microseconds"] * 1_000_000)


@contextmanager
def plan(
    url: str,
    method: str,
    paths: Sequence[str],
    *,
    body: bytes = b"",
    headers: Mapping[str, str] | None = None,
    texts: Sequence[str] = ("",),
    seconds: float,
    connections: int = CONNECTIONS,
) -> Iterator[Plan]:
    """Write the plan's files for as long as it is needed."""
    named = dict(headers or {})
    if body:
        named["Content-Type"] = "application/json"
    with tempfile.TemporaryDirectory(prefix="stepback-bench-plan-") as name:
        folder = Path(name)
        (folder / "method").write_text(f"{method}\n")
        (folder / "paths").write_text("".join(f"{path}\n" for path in paths))
        (folder / "texts").write_text("".join(f"{text}\n" for text in texts))
        (folder / "headers").write_text(
            "".join(f"{name}: {value}\n" for name, value in named.items())
        )
        (folder / "body").write_bytes(body)
        yield Plan(url, folder, seconds, connections)
