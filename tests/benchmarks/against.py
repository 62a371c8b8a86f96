"""`python -m tests.benchmarks.against COMMIT`: the console's pages beside an older one.

Both checkouts are served in turn on this machine, each by its own code on a cluster and
a database of its own, loaded with as many rows by its own loader: their schemas differ.
Nothing is asserted; ratios are printed beside what they may be.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from tests.benchmarks.findings import noise_text
from tests.benchmarks.pairs import PAIRS, Lane, alternate, milliseconds
from tests.live import ROOT

# Of the last commit before the console showed titles, strips, facets and a histogram.
BEFORE = "3cba167"
FULL = (1_000_000, 100_000)
QUICK = (100_000, 1_000)
TIMES = 15
LIST, FACETS, VIEWS = "/sessions?q=", "/sessions/narrow?q=", "/sessions/views?q="
# What a list asks for behind itself: a swap of a part, without a page around it.
PARTS = (FACETS, VIEWS)
# What is read of the two, and how much longer ours may take. A list came whole before;
# now its facets and its histogram follow by themselves.
ASKED: dict[str, tuple[Sequence[str], Sequence[str], float | None]] = {
    "list, with facets and histogram": ((LIST, FACETS), (LIST,), 1.5),
    "the same, with counts of views": ((LIST, FACETS, VIEWS), (LIST,), None),
    "list alone": ((LIST,), (LIST,), None),
    "session page": (("/sessions/{session}",), ("/sessions/{session}",), 1.2),
    "page of its middle version": (
        ("/sessions/{session}/versions/{middle}",),
        ("/sessions/{session}/versions/{middle}",),
        None,
    ),
}
# Run in each checkout, with its own modules, until its input ends.
SIDE = """
import json, sys
from contextlib import ExitStack
from tests.benchmarks import machine
from tests.benchmarks.rows import pages, scale
from tests.benchmarks.setting import Setting
size = tuple(map(int, sys.argv[1:]))
with machine.durable_cluster() as dsn, ExitStack() as opened:
    setting = Setting(dsn, opened=opened)
    with scale.side("against", size, setting) as side:
        with pages.signed_in(side.server) as reader:
            told = {"url": side.server.url, "cookie": reader.headers["Cookie"]}
            print(json.dumps(told | {"session": side.longest}), flush=True)
            sys.stdin.read()
"""


def main(arguments: Sequence[str] | None = None) -> int:
    given = _parsed(arguments)
    size = (given.sessions, given.versions)
    with ExitStack() as opened:
        older = opened.enter_context(checked_out(given.commit))
        before = opened.enter_context(served(older, size))
        ours = opened.enter_context(served(ROOT, size))
        sys.stdout.write(
            f"{size[0]:,} sessions, {size[1]:,} versions of one; "
            f"{given.commit} and this checkout in turn, {given.rounds} rounds\n"
        )
        for what, (mine, theirs, limit) in ASKED.items():
            lanes = {
                "ours": lane(ours, mine, given.times),
                "before": lane(before, theirs, given.times),
            }
            found = alternate(lanes, rounds=given.rounds)
            ratio = found.ratio("ours", "before")
            told = "" if limit is None else f", at most {limit:.1f}"
            sys.stdout.write(
                f"{what}: {ratio:.2f}{told}; {found.median('ours'):.1f} ms, before "
                f"{found.median('before'):.1f} ms "
                f"(noise {noise_text(found.noise('ours'))})\n"
            )
            sys.stdout.flush()
    return 0


@contextmanager
def checked_out(commit: str) -> Iterator[Path]:
    """Give a folder with the files of a commit; it goes with its registration."""
    with tempfile.TemporaryDirectory(prefix="stepback-against-") as folder:
        there = Path(folder) / "checkout"
        _git("worktree", "add", "--detach", str(there), commit)
        try:
            yield there
        finally:
            _git("worktree", "remove", "--force", str(there))


@contextmanager
def served(checkout: Path, size: tuple[int, int]) -> Iterator[dict[str, Any]]:
    """Load and serve a checkout by its own code; give address, cookie and session.

    Raises: RuntimeError where it ended before that.
    """
    process = subprocess.Popen(
        [sys.executable, "-c", SIDE, *map(str, size)],
        cwd=checkout,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"{checkout} could not be served; it said why above.")
        yield json.loads(line) | {"middle": size[1] // 2}
    finally:
        process.communicate("")


def lane(side: Mapping[str, Any], paths: Sequence[str], times: int) -> Lane:
    """Return the lane that reads these pages one behind the other."""
    known = {"Cookie": side["cookie"], "Accept": "text/html"}
    asked = [
        (
            f"/console/bench{path}".format(**side),
            known | ({"HX-Request": "true"} if path in PARTS else {}),
        )
        for path in paths
    ]

    def read(connection: HTTPConnection) -> None:
        for address, headers in asked:
            connection.request("GET", address, headers=headers)
            answer = connection.getresponse()
            content = answer.read()
            if answer.status != 200:
                raise RuntimeError(f"GET {address}: {answer.status} {content[:500]!r}")

    def measured() -> float:
        with closing(
            HTTPConnection(urlsplit(side["url"]).netloc, timeout=120)
        ) as connection:
            return median(milliseconds(lambda: read(connection)) for _ in range(times))

    return measured


def _git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True)


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.against",
        description="Compare the console's pages with those of an older commit.",
    )
    add = parser.add_argument
    add("commit", nargs="?", default=BEFORE, help=f"the older one ({BEFORE})")
    add("--quick", action="store_true", help="100,000 sessions instead of a million")
    add("--sessions", type=int, help="another number of them")
    add("--versions", type=int, help="of the longest session")
    add("--rounds", type=int, default=PAIRS, help=f"pairs ({PAIRS})")
    add("--times", type=int, default=TIMES, help=f"reads in each of them ({TIMES})")
    given = parser.parse_args(arguments)
    sessions, versions = QUICK if given.quick else FULL
    given.sessions = sessions if given.sessions is None else given.sessions
    given.versions = versions if given.versions is None else given.versions
    return given


if __name__ == "__main__":
    sys.exit(main())
