"""`python -m tests.replay FILE`: post recorded runs, read them back, compare.

Against the server of --url and --key, or one of its own with an empty database.
Exit status: 0 all equal, 1 the first difference or fault, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.replay.differences import Difference
from tests.replay.replaying import THREADS, replay
from tests.replay.runs import MalformedRun


def main(arguments: Sequence[str] | None = None) -> int:
    given = _parsed(arguments)
    with _server(given.url, given.key) as (url, secret):
        try:
            summary = replay(
                given.file,
                url=url,
                secret=secret,
                limit=given.limit,
                threads=given.threads,
            )
        except (Difference, MalformedRun, httpx.HTTPError) as fault:
            sys.stderr.write(f"\n{_told(fault)}\n")
            return 1
    sys.stdout.write(f"{summary}\n")
    return 0


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.replay",
        description="Post recorded agent runs and verify every version of them.",
    )
    parser.add_argument(
        "file",
        type=Path,
        nargs="?",
        default=os.environ.get("STEPBACK_RUNS"),
        help="runs, one JSON object a line; default: STEPBACK_RUNS",
    )
    parser.add_argument("--url", help="a running server; default: one of its own")
    parser.add_argument("--key", help="a write key of that server")
    parser.add_argument("--limit", type=_positive, help="only the first runs")
    parser.add_argument("--threads", type=_positive, default=THREADS)
    given = parser.parse_args(arguments)
    if given.file is None or not Path(given.file).is_file():
        parser.error("name a file of recorded runs, here or in STEPBACK_RUNS")
    if bool(given.url) != bool(given.key):
        parser.error("--url and --key go together")
    return given


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


@contextmanager
def _server(url: str | None, secret: str | None) -> Iterator[tuple[str, str]]:
    if url and secret:
        yield url, secret
        return
    # Imported only here: it starts PostgreSQL, which a given server does not need.
    import tests.settings  # noqa: F401
    from tests.live import serving

    # The product's settings log every request that a client sends.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    with serving(f"replay_{os.getpid()}") as server:
        yield server.url, server.key("replay")


def _told(fault: Exception) -> str:
    if isinstance(fault, httpx.HTTPStatusError):
        return f"{fault}\n{fault.response.text[:1000]}"
    return f"{type(fault).__name__}: {fault}"


if __name__ == "__main__":
    sys.exit(main())
